// Growing, bounded waits between attempts. The random part is passed in.

export interface Backoff {
  readonly firstMs: number;
  readonly ceilingMs: number;
}

/** @param attempt 0 for the first wait; @param random in [0, 1), spreads many clients apart */
export function backoffDelayMs(backoff: Backoff, attempt: number, random: number): number {
  const full = Math.min(backoff.ceilingMs, backoff.firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(full * (0.75 + random * 0.25));
}
