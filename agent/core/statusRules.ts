// The table of status rules, the most urgent first: each has the name that is shown, what it matches and the
// counter-evidence that refutes it. Which of them decides is `status.ts`.
import { amount } from "../../base/amount.ts";
import {
  answeredSince,
  backgroundIsOver,
  busyAfter,
  dialogIsGone,
  turnIsOver,
  hasTurn,
  isFresh,
  livenessGone,
  signAfterStart,
  turnStoppedSilently,
  transcriptUnread,
} from "./counterEvidence.ts";
import {
  hookAsks,
  hookBackground,
  hookBeganTurn,
  hookCompacting,
  hookEndedTurn,
  hookNotice,
  hookTurnEnded,
  hookTurnEndedLongAgo,
  hookTurnFailed,
  hookTurnRunning,
} from "./hookRules.ts";
import {
  callWithoutChild,
  missingFacts,
  openCallOf,
  ownRecord,
  recordIdle,
  recordWaits,
  turnEnded,
} from "./ruleMatches.ts";
import type { StatusRule } from "./statusRule.ts";

/** A turn that ended waits for its user this long before it counts as idle. */
const waitingMs = 10 * 60_000;
const questionTools = new Set(["AskUserQuestion"]);
const planTools = new Set(["ExitPlanMode"]);
const permissions = new Set(["permission prompt", "sandbox request", "worker request"]);
const waitsForPermission = (waitingFor: string | undefined): boolean => permissions.has(waitingFor ?? "");
/** Whatever else it waits for, in words of whatever version, only its user can give. */
const waitsForInput = (waitingFor: string | undefined): boolean => !waitsForPermission(waitingFor);
const irrefutable = (): undefined => undefined;

export const statusRules: readonly StatusRule[] = [
  {
    name: "session-ended",
    kind: "ended",
    matches: (facts) =>
      facts.liveness === "ended" ? { since: facts.endedAt, says: "the session has ended" } : undefined,
    refutedBy: irrefutable,
  },
  {
    name: "plan-open",
    kind: "needs-you",
    why: "plan",
    matches: (facts) => openCallOf(facts, planTools, "asks to accept its plan"),
    refutedBy: dialogIsGone,
  },
  {
    name: "question-open",
    kind: "needs-you",
    why: "question",
    matches: (facts) => openCallOf(facts, questionTools, "asks a question"),
    refutedBy: dialogIsGone,
  },
  {
    name: "record-waits-for-permission",
    kind: "needs-you",
    why: "permission",
    matches: (facts) => recordWaits(facts, waitsForPermission),
    refutedBy: answeredSince,
  },
  {
    name: "record-waits-for-input",
    kind: "needs-you",
    why: "question",
    matches: (facts) => recordWaits(facts, waitsForInput),
    refutedBy: answeredSince,
  },
  hookAsks,
  hookNotice,
  {
    name: "call-open-without-child",
    kind: "needs-you",
    why: "likely",
    matches: callWithoutChild,
    refutedBy: dialogIsGone,
  },
  {
    name: "turn-failed",
    kind: "error",
    matches: (facts) =>
      facts.phase?.kind === "failed"
        ? { since: facts.phase.at, until: facts.phase.until, says: facts.phase.says, why: facts.phase.why }
        : undefined,
    refutedBy: (facts) =>
      busyAfter(facts, facts.phase?.kind === "failed" ? facts.phase.at : undefined) ?? hookBeganTurn(facts),
  },
  hookTurnFailed,
  hookCompacting,
  {
    name: "record-busy",
    kind: "working",
    matches: (facts) => ownRecord(facts, "busy", "the session's record says busy"),
    refutedBy: turnIsOver,
  },
  {
    name: "call-open",
    kind: "working",
    matches: (facts) => {
      const [first] = facts.openCalls;
      return first === undefined ? undefined : { since: first.since, says: `${first.tool} has no result yet` };
    },
    refutedBy: (facts) => {
      if (facts.liveness === "live" || isFresh(facts)) return hookEndedTurn(facts);
      return "no process is known and the transcript has been silent for 15 min";
    },
  },
  {
    name: "turn-running",
    kind: "working",
    matches: (facts) =>
      facts.phase?.kind === "running"
        ? { since: facts.phase.since, says: "a turn began and has no end yet" }
        : undefined,
    refutedBy: (facts) => turnStoppedSilently(facts) ?? hookEndedTurn(facts),
  },
  hookTurnRunning,
  {
    name: "background-open",
    kind: "background",
    matches: (facts) => {
      const [first] = facts.background;
      if (first === undefined) return undefined;
      return {
        since: first.since,
        says: `the turn ended, still running: ${amount(facts.background.length, "background task")}`,
      };
    },
    refutedBy: backgroundIsOver,
  },
  {
    name: "record-shell",
    kind: "background",
    matches: (facts) => ownRecord(facts, "shell", "the record says that a background shell runs"),
    refutedBy: irrefutable,
  },
  hookBackground,
  {
    name: "record-without-status",
    kind: "starting",
    matches: (facts) => {
      if (facts.liveness !== "live" || facts.record === undefined || facts.record.status !== undefined)
        return undefined;
      return { since: facts.processStartedAt, says: "its process runs, its record has no status yet" };
    },
    refutedBy: (facts) => (hasTurn(facts) && signAfterStart(facts) ? "a turn of this process was seen" : undefined),
  },
  hookTurnEndedLongAgo,
  hookTurnEnded,
  {
    name: "turn-ended-long-ago",
    kind: "idle",
    matches: (facts) => turnEnded(facts, (age) => age >= waitingMs),
    refutedBy: livenessGone,
  },
  {
    name: "turn-ended",
    kind: "waiting",
    matches: (facts) => turnEnded(facts, (age) => age < waitingMs),
    refutedBy: livenessGone,
  },
  {
    name: "silent-stop",
    kind: "waiting",
    matches: (facts) => {
      if (facts.liveness !== "live" || facts.phase?.kind !== "running") return undefined;
      const stopped = turnStoppedSilently(facts);
      return stopped === undefined ? undefined : { since: facts.record?.since ?? facts.lastSignAt, says: stopped };
    },
    refutedBy: irrefutable,
  },
  {
    name: "record-idle-long-ago",
    kind: "idle",
    matches: (facts) =>
      recordIdle(facts, (age) => age >= waitingMs || facts.phase === undefined || facts.phase.kind === "none"),
    refutedBy: transcriptUnread,
  },
  {
    name: "record-idle",
    kind: "waiting",
    matches: (facts) => recordIdle(facts, (age) => age < waitingMs),
    refutedBy: transcriptUnread,
  },
  {
    name: "record-hint",
    kind: "working",
    matches: (facts) => {
      if (facts.record?.trust !== "hint" || facts.record.status !== "busy") return undefined;
      return { since: facts.record.since, says: "a record of another pid namespace says busy, a hint only" };
    },
    refutedBy: (facts) => (facts.liveness === "live" ? undefined : "no process of it is known"),
  },
  {
    name: "record-hint-idle",
    kind: "waiting",
    matches: (facts) => {
      if (facts.record?.trust !== "hint" || facts.record.status !== "idle" || facts.liveness !== "live")
        return undefined;
      return { since: facts.record.since, says: "a record of another pid namespace says idle, a hint only" };
    },
    refutedBy: (facts) =>
      facts.openCalls.length > 0 || facts.phase?.kind === "running"
        ? "its transcript shows an open turn"
        : transcriptUnread(facts),
  },
  {
    name: "nothing-can-tell",
    kind: "unknown",
    matches: (facts) => ({ since: facts.lastSignAt, says: missingFacts(facts) }),
    refutedBy: irrefutable,
  },
];
