// When a sandbox is asked next, from inside: at once when it was started, soon again while sessions live in it that this
// kernel does not show, rarely otherwise, and the more rarely the more often it did not prove itself. Only one that runs
// is asked.
import { backoffDelayMs } from "../../base/backoff.ts";
import type { EpochMs } from "../../base/clock.ts";
import { periods } from "../../base/limits.ts";
import type { SourceId } from "../../protocol/observation.ts";
import type { ProbeMemory } from "./probeMemory.ts";
import type { ListedSandbox } from "./sandboxListing.ts";

export interface ProbeOccasion {
  readonly now: EpochMs;
  /** Somebody asked for a look at everything. */
  readonly wanted: boolean;
  /** This kernel shows every session that lives in it. */
  readonly isSeen: boolean;
}

export function isProbeDue(
  { state, run }: Pick<ListedSandbox, "state" | "run">,
  memory: ProbeMemory | undefined,
  { now, wanted, isSeen }: ProbeOccasion,
): boolean {
  if (state !== "running") return false;
  if (memory === undefined || memory.askedRun !== run) return true;
  const { answer, lastRefusal, failures } = memory;
  const askedAt = lastRefusal?.at ?? (answer.kind === "never" ? 0 : answer.asOf);
  const age = now - askedAt;
  if (wanted) return age >= periods.probeRestMs;
  if (lastRefusal !== undefined) return age >= backoffDelayMs(periods.probeBackoffMs, failures - 1, 1);
  // A list is taken a little early or late.
  return age >= periodOf(memory, isSeen) - periods.probeRestMs;
}

function periodOf({ source, sessions }: ProbeMemory, isSeen: boolean): number {
  if (isSeen) return periods.seenProbeMs;
  const hasSessions = [...sessions.values()].some(({ life }) => life.kind !== "gone");
  return hasSessions ? probePeriodOf(source) : Math.max(periods.quietProbeMs, probePeriodOf(source));
}

/** Podman keeps two processes for each program that was run, five minutes long. */
export function probePeriodOf(source: SourceId): number {
  return source.startsWith("sandboxes:podman") ? periods.podmanProbeMs : periods.probeMs;
}
