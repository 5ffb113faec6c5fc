// The ladder's lowest rung: what a registry says of a session's life. A departure ends it, unless the session was seen
// alive or at work since; being recorded proves no life. The rungs above are `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { momentOf } from "../../protocol/files/tolerant.ts";
import { iso } from "./isoTime.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { RecordedSession } from "./recorded.ts";

/** Transcripts and registries may be written by two clocks, and a session writes a last line while it ends. */
const afterwordMs = 60_000;

export function withRegistry(
  verdict: LivenessVerdict,
  recorded: RecordedSession | undefined,
  { now, lastSignAt }: { readonly now: EpochMs; readonly lastSignAt: EpochMs | undefined },
): LivenessVerdict {
  if (recorded === undefined || verdict.kind === "ended") return verdict;
  const { departedAt, registry, sandbox } = recorded;
  const base = { source: registry.source, stale: registry.stale !== undefined };
  if (departedAt !== undefined) {
    const seenSince =
      (verdict.kind === "live" && (!verdict.stale || verdict.asOf >= departedAt)) ||
      (lastSignAt !== undefined && Math.min(lastSignAt, now) > departedAt + afterwordMs);
    if (seenSince) return verdict;
    const at = momentOf(departedAt) === undefined ? undefined : Math.min(departedAt, now);
    const when = at === undefined ? "a time that cannot be read" : iso(at);
    return {
      ...base,
      kind: "ended",
      how: "departed",
      asOf: at ?? registry.asOf,
      endedAt: at,
      says: `departed from ${sandbox} at ${when}, as the registry says`,
      process: verdict.process,
    };
  }
  if (verdict.kind === "live" || verdict.source !== "none") return verdict;
  return {
    ...verdict,
    ...base,
    asOf: registry.asOf,
    says: `recorded in ${sandbox}, which proves no life; no other source knows it`,
  };
}
