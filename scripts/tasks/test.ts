// `npm test`: everything that must hold, in an order that fails early, with one line at the end that counts it
// all. `npm test -- --only unit,laws` runs those steps after a build. With CI=true a test that was left out failed.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runGroup, testGroups } from "../testing/nodeTests.ts";
import { judged, nothing, sum, words, type Outcome } from "../testing/outcome.ts";
import { root, runScript, runTool } from "../testing/tool.ts";

interface Step {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

const strict = process.env["CI"] === "true";
const build: Step = { name: "build", run: () => runScript(join(root, "scripts", "tasks", "build.ts"), []) };
const steps: readonly Step[] = [
  { name: "types", run: () => runTool("tsc", ["-b"]) },
  { name: "lint", run: () => runTool("eslint", [".", "--max-warnings=0"]) },
  { name: "format", run: () => runTool("prettier", ["--check", "--log-level=warn", "."]) },
  ...testGroups().map((group) => ({ name: group.name, run: () => runGroup(group) })),
  { name: "mutants", run: () => runScript(join(root, "scripts", "tasks", "mutants.ts"), []) },
  { name: "vscode", run: runInVSCode },
];

const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",").filter((name) => name !== "");
const unknown = wanted?.filter((name) => !steps.some((step) => step.name === name)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(
    `there is no step ${unknown.join(", ")}; there are ${steps.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

const startedAt = performance.now();
const results = [{ name: build.name, outcome: await runStep(build) }];
if (results[0]?.outcome.failed === 0)
  for (const step of steps)
    if (wanted?.includes(step.name) !== false) results.push({ name: step.name, outcome: await runStep(step) });
const all = sum(results.map(({ outcome }) => outcome));
const failed = results.filter(({ outcome }) => outcome.failed > 0).map(({ name }) => name);
if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.join(", ")}\n`);
process.stdout.write(`\n${words(all)} (${seconds(startedAt)})\n`);
process.exit(all.failed === 0 && all.passed > 0 ? 0 : 1);

async function runStep({ name, run }: Step): Promise<Outcome> {
  const since = performance.now();
  process.stdout.write(`\n=== ${name}\n`);
  let outcome: Outcome;
  try {
    outcome = judged(await run(), strict);
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    outcome = { ...nothing, failed: 1 };
  }
  process.stdout.write(`=== ${name}: ${words(outcome)} (${seconds(since)})\n`);
  return outcome;
}

/** Apart, since test/ is imported by nothing; its counts come back in a file. */
async function runInVSCode(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-counts-"));
  const counts = join(folder, "counts.json");
  try {
    const run = await runScript(join(root, "test", "vscode", "runSuites.ts"), ["--counts", counts]);
    const { passes, failures, skipped } = readCounts(counts);
    // A run that failed without a failed test failed around them.
    return { passed: passes, failed: Math.max(failures, run.failed), skipped };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readCounts(file: string): { readonly passes: number; readonly failures: number; readonly skipped: number } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof readCounts>;
  } catch {
    return { passes: 0, failures: 1, skipped: 0 };
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
