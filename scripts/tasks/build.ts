// Bundles what ships into dist/: one file per process, for the Node of the oldest VS Code that the manifest allows.
import { build, type BuildOptions } from "esbuild";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const production = process.argv.includes("--production");

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node22",
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "linked",
  define: { "import.meta.dirname": "__dirname" },
  logLevel: "warning",
};

rmSync(join(root, "dist"), { recursive: true, force: true });
await Promise.all([
  build({ ...shared, entryPoints: ["extension/extension.ts"], outfile: "dist/extension.cjs", external: ["vscode"] }),
  build({ ...shared, entryPoints: ["agent/main.ts"], outfile: "dist/agent.cjs" }),
  // ps-list asks for its own folder as a module does.
  build({
    ...shared,
    entryPoints: ["agent/observe/processTableChild.ts"],
    outfile: "dist/processTable.mjs",
    format: "esm",
    define: {},
  }),
  build({
    ...shared,
    entryPoints: ["cli/main.ts"],
    outfile: "dist/rollcall.cjs",
    banner: { js: "#!/usr/bin/env node" },
  }),
]);
chmodSync(join(root, "dist", "rollcall.cjs"), 0o755);
