// The extension's suites in a real VS Code, each in a scratch world of its own: what a person sees of stand-in
// sessions and of a failing agent, acts that are confirmed, sessions that are brought back, a tree of a thousand rows, and the life of a real session. Exit code 0 only when both ran and passed.
// Usage: runSuites.ts [--only sessions|confirmations|restored|rows|gallery|realSession] [--counts FILE], the file gets the counts as JSON.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stage } from "../support/claude/scenario.ts";
import { serveScenario } from "../support/claude/scenarioServer.ts";
import { createClaudeWorld } from "../support/claude/world.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";
import { runConfirmations } from "./confirmations.ts";
import { runRestored } from "./restored.ts";
import { runSuite, type SuiteResult } from "./runSuite.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, counts: { type: "string" } } });
const suites = {
  sessions: () => runStandIns("suite"),
  confirmations: runConfirmations,
  restored: runRestored,
  rows: runRows,
  gallery: () => runStandIns("gallery"),
  realSession: runRealSession,
};
const results: SuiteResult[] = [];
for (const [name, run] of Object.entries(suites)) {
  // The gallery is there to be looked at: only by its name.
  if ((values.only ?? (name === "gallery" ? "" : name)) !== name) continue;
  process.stdout.write(`\n# VS Code suite: ${name}\n`);
  results.push(await run());
}
const counts = results.reduce(
  (sum, { report, exitCode }) => ({
    passes: sum.passes + (report?.passes ?? 0),
    // A run that failed without a failed test failed around them.
    failures: sum.failures + Math.max(report?.failures ?? 0, exitCode),
    skipped: sum.skipped + (report?.skipped ?? 0),
  }),
  { passes: 0, failures: 0, skipped: 0 },
);
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts));
process.exit(results.length > 0 && counts.failures === 0 ? 0 : 1);

async function runStandIns(testsFolder: string): Promise<SuiteResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-vscode-")));
  const configDir = join(folder, ".claude");
  mkdirSync(configDir);
  return withRollcall(configDir, { ROLLCALL_TEST_WORLD: folder }, testsFolder, folder, () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
}

/** The tree alone, in an extension that has a view for it and nothing else. */
function runRows(): Promise<SuiteResult> {
  const folder = join(import.meta.dirname, "rows");
  return runSuite({ extensionFolder: join(folder, "extension"), testsFolder: folder });
}

async function runRealSession(): Promise<SuiteResult> {
  const stage = new Stage(await createClaudeWorld());
  const scenario = await serveScenario(stage, join(stage.world.root, "scenario.sock"));
  const { configDir, home } = stage.world;
  return withRollcall(configDir, { ROLLCALL_TEST_SCENARIO: scenario.path }, "realSession", home, async () => {
    await scenario.close();
    await stage.close();
  });
}

async function withRollcall(
  configDir: string,
  env: Readonly<Record<string, string>>,
  testsFolder: string,
  home: string,
  cleanUp: () => void | Promise<void>,
): Promise<SuiteResult> {
  const folder = env["ROLLCALL_TEST_WORLD"];
  const rollcall = new RollcallWorld({
    configDirs: [configDir],
    // The suite finds the agent's lock in its world.
    ...(folder === undefined ? {} : { env: { ROLLCALL_DATA_DIR: join(folder, "data") } }),
  });
  const { ROLLCALL_DATA_DIR, ROLLCALL_SOCKET, ROLLCALL_CONFIG_DIRS } = rollcall.env;
  try {
    const result = await runSuite({
      extensionFolder: repositoryRoot,
      testsFolder: join(import.meta.dirname, testsFolder),
      env: { ...env, HOME: home, ...defined({ ROLLCALL_DATA_DIR, ROLLCALL_SOCKET, ROLLCALL_CONFIG_DIRS }) },
    });
    if (result.exitCode !== 0)
      process.stdout.write(`the agent's roster: ${JSON.stringify(await rollcall.roster(), null, 1)}\n`);
    return result;
  } finally {
    await rollcall.close();
    await cleanUp();
  }
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
