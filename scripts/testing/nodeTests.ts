// The tests that Node's own runner runs: one group for each folder of test/, in an order that fails early. A folder
// that this file does not know runs after those it knows, so that none is forgotten.
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import type { Outcome } from "./outcome.ts";
import { root } from "./tool.ts";

export interface TestGroup {
  readonly name: string;
  readonly files: readonly string[];
}

const order = ["unit", "contract", "sim", "laws", "cases", "daemon", "support"];
/** Real processes and real time: these run one file after the other. */
const alone = new Set(["daemon", "support"]);
/** Run by a VS Code, a browser or by hand. */
const elsewhere = new Set(["vscode", "bench", "fixtures"]);
const testDeadlineMs = 300_000;
/** Ends also a file whose tests are over and whose process is not. */
const groupDeadlineMs = 600_000;

export function testGroups(): readonly TestGroup[] {
  const groups = new Map<string, string[]>(order.map((name) => [name, []]));
  for (const file of globSync("test/*/**/*.test.ts", { cwd: root }).sort()) {
    const name = file.split(/[\\/]/)[1] ?? "";
    if (!elsewhere.has(name)) groups.set(name, [...(groups.get(name) ?? []), join(root, file)]);
  }
  return [...groups].flatMap(([name, files]) => (files.length === 0 ? [] : [{ name, files }]));
}

export function runGroup({ name, files }: TestGroup): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stream = run({
      files: [...files],
      cwd: root,
      concurrency: alone.has(name) ? 1 : Math.min(availableParallelism(), 4),
      timeout: testDeadlineMs,
      signal: AbortSignal.timeout(groupDeadlineMs),
    });
    let outcome: Outcome | undefined;
    stream.on("test:summary", ({ counts, file }) => {
      if (file !== undefined) return;
      const { passed, skipped, todo, tests } = counts;
      outcome = { passed, failed: tests - passed - skipped - todo, skipped: skipped + todo };
    });
    stream.once("error", reject);
    const report = stream.compose(spec);
    report.once("end", () => {
      if (outcome === undefined) reject(new Error(`the tests in ${name} ended without a summary`));
      else resolve(outcome);
    });
    report.pipe(process.stdout, { end: false });
  });
}
