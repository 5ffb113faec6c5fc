// Whether a turn runs by what hooks told, or how it ended. A turn is known by its prompt's id where that is told; else by
// time. Hooks of one moment come in any order, so an end counts also where a sign of the same turn came a moment later.
import type { EpochMs } from "../../base/clock.ts";
import type { HookTask } from "../../protocol/files/hookEvent.ts";
import type { HookFacts, HookNote, HookStop } from "./hookFacts.ts";
import type { TurnErrorWhy } from "./transcriptEvents.ts";

/** The agent starts hooks at once and does not wait for them; so far apart they may be written in another order. */
const reorderMs = 1_000;

export type HookTurn =
  | { readonly kind: "none" }
  | {
      readonly kind: "running";
      readonly since: EpochMs;
      readonly lastSignAt: EpochMs;
      readonly promptId: string | undefined;
    }
  | {
      readonly kind: "ended";
      readonly at: EpochMs;
      readonly how: "stopped" | "idle";
      readonly promptId: string | undefined;
      readonly background: readonly HookTask[];
    }
  | {
      readonly kind: "failed";
      readonly at: EpochMs;
      readonly why: TurnErrorWhy;
      readonly says: string;
      readonly until: EpochMs | undefined;
      readonly promptId: string | undefined;
    };

export function hookTurn(facts: HookFacts): HookTurn {
  const startedAt = startOf(facts);
  const isOfThisRun = ({ at }: HookNote): boolean => startedAt === undefined || at >= startedAt;
  // A subagent in the background works and asks on after its session's turn.
  const own = facts.asks.filter(({ agentId }) => agentId === undefined);
  const begins = [...facts.prompts, ...facts.signs, ...own].filter(isOfThisRun);
  const begin = newestNote(begins);
  const [newestStop] = facts.stops.filter(isOfThisRun);
  if (newestStop !== undefined && (begin === undefined || isOver(begin, newestStop)))
    return ended(facts, firstOfTurn(facts.stops.filter(isOfThisRun), newestStop, begin));
  if (begin === undefined) return { kind: "none" };
  const first = facts.prompts.find(({ promptId, at }) => promptId === begin.promptId && at <= begin.at);
  return {
    kind: "running",
    since: (first ?? begin).at,
    lastSignAt: Math.max(begin.at, facts.agentSigns[0]?.at ?? 0),
    promptId: begin.promptId,
  };
}

/** Since when the process runs that holds it now; a compaction is no start. */
export function startOf({ starts }: HookFacts): EpochMs | undefined {
  return starts.find(({ what }) => what !== "compact")?.at;
}

function isOver(begin: HookNote, stop: HookStop): boolean {
  const sameTurn = begin.promptId !== undefined && begin.promptId === stop.promptId;
  return stop.at >= begin.at - (sameTurn ? reorderMs : 0);
}

/** A turn that is told to be over again, as a minute later, has been since the first time. */
function firstOfTurn(stops: readonly HookStop[], last: HookStop, begin: HookNote | undefined): HookStop {
  const same = stops.filter(
    (stop) =>
      (begin === undefined || isOver(begin, stop)) && (last.promptId === undefined || stop.promptId === last.promptId),
  );
  // What failed tells more than that it is over.
  return (
    same.findLast(({ kind }) => kind === "failed") ??
    same.findLast(({ kind }) => kind === "stopped") ??
    same.at(-1) ??
    last
  );
}

function ended({ agents }: HookFacts, { kind, at, what, until, promptId, background }: HookStop): HookTurn {
  if (kind !== "failed") {
    const runsOn = ({ id }: HookTask): boolean => (agents.get(id)?.stoppedAt ?? 0) <= at;
    return { kind: "ended", at, how: kind, promptId, background: background.filter(runsOn) };
  }
  return { kind: "failed", at, why: errorWhy(what), says: what, until, promptId };
}

/** The kinds that the agent tells; those of later versions are some error. */
function errorWhy(error: string): TurnErrorWhy {
  switch (error) {
    case "authentication_failed":
    case "oauth_org_not_allowed":
      return "login";
    case "billing_error":
      return "billing";
    case "rate_limit":
      return "limit";
    case "overloaded":
    case "server_error":
      return "server";
    default:
      return "other";
  }
}

function newestNote(notes: readonly HookNote[]): HookNote | undefined {
  return notes.reduce<HookNote | undefined>(
    (best, next) => (best === undefined || next.at > best.at ? next : best),
    undefined,
  );
}
