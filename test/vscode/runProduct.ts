// The extension's suites in a real VS Code, each in a scratch world of its own: what a person sees of stand-in
// sessions and of a failing agent, and the life of a real session. Exit code 0 only when both ran and passed; the
// counts go to the file that ROLLCALL_TEST_COUNTS names.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stage } from "../support/claude/scenario.ts";
import { serveScenario } from "../support/claude/scenarioServer.ts";
import { createClaudeWorld } from "../support/claude/world.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";
import { runSuite, type SuiteResult } from "./runSuite.ts";

const wanted = process.argv[2];
const suites = { sessions: runSessions, realSession: runRealSession };
const results: SuiteResult[] = [];
for (const [name, run] of Object.entries(suites)) {
  if (wanted !== undefined && wanted !== name) continue;
  process.stdout.write(`\n# VS Code suite: ${name}\n`);
  results.push(await run());
}
const passed = results.reduce((sum, { report }) => sum + (report?.passes ?? 0), 0);
const failed = results.reduce((sum, { report, exitCode }) => sum + (report?.failures ?? (exitCode === 0 ? 0 : 1)), 0);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
const skipped = results.reduce((sum, { report }) => sum + (report?.skipped ?? 0), 0);
const countsFile = process.env["ROLLCALL_TEST_COUNTS"];
if (countsFile) writeFileSync(countsFile, JSON.stringify({ passed, failed, skipped }));
process.exit(results.length > 0 && results.every(({ exitCode }) => exitCode === 0) ? 0 : 1);

async function runSessions(): Promise<SuiteResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-vscode-")));
  const configDir = join(folder, ".claude");
  mkdirSync(configDir);
  return withRollcall(configDir, { ROLLCALL_TEST_WORLD: folder }, "suite", folder, () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
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
    return await runSuite({
      extensionFolder: repositoryRoot,
      testsFolder: join(import.meta.dirname, testsFolder),
      env: { ...env, HOME: home, ...defined({ ROLLCALL_DATA_DIR, ROLLCALL_SOCKET, ROLLCALL_CONFIG_DIRS }) },
    });
  } finally {
    await rollcall.close();
    await cleanUp();
  }
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
