// When rows are derived again though nothing was heard: some rules wait for time to pass. The more rows, the rarer, so
// that it costs the same; and rarer still once time alone has changed nothing for a while. A source that falls silent is
// no such change: it is asked about at every tick, and costs nothing that grows with the rows.
import type { EpochMs } from "../../base/clock.ts";
import type { Roster } from "../../protocol/roster.ts";
import type { Monitor } from "./monitor.ts";
import { projectSources } from "./sourceStates.ts";

const tick = { leastMs: 2_000, mostMs: 15_000, eachRowMs: 50 } as const;
/** Once that many looks in a row found nothing to tell. */
const resting = { mostMs: 60_000, eachRowMs: 120, after: 2 } as const;

export interface Compared {
  readonly at: EpochMs;
  /** So many times in a row there was nothing to tell. */
  readonly quiet: number;
}

export const neverCompared: Compared = { at: 0, quiet: 0 };

export function comparedAgain({ quiet }: Compared, at: EpochMs, change: unknown): Compared {
  return { at, quiet: change === undefined ? quiet + 1 : 0 };
}

export function clockTickMs({ sessions }: Pick<Roster, "sessions">): number {
  return Math.min(tick.mostMs, Math.max(tick.leastMs, sessions.length * tick.eachRowMs));
}

/** At a tick of the clock, without news. */
export function isDueByClock(
  { at, quiet }: Compared,
  told: Pick<Roster, "sessions" | "sources">,
  monitor: Monitor,
  now: EpochMs,
): boolean {
  if (quiet < resting.after) return true;
  if (now - at >= Math.min(resting.mostMs, told.sessions.length * resting.eachRowMs)) return true;
  const sources = projectSources(monitor, now);
  return sources.length !== told.sources.length || sources.some(({ state }, at) => state !== told.sources[at]?.state);
}
