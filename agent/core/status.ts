// A session's status: a table of rules, each with the name that is shown and the counter-evidence that refutes
// it. A refuted rule does not match; then the first match wins. Rules look only at facts and the time passed
// in, so the same facts give the same status on a tick that read nothing.
import type { EpochMs } from "../../base/clock.ts";
import type { StatusKind, StatusWhy } from "../../protocol/roster.ts";
import type { BackgroundWork, OpenCall, TurnPhase } from "./turns.ts";

const minuteMs = 60_000;
/** A turn that ended waits for its user this long before it counts as idle. */
export const waitingMs = 10 * minuteMs;
/** A turn without an end, a sign or a busy process is believed this long. */
export const silentStopMs = 15 * minuteMs;
/** An open call without any child process for this long probably waits for a permission. */
export const likelyAskMs = 30_000;

export interface RecordStatus {
  readonly status: string | undefined;
  readonly waitingFor: string | undefined;
  readonly since: EpochMs | undefined;
  /** `own`: written in our pid namespace, so it is this session's; `hint`: another session may have written it. */
  readonly trust: "own" | "hint";
}

export interface StatusFacts {
  readonly now: EpochMs;
  readonly liveness: "live" | "ended" | "unknown";
  readonly endedAt: EpochMs | undefined;
  readonly processStartedAt: EpochMs | undefined;
  /** Undefined where no record was ever read. */
  readonly record: RecordStatus | undefined;
  /** Undefined where no transcript was ever read. */
  readonly phase: TurnPhase | undefined;
  /** Open calls of the living process; those of an earlier one are abandoned and not here. */
  readonly openCalls: readonly OpenCall[];
  readonly background: readonly BackgroundWork[];
  readonly lastSignAt: EpochMs | undefined;
  /** While which time whole process tables show no child; undefined where there is one or nothing is known. */
  readonly childless: { readonly since: EpochMs; readonly asOf: EpochMs } | undefined;
}

export interface StatusVerdict {
  readonly kind: StatusKind;
  readonly why?: StatusWhy;
  readonly rule: string;
  readonly since?: EpochMs;
  readonly until?: EpochMs;
  /** Rules that matched and were refuted, with the counter-evidence. */
  readonly refuted: readonly { readonly rule: string; readonly by: string }[];
  /** What the deciding rule rests on, in words. */
  readonly says: string;
}

interface Match {
  readonly since?: EpochMs | undefined;
  readonly says: string;
  readonly why?: StatusWhy;
}

export interface StatusRule {
  readonly name: string;
  readonly kind: StatusKind;
  readonly why?: StatusWhy;
  matches(facts: StatusFacts): Match | undefined;
  /** The counter-evidence in words, where there is some. */
  refutedBy(facts: StatusFacts, match: Match): string | undefined;
}

const irrefutable = (): undefined => undefined;
const questionTools = new Set(["AskUserQuestion"]);
const planTools = new Set(["ExitPlanMode"]);
/** Tools that may ask for a permission, so that silence below them is a sign. */
const askingTools = new Set(["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch"]);
const waitsForPermission = new Set(["permission prompt", "sandbox request", "worker request"]);
const waitsForInput = new Set(["input needed", "dialog open"]);

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
  {
    name: "call-open-without-child",
    kind: "needs-you",
    why: "likely",
    matches: (facts) => {
      if (facts.record?.status !== undefined || facts.childless === undefined) return undefined;
      const open = facts.openCalls.find((call) => askingTools.has(call.tool));
      if (open === undefined) return undefined;
      // Tables that failed since then tell nothing of children.
      const quietSince = Math.max(open.since, facts.childless.since);
      if (facts.childless.asOf - quietSince < likelyAskMs) return undefined;
      return { since: open.since, says: `a guess: ${open.tool} is open and has run no child process for 30 s` };
    },
    refutedBy: dialogIsGone,
  },
  {
    name: "turn-failed",
    kind: "error",
    matches: (facts) =>
      facts.phase?.kind === "failed"
        ? { since: facts.phase.at, says: facts.phase.says, why: facts.phase.why }
        : undefined,
    refutedBy: (facts) => busyAfter(facts, facts.phase?.kind === "failed" ? facts.phase.at : undefined),
  },
  {
    name: "record-busy",
    kind: "working",
    matches: (facts) => ownRecord(facts, "busy", "the session's record says busy"),
    refutedBy: (facts) => {
      if (facts.background.length === 0 || !endedSince(facts, facts.record?.since)) return undefined;
      return "its turn ended after that and background tasks run";
    },
  },
  {
    name: "call-open",
    kind: "working",
    matches: (facts) => {
      const [first] = facts.openCalls;
      return first === undefined ? undefined : { since: first.since, says: `${first.tool} has no result yet` };
    },
    refutedBy: (facts) => {
      if (facts.liveness === "live" || isFresh(facts)) return undefined;
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
    refutedBy: turnStoppedSilently,
  },
  {
    name: "background-open",
    kind: "background",
    matches: (facts) => {
      const [first] = facts.background;
      if (first === undefined) return undefined;
      return { since: first.since, says: `the turn ended, ${facts.background.length} background task(s) run` };
    },
    refutedBy: (facts) => {
      const { record } = facts;
      if (facts.liveness !== "live")
        return isFresh(facts) ? undefined : "no process is known and nothing moved for 15 min";
      const newest = Math.max(...facts.background.map((task) => task.since));
      // Written at the moment the last task is gone; a record from before the task started proves nothing.
      if (record?.trust === "own" && record.status === "idle" && (record.since ?? 0) > newest) {
        return "the record says idle, later than any task began";
      }
      return undefined;
    },
  },
  {
    name: "record-shell",
    kind: "background",
    matches: (facts) => ownRecord(facts, "shell", "the record says that a background shell runs"),
    refutedBy: irrefutable,
  },
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
    refutedBy: irrefutable,
  },
  {
    name: "record-idle",
    kind: "waiting",
    matches: (facts) => recordIdle(facts, (age) => age < waitingMs),
    refutedBy: irrefutable,
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
    name: "nothing-can-tell",
    kind: "unknown",
    matches: (facts) => ({ since: facts.lastSignAt, says: missingFacts(facts) }),
    refutedBy: irrefutable,
  },
];

/** The first rule that matches and is not refuted; the last one always does. */
export function decideStatus(facts: StatusFacts, rules: readonly StatusRule[] = statusRules): StatusVerdict {
  const refuted: { rule: string; by: string }[] = [];
  for (const rule of rules) {
    const match = rule.matches(facts);
    if (match === undefined) continue;
    const by = rule.refutedBy(facts, match);
    if (by !== undefined) {
      refuted.push({ rule: rule.name, by });
      continue;
    }
    const why = match.why ?? rule.why;
    return {
      kind: rule.kind,
      rule: rule.name,
      says: match.says,
      refuted,
      ...(why === undefined ? {} : { why }),
      ...(match.since === undefined ? {} : { since: match.since }),
    };
  }
  return { kind: "unknown", rule: "nothing-can-tell", says: missingFacts(facts), refuted };
}

function openCallOf(facts: StatusFacts, tools: ReadonlySet<string>, says: string): Match | undefined {
  const open = facts.openCalls.find((call) => tools.has(call.tool));
  return open === undefined ? undefined : { since: open.since, says: `${open.tool} is open: it ${says}` };
}

function ownRecord(facts: StatusFacts, status: string, says: string): Match | undefined {
  const { record } = facts;
  if (record?.trust !== "own" || record.status !== status) return undefined;
  return { since: record.since, says };
}

function recordWaits(facts: StatusFacts, waits: ReadonlySet<string>): Match | undefined {
  const { record } = facts;
  if (record?.status !== "waiting" || !waits.has(record.waitingFor ?? "")) return undefined;
  const says = `the session's record waits: ${record.waitingFor ?? ""}`;
  if (record.trust === "own") return { since: record.since, says };
  // Another session of that folder may have written it; a call that is open in this one's transcript confirms it.
  const [open] = facts.openCalls;
  return open === undefined ? undefined : { since: record.since, says: `${says}, and ${open.tool} is open` };
}

/** Only the call's own answer or a later turn settles a prompt; other traffic proves nothing. */
function answeredSince(facts: StatusFacts, match: Match): string | undefined {
  if (match.since === undefined || facts.phase === undefined) return undefined;
  // A background subagent may ask after its parent's turn has ended and while a later one runs.
  if (facts.background.some((task) => task.kind === "subagent")) return undefined;
  const { phase } = facts;
  switch (phase.kind) {
    case "none":
      return undefined;
    case "running":
      return phase.since > match.since ? "a later turn began" : undefined;
    case "ended":
    case "failed":
      return phase.at > match.since ? "the turn ended after that" : undefined;
  }
}

/** What refutes an open dialog that only the transcript shows. */
function dialogIsGone(facts: StatusFacts): string | undefined {
  if (facts.phase?.kind === "ended" && facts.phase.how === "interrupted") return "the turn was interrupted";
  if (facts.liveness === "live" || facts.record !== undefined || isFresh(facts)) return undefined;
  return "no process and no record of it is known, and its transcript has been silent for 15 min";
}

function busyAfter(facts: StatusFacts, at: EpochMs | undefined): string | undefined {
  const { record } = facts;
  if (record?.trust !== "own" || record.status !== "busy" || record.since === undefined || at === undefined)
    return undefined;
  return record.since > at ? "the record says busy since a later time" : undefined;
}

function endedSince(facts: StatusFacts, since: EpochMs | undefined): boolean {
  return facts.phase?.kind === "ended" && since !== undefined && facts.phase.at >= since;
}

/** Why a turn without an end is believed to be over; undefined while it is not. */
function turnStoppedSilently(facts: StatusFacts): string | undefined {
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

function turnEnded(facts: StatusFacts, ageFits: (ageMs: number) => boolean): Match | undefined {
  if (facts.phase?.kind !== "ended") return undefined;
  if (!ageFits(facts.now - facts.phase.at)) return undefined;
  return {
    since: facts.phase.at,
    says: facts.phase.how === "interrupted" ? "the turn was interrupted" : "the turn ended",
  };
}

function livenessGone(facts: StatusFacts): string | undefined {
  return facts.liveness === "live" || isFresh(facts) ? undefined : "no process of it is known";
}

function recordIdle(facts: StatusFacts, ageFits: (ageMs: number) => boolean): Match | undefined {
  const match = ownRecord(facts, "idle", "the session's record says idle");
  if (match === undefined || !ageFits(facts.now - (match.since ?? facts.now))) return undefined;
  return match;
}

function isFresh(facts: StatusFacts): boolean {
  return facts.lastSignAt !== undefined && facts.now - facts.lastSignAt < silentStopMs;
}

function hasTurn(facts: StatusFacts): boolean {
  return facts.phase !== undefined && facts.phase.kind !== "none";
}

function signAfterStart(facts: StatusFacts): boolean {
  if (facts.lastSignAt === undefined || facts.processStartedAt === undefined) return false;
  return facts.lastSignAt >= facts.processStartedAt;
}

function missingFacts(facts: StatusFacts): string {
  const missing: string[] = [];
  if (facts.liveness === "unknown") missing.push("no source can tell whether its process lives");
  if (facts.record === undefined) missing.push("it has no readable session record");
  else if (facts.record.status === undefined) missing.push("its record has no status");
  if (facts.phase === undefined) missing.push("its transcript was not read");
  else if (facts.phase.kind === "none") missing.push("its transcript shows no turn");
  return missing.length === 0 ? "the facts fit no rule" : missing.join("; ");
}
