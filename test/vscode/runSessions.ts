// Runs the extension's suite in a world of its own: a home, a data folder and a config folder that no real session
// knows. Writes the counts to the file that its argument names, and ends the agent that the run started.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockState } from "../../base/node/lock.ts";
import { cacheRoot } from "../../scripts/cache/packageCache.ts";
import { runSuite } from "./runSuite.ts";

const root = join(import.meta.dirname, "..", "..");
const [countsFile] = process.argv.slice(2);
const world = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-world-")));
const configDir = join(world, ".claude");
const dataDir = join(world, "data");
mkdirSync(configDir);

const { exitCode, report } = await runSuite({
  extensionFolder: root,
  testsFolder: join(import.meta.dirname, "suite"),
  env: {
    HOME: world,
    ROLLCALL_TEST_WORLD: world,
    ROLLCALL_DATA_DIR: dataDir,
    ROLLCALL_CONFIG_DIRS: configDir,
    // The packages stay where they are, whatever the home.
    ROLLCALL_DEV_CACHE: cacheRoot(),
  },
});
if (countsFile !== undefined && report !== undefined) writeFileSync(countsFile, JSON.stringify(report));
const agent = lockState(join(dataDir, "agent.lock"));
if (agent.kind === "held") process.kill(agent.pid, "SIGKILL");
rmSync(world, { recursive: true, force: true, maxRetries: 5 });
process.exit(exitCode);
