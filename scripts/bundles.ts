// What ships: one bundle per process, for the oldest Node that the manifest allows, and one per page, for its browser.
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

export interface BundleOptions {
  readonly production: boolean;
  /** False to learn only what the bundles are made of. */
  readonly write: boolean;
}

/** Resolves with the source files, own and of packages, that went into any bundle; paths from the root. */
export async function bundleProduct({ production, write }: BundleOptions): Promise<readonly string[]> {
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minify: production,
    sourcemap: production ? false : "linked",
    // The notices beside the bundles name every package with its licence.
    legalComments: "none",
    define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
    plugins: [englishOnly],
    logLevel: "warning",
    metafile: true,
    write,
  } as const satisfies BuildOptions;
  const built = await Promise.all([
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
    build({ ...shared, entryPoints: ["cli/cli.ts"], outfile: "dist/cli.cjs" }),
    build({
      ...shared,
      entryPoints: ["cli/main.ts"],
      outfile: "dist/rollcall.cjs",
      banner: { js: "#!/usr/bin/env node" },
    }),
    build({
      ...shared,
      entryPoints: { detail: "webview/detail/main.tsx" },
      outdir: "dist/webview",
      platform: "browser",
      format: "iife",
      // The Chromium of the oldest VS Code that the manifest allows.
      target: "chrome138",
      jsx: "automatic",
      jsxImportSource: "preact",
      define: {},
    }),
    build({
      ...shared,
      entryPoints: { detail: "webview/detail/detail.css" },
      outdir: "dist/webview",
      platform: "browser",
      target: "chrome138",
      define: {},
    }),
  ]);
  return [...new Set(built.flatMap(({ metafile }) => inputsOf(metafile)))].sort();
}

/** The validators' words in forty languages are a third of a bundle and half of a page's script, and none shows them. */
const englishOnly: Plugin = {
  name: "english-only",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
      loader: "js",
    }));
  },
};

function inputsOf(metafile: Metafile): readonly string[] {
  return Object.keys(metafile.inputs);
}
