// Bundles the tests for the extension host, which loads CommonJS: the Mocha entry and every *.test.ts of
// a folder, each into a file of its own beside it. `vscode` is the host's, `mocha` must stay one instance.
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Returns the path for `extensionTestsPath`. `outFolder` must be where `mocha` can be resolved from. */
export async function bundleSuite(testsFolder: string, outFolder: string): Promise<string> {
  const suite = join(outFolder, "suite");
  const tests = readdirSync(testsFolder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  if (tests.length === 0) throw new Error(`there is no *.test.ts in ${testsFolder}`);
  await rm(suite, { recursive: true, force: true });
  const entry = join(dirname(fileURLToPath(import.meta.url)), "suite", "index.ts");
  await build({
    entryPoints: [
      { in: entry, out: "index" },
      ...tests.map((name) => ({
        in: join(testsFolder, name),
        out: name.replaceAll(/[\\/]/g, "-").slice(0, -".ts".length),
      })),
    ],
    outdir: suite,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return join(suite, `${basename(entry, ".ts")}.cjs`);
}
