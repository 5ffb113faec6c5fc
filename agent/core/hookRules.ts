// The status rules that rest on hooks, for `statusRules.ts` to put in their places. Hooks that are dead match nothing;
// what refutes a rule here is the record of the session, written at the very moment at which a question is answered, of
// which no hook tells.
import { amount } from "../../base/amount.ts";
import type { EpochMs } from "../../base/clock.ts";
import { isFresh } from "./counterEvidence.ts";
import type { HookStatus } from "./hookStatus.ts";
import type { HookTurn } from "./hookTurn.ts";
import type { Match } from "./ruleMatches.ts";
import type { StatusFacts } from "./statusFacts.ts";
import type { StatusRule } from "./statusRule.ts";

const silentStopMs = 15 * 60_000;
const waitingMs = 10 * 60_000;

const questions = new Set(["AskUserQuestion"]);
const plans = new Set(["ExitPlanMode"]);

export const hookAsks: StatusRule = {
  name: "hook-asks",
  kind: "needs-you",
  matches: (facts) => {
    const [ask] = believed(facts)?.asks ?? [];
    if (ask === undefined) return undefined;
    const of = ask.agentId === undefined ? "" : ", in a subagent";
    const why = questions.has(ask.tool) ? "question" : plans.has(ask.tool) ? "plan" : "permission";
    return { since: ask.since, why, says: `a hook asks for ${ask.tool}${of}, and no hook has an answer to it` };
  },
  refutedBy: recordWentOn,
};

export const hookNotice: StatusRule = {
  name: "hook-notice",
  kind: "needs-you",
  matches: (facts) => {
    const notice = believed(facts)?.notice;
    if (notice === undefined) return undefined;
    return { since: notice.since, why: notice.why, says: `a hook says that it waits: ${notice.type}` };
  },
  refutedBy: recordWentOn,
};

export const hookTurnFailed: StatusRule = {
  name: "hook-turn-failed",
  kind: "error",
  matches: (facts) => {
    const turn = aheadTurn(facts);
    if (turn?.kind !== "failed") return undefined;
    return { since: turn.at, until: turn.until, why: turn.why, says: `a hook says that the turn failed: ${turn.says}` };
  },
  refutedBy: (facts, match) => recordBusySince(facts, match.since),
};

export const hookCompacting: StatusRule = {
  name: "hook-compacting",
  kind: "compacting",
  matches: (facts) => {
    const since = believed(facts)?.compactingSince;
    return since === undefined
      ? undefined
      : { since, says: "a hook says that it began to compact, and none that it ended" };
  },
  refutedBy: recordIdleSince,
};

export const hookTurnRunning: StatusRule = {
  name: "hook-turn-running",
  kind: "working",
  matches: (facts) => {
    const turn = aheadTurn(facts);
    return turn?.kind === "running"
      ? { since: turn.since, says: "a hook says that a turn began, and none that it ended" }
      : undefined;
  },
  refutedBy: (facts, match) => {
    const turn = aheadTurn(facts);
    const silentMs = turn?.kind === "running" ? facts.now - turn.lastSignAt : 0;
    return recordIdleSince(facts, match) ?? (silentMs < silentStopMs ? undefined : "no hook came for 15 min");
  },
};

export const hookBackground: StatusRule = {
  name: "hook-background",
  kind: "background",
  matches: (facts) => {
    const turn = aheadTurn(facts);
    if (turn?.kind !== "ended" || turn.background.length === 0) return undefined;
    return {
      since: turn.at,
      says: `a hook says that the turn ended, still running: ${amount(turn.background.length, "background task")}`,
    };
  },
  refutedBy: (facts, match) => recordIdleSince(facts, match) ?? livesNoMore(facts),
};

export const hookTurnEndedLongAgo: StatusRule = {
  name: "hook-turn-ended-long-ago",
  kind: "idle",
  matches: (facts) => turnEnded(facts, (ageMs) => ageMs >= waitingMs),
  refutedBy: livesNoMore,
};

export const hookTurnEnded: StatusRule = {
  name: "hook-turn-ended",
  kind: "waiting",
  matches: (facts) => turnEnded(facts, (ageMs) => ageMs < waitingMs),
  refutedBy: livesNoMore,
};

/** A turn that the transcript shows running and a hook ended, as it is where the last line is written late or never. */
export function hookEndedTurn(facts: StatusFacts): string | undefined {
  const turn = aheadTurn(facts);
  return turn?.kind === "ended" || turn?.kind === "failed" ? "a hook says that the turn ended" : undefined;
}

/** A turn that began after one that failed. */
export function hookBeganTurn(facts: StatusFacts): string | undefined {
  return aheadTurn(facts)?.kind === "running" ? "a hook says that a later turn began" : undefined;
}

function believed({ hooks }: StatusFacts): HookStatus | undefined {
  return hooks?.dead === undefined ? hooks : undefined;
}

function aheadTurn(facts: StatusFacts): HookTurn | undefined {
  const hooks = believed(facts);
  return hooks?.isAhead === true ? hooks.turn : undefined;
}

function turnEnded(facts: StatusFacts, ageFits: (ageMs: number) => boolean): Match | undefined {
  const turn = aheadTurn(facts);
  if (turn?.kind !== "ended" || !ageFits(facts.now - turn.at)) return undefined;
  return {
    since: turn.at,
    says: turn.how === "idle" ? "a hook says that it waits for input" : "a hook says that the turn ended",
  };
}

function recordWentOn({ record }: StatusFacts, { since }: Match): string | undefined {
  if (record === undefined || record.trust === "none" || record.since === undefined || since === undefined)
    return undefined;
  if (record.status === undefined || record.status === "waiting" || record.since <= since) return undefined;
  return `the session's record says ${record.status} since a later time, so it was answered`;
}

function recordBusySince({ record }: StatusFacts, since: EpochMs | undefined): string | undefined {
  if (record === undefined || record.trust === "none" || record.since === undefined || since === undefined)
    return undefined;
  return record.status === "busy" && record.since > since ? "the record says busy since a later time" : undefined;
}

function recordIdleSince({ record }: StatusFacts, { since }: Match): string | undefined {
  if (record === undefined || record.trust === "none" || record.since === undefined || since === undefined)
    return undefined;
  return record.status === "idle" && record.since > since ? "the record says idle since a later time" : undefined;
}

function livesNoMore(facts: StatusFacts): string | undefined {
  if (facts.liveness === "live" || isFresh(facts)) return undefined;
  const lastAt = facts.hooks?.lastAt ?? 0;
  return facts.now - lastAt < silentStopMs ? undefined : "no process of it is known";
}
