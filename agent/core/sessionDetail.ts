// All there is to tell about one session, brought together for who watches it: the row, its sources, the history of its
// status and its timeline. A row that the roster holds no more stays as last known, and says so.
import type { EpochMs } from "../../base/clock.ts";
import type { Known } from "../../protocol/observation.ts";
import type { Roster, Session, SourceState } from "../../protocol/roster.ts";
import type { SessionDetail, StatusHistory, Timeline } from "../../protocol/sessionDetail.ts";
import { iso } from "./isoTime.ts";
import type { SubagentTimeline } from "./subagentTools.ts";
import type { TimelineFold } from "./timelineItems.ts";
import { timelineItems } from "./timelineView.ts";

/** What was read of the transcript's timeline, and why not. */
export interface KnownTimeline {
  readonly known: Known<{ readonly fold: TimelineFold; readonly bytesNotRead: number }>;
  readonly subagents: readonly SubagentTimeline[];
  /** The first failure where nothing was ever read. */
  readonly failure: { readonly at: EpochMs; readonly cause: string } | undefined;
}

export interface DetailInput {
  readonly roster: Roster;
  readonly key: string;
  /** The row as last known. */
  readonly last: Session;
  readonly leftAt: EpochMs | undefined;
  readonly history: StatusHistory;
  readonly timeline: KnownTimeline;
  readonly now: EpochMs;
}

export function sessionDetail({ roster, key, last, leftAt, history, timeline, now }: DetailInput): SessionDetail {
  return {
    version: 1,
    key,
    observedAt: roster.observedAt,
    session: last,
    ...(leftAt === undefined ? {} : { leftAt: iso(leftAt) }),
    sources: roster.sources.filter((source) => isOf(source, last)),
    history,
    timeline: timelineOf(timeline, last, now),
  };
}

/** Sources of other config folders say nothing of this session. */
function isOf({ id }: SourceState, { configDir }: Session): boolean {
  const folder = /^(?:pid-records|transcripts):(.*)$/s.exec(id)?.[1];
  return folder === undefined || folder === configDir;
}

function timelineOf({ known, failure, subagents }: KnownTimeline, session: Session, now: EpochMs): Timeline {
  switch (known.kind) {
    case "never":
      if (failure !== undefined) return { state: "unreadable", at: iso(failure.at), cause: failure.cause };
      return session.transcript === undefined ? { state: "none", asOf: iso(now) } : { state: "reading" };
    case "none":
      return { state: "none", asOf: iso(known.asOf) };
    case "current":
    case "stale": {
      const { fold, bytesNotRead } = known.value;
      return {
        state: "read",
        asOf: iso(known.asOf),
        ...(known.kind === "stale" ? { stale: { since: iso(known.since), cause: known.cause } } : {}),
        ...(fold.model === undefined ? {} : { model: fold.model }),
        items: timelineItems(fold, subagents, session, now),
        itemsDropped: fold.itemsDropped,
        bytesNotRead,
        skipped: [...fold.skipped].map(([why, count]) => ({ why, count })),
      };
    }
  }
}
