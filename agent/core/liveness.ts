// The ladder of liveness: process first, then a probe in its sandbox, then the session's record, then its transcript. `ended` needs a positive
// fact; a rung that cannot tell leaves the row unknown or at what was last known, with its age.
import type { EpochMs } from "../../base/clock.ts";
import type { LivenessVerdict, ProbedOnSession, SessionSources } from "./livenessVerdict.ts";
import type { Monitor, RecordMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { probeRung } from "./probeRung.ts";
import { processRung } from "./processRung.ts";
import { recordRung } from "./recordRung.ts";

export type { ClaimOnSession, EndedHow, LivenessVerdict, SessionSources } from "./livenessVerdict.ts";

export function decideLiveness(monitor: Monitor, session: SessionSources, now: EpochMs): LivenessVerdict {
  const byProcess = session.claims.flatMap((claim) => processRung(monitor, session, claim, now) ?? []);
  const byProbe = probeVerdict(session.probed, byProcess, now);
  const byRecord = session.records.flatMap((record) =>
    isOfProbed(session.probed, record) && byProbe.length > 0
      ? []
      : (recordRung(monitor, session.configDir, record) ?? []),
  );
  const verdicts = [...byProcess, ...byProbe, ...byRecord];
  const allLive = verdicts.filter((verdict) => verdict.kind === "live");
  // The stronger source speaks, not the later one, as long as it is not silent.
  const live = latest(allLive.filter(({ process, stale }) => process !== undefined && !stale)) ?? latest(allLive);
  if (live !== undefined) {
    const { process = latest(byProcess.filter(({ kind }) => kind === "live"))?.process } = live;
    return { ...live, process, heldSince: earliestStart(allLive.filter((each) => each.process !== undefined)) };
  }
  // A newer record whose process is not known to be gone outlives the end of an earlier process.
  const unknown = latest(verdicts.filter((verdict) => verdict.kind === "unknown"));
  const ended = latest(verdicts.filter((verdict) => verdict.kind === "ended"));
  if (ended !== undefined && (unknown === undefined || unknown.asOf <= ended.asOf)) return ended;
  return unknown ?? transcriptRung(session, now);
}

/** An answer from inside counts unless the kernel has said since that the process is gone. */
function probeVerdict(
  probed: ProbedOnSession | undefined,
  byProcess: readonly LivenessVerdict[],
  now: EpochMs,
): readonly LivenessVerdict[] {
  const verdict = probed === undefined ? undefined : probeRung(probed, now);
  if (verdict === undefined) return [];
  const isRefuted = byProcess.some(({ kind, asOf }) => kind === "ended" && asOf >= verdict.asOf);
  return isRefuted ? [] : [verdict];
}

/** A record that was read inside too, where its process could be asked after. */
function isOfProbed(probed: ProbedOnSession | undefined, { known }: RecordMemory): boolean {
  const record = valueOf(known);
  return record !== undefined && record.pid === probed?.session.pid && record.procStart === probed.session.start;
}

function earliestStart(verdicts: readonly LivenessVerdict[]): EpochMs | undefined {
  if (verdicts.length === 0) return undefined;
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
