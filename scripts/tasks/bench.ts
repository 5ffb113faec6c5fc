// `npm run bench`: builds, then prints the product's figures, each beside a peer or a limit in the same run.
import { join } from "node:path";
import { root, runScript } from "../testing/tool.ts";

const build = await runScript(join(root, "scripts", "tasks", "build.ts"), ["--production"]);
if (build.failed > 0) process.exit(1);
const bench = await runScript(join(root, "test", "bench", "bench.ts"), []);
process.exit(bench.failed > 0 ? 1 : 0);
