// A benchmark's figure: what was measured, in words, and as a ratio to the peer or the limit of the same run. Above 1 it
// is outside, and the run fails.

export interface Figure {
  readonly what: string;
  readonly words: string;
  /** Measured divided by what it is held against. */
  readonly ratio: number;
}

export function against(what: string, measured: number, limit: number, unit: string, note = ""): Figure {
  const words = `${round(measured)} of ${round(limit)} ${unit}${note === "" ? "" : `, ${note}`}`;
  return { what, words, ratio: measured / limit };
}

export function figureLine({ what, words, ratio }: Figure): string {
  const verdict = isWithin({ ratio }) ? "within " : "OUTSIDE";
  return `${verdict}  ${ratio.toFixed(2).padStart(5)}  ${what}: ${words}\n`;
}

/** What could not be measured is not within. */
export function isWithin({ ratio }: Pick<Figure, "ratio">): boolean {
  return ratio <= 1;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** For what is counted in ticks: one run is told roughly, many are told well. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Medians of works that take turns, so that a load that comes and goes meets them all; the first turn warms up. */
export async function takeTurns(rounds: number, works: readonly (() => Promise<number>)[]): Promise<readonly number[]> {
  const found = works.map((): number[] => []);
  for (let turn = 0; turn <= rounds; turn += 1) {
    for (const [index, work] of works.entries()) {
      const value = await work();
      if (turn > 0) found[index]?.push(value);
    }
  }
  return found.map(median);
}

/** How many times as long the first takes as the second, turn by turn: what else runs meets both alike. */
export function medianOfPairs(first: readonly number[], second: readonly number[]): number {
  return median(first.map((value, index) => value / (second[index] ?? Number.NaN)));
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(value < 1 ? 3 : 1);
}
