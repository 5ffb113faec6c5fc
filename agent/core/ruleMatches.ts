// What the status rules match on: an open call, what the record says, an ended turn. What speaks against a match is
// `counterEvidence.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { StatusWhy } from "../../protocol/roster.ts";
import type { StatusFacts } from "./statusFacts.ts";

/** An open call without any child process for this long probably waits for a permission. */
const likelyAskMs = 30_000;
/** Tools that may ask for a permission, so that silence below them is a sign. */
const askingTools = new Set(["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch"]);

export interface Match {
  readonly since?: EpochMs | undefined;
  readonly until?: EpochMs | undefined;
  readonly says: string;
  readonly why?: StatusWhy;
}

export function openCallOf(facts: StatusFacts, tools: ReadonlySet<string>, says: string): Match | undefined {
  const open = [...facts.openCalls, ...facts.subagentCalls].find((call) => tools.has(call.tool));
  return open === undefined ? undefined : { since: open.since, says: `${open.tool} is open: it ${says}` };
}

export function callWithoutChild(facts: StatusFacts): Match | undefined {
  if (facts.record?.status !== undefined || facts.childless === undefined) return undefined;
  const open = [...facts.openCalls, ...facts.subagentCalls].find((call) => askingTools.has(call.tool));
  if (open === undefined) return undefined;
  // Tables that failed since then tell nothing of children.
  const quietSince = Math.max(open.since, facts.childless.since);
  if (facts.childless.asOf - quietSince < likelyAskMs) return undefined;
  return { since: open.since, says: `a guess: ${open.tool} is open and has run no child process for 30 s` };
}

export function ownRecord(facts: StatusFacts, status: string, says: string): Match | undefined {
  const { record } = facts;
  if (record?.trust !== "own" || record.status !== status) return undefined;
  return { since: record.since, says };
}

export function recordWaits(facts: StatusFacts, fits: (waitingFor: string | undefined) => boolean): Match | undefined {
  const { record } = facts;
  if (record?.status !== "waiting" || !fits(record.waitingFor)) return undefined;
  const says = `the session's record waits: ${record.waitingFor ?? "it does not say for what"}`;
  if (record.trust === "own") return { since: record.since, says };
  // Another session of that folder may have written it; a call that is open in this one's transcript confirms it.
  const [open] = [...facts.openCalls, ...facts.subagentCalls];
  return open === undefined ? undefined : { since: record.since, says: `${says}, and ${open.tool} is open` };
}

export function recordIdle(facts: StatusFacts, ageFits: (ageMs: number) => boolean): Match | undefined {
  const match = ownRecord(facts, "idle", "the session's record says idle");
  if (match === undefined || !ageFits(facts.now - (match.since ?? facts.now))) return undefined;
  return match;
}

export function turnEnded(facts: StatusFacts, ageFits: (ageMs: number) => boolean): Match | undefined {
  if (facts.phase?.kind !== "ended") return undefined;
  if (!ageFits(facts.now - facts.phase.at)) return undefined;
  return {
    since: facts.phase.at,
    says: facts.phase.how === "interrupted" ? "the turn was interrupted" : "the turn ended",
  };
}

export function missingFacts(facts: StatusFacts): string {
  const missing: string[] = [];
  if (facts.liveness === "unknown") missing.push("no source can tell whether its process lives");
  if (facts.record === undefined) missing.push("it has no readable session record");
  else if (facts.record.trust === "none")
    missing.push("its record is written by another session too, so alone it tells nothing");
  else if (facts.record.status === undefined) missing.push("its record has no status");
  if (facts.phase === undefined) missing.push("its transcript was not read");
  else if (facts.phase.kind === "none") missing.push("its transcript shows no turn");
  return missing.length === 0 ? "the facts fit no rule" : missing.join("; ");
}
