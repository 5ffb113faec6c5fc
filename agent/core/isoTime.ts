// Times as a client reads them.
import type { EpochMs } from "../../base/clock.ts";
import { latestShownMs } from "../../base/limits.ts";

/** A time of a file or a record may be anything; what a client reads is between the years 1970 and 9999. */
export function iso(at: EpochMs): string {
  return new Date(Math.min(Math.max(at, 0), latestShownMs)).toISOString();
}
