// Times as a client reads them.
import type { EpochMs } from "../../base/clock.ts";
import { latestShownMs } from "../../base/limits.ts";

/** The same times are shown again and again, and putting one into words costs more than the rest of a row. */
const words = new Map<EpochMs, string>();
const wordsKept = 5_000;

/** A time of a file or a record may be anything; what a client reads is between the years 1970 and 9999. */
export function iso(at: EpochMs): string {
  const known = words.get(at);
  if (known !== undefined) return known;
  if (words.size >= wordsKept) words.clear();
  const text = new Date(Math.min(Math.max(at, 0), latestShownMs)).toISOString();
  words.set(at, text);
  return text;
}
