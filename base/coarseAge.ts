// Ages as people say them. Coarse on purpose: a shown age that changes each second would repaint rows in which
// nothing happened.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "just now", "3 min", "2 h", "4 d". An age below zero, of another clock, counts as none. */
export function coarseAge(ageMs: number): string {
  if (ageMs < minuteMs) return "just now";
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min`;
  if (ageMs < dayMs) return `${Math.floor(ageMs / hourMs)} h`;
  return `${Math.floor(ageMs / dayMs)} d`;
}

/** "just now", "3 min ago". */
export function coarseAgo(ageMs: number): string {
  return ageMs < minuteMs ? "just now" : `${coarseAge(ageMs)} ago`;
}

/** For marks that stand after a word, as in "stale 2 min" and "stale < 1 min". */
export function coarseSpan(ageMs: number): string {
  return ageMs < minuteMs ? "< 1 min" : coarseAge(ageMs);
}
