// `npm run soak [minutes] [seed]`: builds, then lets a foreign writer of the registry loose on the agent, in every way in
// which one can lose something, with kills of the agent in between, after every write was killed at every call; ten minutes where nothing else is said. Its seed is
// printed, so that a run can be had again.
import { join } from "node:path";
import { root, runScript } from "../testing/tool.ts";

const build = await runScript(join(root, "scripts", "tasks", "build.ts"), []);
if (build.failed > 0) process.exit(1);
process.env["ROLLCALL_SOAK"] = "1";
const killed = await runScript(join(root, "test", "daemon", "killedWrite.test.ts"), []);
if (killed.failed > 0) process.exit(1);
const soak = await runScript(join(root, "test", "soak", "soak.ts"), process.argv.slice(2));
process.exit(soak.failed > 0 ? 1 : 0);
