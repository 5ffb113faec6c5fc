// How each session's status changed: a bounded ring of changes per session, folded from the rows that differ between
// two rosters. It outlives the agent with the rest of its memory. A row that leaves the roster keeps its ring while
// there is room, since a row may come back.
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type { Session } from "../../protocol/roster.ts";
import type { StatusChange, StatusHistory } from "../../protocol/sessionDetail.ts";
import { iso } from "./isoTime.ts";

/** By session key, the one that changed last at the end. */
export type StatusHistories = ReadonlyMap<string, StatusHistory>;

export const noHistory: StatusHistory = { changes: [], dropped: 0 };

/** @param sessions rows that are new or say something else than before */
export function foldStatusHistory(
  histories: StatusHistories,
  sessions: readonly Session[],
  now: EpochMs,
): StatusHistories {
  let next: Map<string, StatusHistory> | undefined;
  for (const session of sessions) {
    const before = (next ?? histories).get(session.key) ?? noHistory;
    const change = changeOf(session, now);
    const last = before.changes.at(-1);
    if (last !== undefined && decides(last) === decides(change)) continue;
    next ??= new Map(histories);
    // Behind all others: those that changed longest ago are forgotten first.
    next.delete(session.key);
    next.set(session.key, append(before, change));
  }
  return next === undefined ? histories : bounded(next);
}

function changeOf({ status, liveness, evidence }: Session, now: EpochMs): StatusChange {
  const says = evidence.find(({ source, says }) => source === "rule" && says.startsWith(`${status.rule}: `))?.says;
  return {
    at: iso(now),
    kind: status.kind,
    ...(status.why === undefined ? {} : { why: status.why }),
    rule: status.rule,
    ...(status.since === undefined ? {} : { since: status.since }),
    ...(says === undefined ? {} : { says: says.slice(status.rule.length + 2) }),
    liveness: { kind: liveness.kind, ...(liveness.how === undefined ? {} : { how: liveness.how }) },
  };
}

/** What makes a change: another decision, not another age of the same one. */
function decides({ kind, why, rule, liveness }: StatusChange): string {
  return JSON.stringify([kind, why, rule, liveness.kind, liveness.how]);
}

function append({ changes, dropped }: StatusHistory, change: StatusChange): StatusHistory {
  const all = [...changes, change];
  const over = Math.max(0, all.length - limits.statusChangesPerSession);
  return { changes: all.slice(over), dropped: dropped + over };
}

function bounded(histories: Map<string, StatusHistory>): StatusHistories {
  for (const key of histories.keys()) {
    if (histories.size <= limits.statusHistories) break;
    histories.delete(key);
  }
  return histories;
}
