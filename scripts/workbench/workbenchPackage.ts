// The VS Code that runs without a desktop: the npm package `code-server` ships VS Code's own server and
// web workbench. Only that inner VS Code is used, not code-server itself. Its dependencies come in three
// installs, none of which compiles anything (install scripts stay off; node-pty ships prebuilt).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureCachedPackages, runNpm } from "../cache/packageCache.ts";

export const codeServerVersion = "4.139.1";

export interface WorkbenchPackage {
  /** The script that a Node of `nodeMajor` runs as the server. */
  readonly serverMain: string;
}

/** VS Code's server is built for this Node; its prebuilt modules load in no other. */
export const nodeMajor = 24;

/** Installs the package on first use: about half a minute and 620 MB. */
export function ensureWorkbench(): WorkbenchPackage {
  const folder = ensureCachedPackages({
    name: "code-server",
    packages: { "code-server": codeServerVersion },
    finish: installInnerDependencies,
  });
  const serverMain = join(vscodeFolder(folder), "out", "server-main.js");
  if (!existsSync(serverMain)) {
    throw new Error(`the cached workbench is incomplete: delete ${folder} and run this again`);
  }
  return { serverMain };
}

function installInnerDependencies(folder: string): void {
  const vscode = vscodeFolder(folder);
  for (const cwd of [vscode, join(vscode, "extensions")]) {
    // The shrinkwrap beside each manifest pins what is installed.
    runNpm(cwd, ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]);
  }
}

function vscodeFolder(folder: string): string {
  return join(folder, "node_modules", "code-server", "lib", "vscode");
}
