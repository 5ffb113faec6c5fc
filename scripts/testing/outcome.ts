// What one step of a test run came to.

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const nothing: Outcome = { passed: 0, failed: 0, skipped: 0 };

export function sum(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce(
    (all, { passed, failed, skipped }) => ({
      passed: all.passed + passed,
      failed: all.failed + failed,
      skipped: all.skipped + skipped,
    }),
    nothing,
  );
}

/** A run of nothing proves nothing; where `strict`, neither does one that left tests out. */
export function judged(outcome: Outcome, strict: boolean): Outcome {
  const { passed, failed, skipped } = outcome;
  if (passed + failed === 0) return { passed, failed: 1, skipped };
  return strict ? { passed, failed: failed + skipped, skipped: 0 } : outcome;
}

export function words({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}
