// The ladder of liveness: process first, then the session's record, then its transcript. `ended` needs a positive
// fact; a rung that cannot tell leaves the row unknown or at what was last known, with its age.
import type { EpochMs } from "../../base/clock.ts";
import type { LivenessVerdict, SessionSources } from "./livenessVerdict.ts";
import type { Monitor } from "./monitor.ts";
import { processRung } from "./processRung.ts";
import { recordRung } from "./recordRung.ts";

export type { ClaimOnSession, EndedHow, LivenessVerdict, SessionSources } from "./livenessVerdict.ts";

export function decideLiveness(monitor: Monitor, session: SessionSources, now: EpochMs): LivenessVerdict {
  const byProcess = session.claims.flatMap((claim) => processRung(monitor, session, claim, now) ?? []);
  const byRecord = session.records.flatMap((record) => recordRung(monitor, session.configDir, record) ?? []);
  const verdicts = [...byProcess, ...byRecord];
  const allLive = verdicts.filter((verdict) => verdict.kind === "live");
  const live = latest(allLive);
  if (live !== undefined) return { ...live, heldSince: earliestStart(allLive) };
  // A newer record whose process is not known to be gone outlives the end of an earlier process.
  const unknown = latest(verdicts.filter((verdict) => verdict.kind === "unknown"));
  const ended = latest(verdicts.filter((verdict) => verdict.kind === "ended"));
  if (ended !== undefined && (unknown === undefined || unknown.asOf <= ended.asOf)) return ended;
  return unknown ?? transcriptRung(session, now);
}

function earliestStart(verdicts: readonly LivenessVerdict[]): EpochMs | undefined {
  const starts = verdicts.map(({ process }) => process?.facts.startedAt);
  return starts.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.min(a, b)));
}

function latest(verdicts: readonly LivenessVerdict[]): LivenessVerdict | undefined {
  return verdicts.reduce<LivenessVerdict | undefined>(
    (best, verdict) => (best === undefined || verdict.asOf >= best.asOf ? verdict : best),
    undefined,
  );
}

function transcriptRung(session: SessionSources, now: EpochMs): LivenessVerdict {
  const seen = session.transcriptSeenAt;
  return {
    kind: "unknown",
    source: seen === undefined ? "none" : `transcripts:${session.configDir}`,
    asOf: seen ?? now,
    stale: false,
    how: undefined,
    endedAt: undefined,
    says: "only its transcript is known, which cannot tell whether a process lives",
    process: undefined,
  };
}
