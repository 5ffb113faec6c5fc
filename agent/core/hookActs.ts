// What the registry has to follow of what sessions told by their hooks: an end that is its user's own word forgets the
// session, any other end marks it departed, a start lifts that mark. A `/clear` is no end: its process goes on with another
// conversation. Only for a session that is recorded, told of by its own sandbox' spool or by the shared one where its id
// is recorded once, and that no process refutes; where that cannot be told nothing is written.
import type { EpochMs } from "../../base/clock.ts";
import { sharedSpool } from "../../protocol/hookSpool.ts";
import type { Session } from "../../protocol/roster.ts";
import { endGraceMs, endOf, hookEnd } from "./hookLife.ts";
import { startOf } from "./hookTurn.ts";
import type { HookFacts } from "./hookFacts.ts";
import type { Monitor } from "./monitor.ts";
import { recordedSessions, type RecordedSession } from "./recorded.ts";

export interface HookAct {
  readonly kind: "forget" | "depart" | "lift";
  readonly session: string;
  readonly sandbox: string;
  /** When the session told it. */
  readonly at: EpochMs;
}

export function hookActs(monitor: Monitor, rows: readonly Session[], now: EpochMs): readonly HookAct[] {
  if (monitor.hooks.spools.size === 0) return [];
  const ours = recordedSessions(monitor.registries).filter(({ registry }) => registry.source === "registry");
  return ours.flatMap((recorded) => {
    const facts = factsOf(monitor, recorded, ours);
    const act = facts === undefined ? undefined : actOf(recorded, facts, rows, now);
    return act === undefined ? [] : [act];
  });
}

function factsOf(
  { hooks }: Monitor,
  { entry, sandbox }: RecordedSession,
  all: readonly RecordedSession[],
): HookFacts | undefined {
  const id = entry.session_id;
  const own = hooks.spools.get(sandbox)?.sessions.get(id);
  if (own !== undefined) return own;
  const isElsewhere = [...hooks.spools].some(([name, { sessions }]) => name !== sharedSpool && sessions.has(id));
  const isOnce = all.filter((other) => other.entry.session_id === id).length === 1;
  return isOnce && !isElsewhere ? hooks.spools.get(sharedSpool)?.sessions.get(id) : undefined;
}

function actOf(
  { entry, sandbox, departedAt }: RecordedSession,
  facts: HookFacts,
  rows: readonly Session[],
  now: EpochMs,
): HookAct | undefined {
  const session = entry.session_id;
  const end = hookEnd(facts);
  if (end === undefined) {
    const startedAt = startOf(facts);
    const isLifted = departedAt !== undefined && startedAt !== undefined && startedAt > departedAt;
    return isLifted ? { kind: "lift", session, sandbox, at: startedAt } : undefined;
  }
  const { how, isUsers } = endOf(end.what);
  // Whoever put it there since then knew better.
  if (how === "rotated" || (entry.started_at_ms ?? 0) > end.at || !isConfirmed(rows, { session, sandbox }, end.at, now))
    return undefined;
  if (isUsers) return { kind: "forget", session, sandbox, at: end.at };
  return departedAt === undefined ? { kind: "depart", session, sandbox, at: end.at } : undefined;
}

/** Nobody forges an end of a session whose process lives on. */
function isConfirmed(
  rows: readonly Session[],
  { session, sandbox }: Pick<HookAct, "session" | "sandbox">,
  endedAt: EpochMs,
  now: EpochMs,
): boolean {
  const row = rows.find((each) => each.id === session && each.sandbox === sandbox);
  if (row?.liveness.kind !== "ended") return false;
  return row.liveness.source !== "hooks" || row.pid === undefined || now - endedAt > endGraceMs;
}
