// What refutes a status rule that matches, in words: a later answer, a later turn, a silence that went on too long.
// Undefined where nothing does; which rule it is asked for is `statusRules.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { Match } from "./ruleMatches.ts";
import type { StatusFacts } from "./statusFacts.ts";

const clockSlackMs = 2_000;
/** A record that is to follow its turn's end has done so by then. */
const recordFollowsMs = 30_000;
/** A turn without an end, a sign or a busy process is believed this long. */
const silentStopMs = 15 * 60_000;

/** Only the call's own answer or a later turn settles a prompt; other traffic proves nothing. */
export function answeredSince(facts: StatusFacts, match: Match): string | undefined {
  if (match.since === undefined || facts.phase === undefined) return undefined;
  // A background subagent may ask after its parent's turn has ended and while a later one runs.
  if (facts.background.some((task) => task.kind === "subagent")) return undefined;
  const { phase } = facts;
  switch (phase.kind) {
    case "none":
      return undefined;
    case "running":
      return isLater(phase.since, match.since, facts.now) ? "a later turn began" : undefined;
    case "ended":
    case "failed":
      return isLater(phase.at, match.since, facts.now) ? "the turn ended after that" : undefined;
  }
}

/** A time that lies ahead is of another clock and proves nothing. */
function isLater(at: EpochMs, than: EpochMs, now: EpochMs): boolean {
  return at > than && at <= now + clockSlackMs;
}

/** What refutes an open dialog that only the transcript shows. */
export function dialogIsGone(facts: StatusFacts): string | undefined {
  if (facts.phase?.kind === "ended" && facts.phase.how === "interrupted") return "the turn was interrupted";
  if (facts.liveness === "live" || facts.record !== undefined || isFresh(facts)) return undefined;
  return "no process and no record of it is known, and its transcript has been silent for 15 min";
}

export function busyAfter(facts: StatusFacts, at: EpochMs | undefined): string | undefined {
  const { record } = facts;
  if (record?.trust !== "own" || record.status !== "busy" || record.since === undefined || at === undefined)
    return undefined;
  return record.since > at ? "the record says busy since a later time" : undefined;
}

/**
 * The end of the turn that a record is busy with: what the turn started may run on, or the record was never written
 * again, as after an overwrite; it follows its turn's end within moments.
 */
export function turnIsOver(facts: StatusFacts): string | undefined {
  if (!endedSince(facts, facts.record?.since)) return undefined;
  if (facts.background.length > 0) return "its turn ended after that and background tasks run";
  const { phase } = facts;
  if (phase?.kind !== "ended" || !phase.marked || facts.now - phase.at < recordFollowsMs) return undefined;
  return "its turn ended after that, and no later one began";
}

export function backgroundIsOver(facts: StatusFacts): string | undefined {
  const { record } = facts;
  if (facts.liveness !== "live") return isFresh(facts) ? undefined : "no process is known and nothing moved for 15 min";
  const newest = Math.max(...facts.background.map((task) => task.since));
  // Written at the moment the last task is gone; a record from before the task started proves nothing.
  if (record?.trust === "own" && record.status === "idle" && (record.since ?? 0) > newest) {
    return "the record says idle, later than any task began";
  }
  return undefined;
}

/** Why a turn without an end is believed to be over; undefined while it is not. */
export function turnStoppedSilently(facts: StatusFacts): string | undefined {
  const { record, lastSignAt } = facts;
  if (lastSignAt === undefined) return undefined;
  const silentMs = facts.now - lastSignAt;
  if (facts.liveness !== "live")
    return silentMs < silentStopMs ? undefined : "silent for 15 min, and no process is known";
  if (record?.trust !== "own" || record.status === undefined) {
    if (silentMs < silentStopMs || facts.openCalls.length > 0) return undefined;
    return "silent stop: no sign for 15 min, and no record that tells more";
  }
  // `shell`: the turn is over and a background shell runs.
  if (record.status !== "idle" && record.status !== "shell") return undefined;
  if (record.since !== undefined && record.since > lastSignAt)
    return `the record went ${record.status} after the turn's last sign`;
  return silentMs < silentStopMs ? undefined : `silent stop: no sign for 15 min, and the record says ${record.status}`;
}

/** A record says idle also while a question is open, which only the transcript shows. */
export function transcriptUnread(facts: StatusFacts): string | undefined {
  return facts.transcript === "unread"
    ? "its transcript could not be read whole, and a call may be open in it"
    : undefined;
}

export function livenessGone(facts: StatusFacts): string | undefined {
  return facts.liveness === "live" || isFresh(facts) ? undefined : "no process of it is known";
}

export function isFresh(facts: StatusFacts): boolean {
  return facts.lastSignAt !== undefined && facts.now - facts.lastSignAt < silentStopMs;
}

export function hasTurn(facts: StatusFacts): boolean {
  return facts.phase !== undefined && facts.phase.kind !== "none";
}

export function signAfterStart(facts: StatusFacts): boolean {
  if (facts.lastSignAt === undefined || facts.processStartedAt === undefined) return false;
  // A time that no record told, which is 0, is no earlier time.
  return facts.lastSignAt === 0 || facts.lastSignAt >= facts.processStartedAt;
}

function endedSince(facts: StatusFacts, since: EpochMs | undefined): boolean {
  return facts.phase?.kind === "ended" && since !== undefined && facts.phase.at >= since;
}
