// Waiting for a fact that no event announces (a file another process writes, a line on a screen): look again
// every few milliseconds until it holds or the deadline passes. The error says what was awaited and what was
// seen last. Facts with an event of their own should be awaited by that event.
import { setTimeout as pause } from "node:timers/promises";

export interface UntilOptions {
  readonly deadlineMs: number;
  readonly everyMs?: number;
  /** Described in the error, read only when the deadline passes. */
  readonly seen?: () => unknown;
}

/** Resolves with the first truthy value of `look`. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { deadlineMs, everyMs = 10, seen }: UntilOptions,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (performance.now() > end) {
      const last = seen === undefined ? "" : `; last seen: ${describe(seen())}`;
      throw new Error(`waited ${deadlineMs} ms in vain for ${what}${last}`);
    }
    await pause(everyMs);
  }
}

function describe(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
