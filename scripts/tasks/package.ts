// `npm run package`: the extension as one file, to install with "Install from VSIX…" or `code --install-extension`.
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { root, runScript } from "../testing/tool.ts";

const build = await runScript(join(root, "scripts", "tasks", "build.ts"), ["--production"]);
if (build.failed > 0) process.exit(1);
// Everything is bundled; the place of the sources is not told anywhere.
await createVSIX({ cwd: root, dependencies: false, allowMissingRepository: true });
