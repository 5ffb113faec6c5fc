// The VS Code that runs without a desktop: the npm package `code-server` ships VS Code's own server and
// web workbench. Only that inner VS Code is used, not code-server itself. Its dependencies come in three
// installs with install scripts off; nothing of that compiles (node-pty ships prebuilt). Two small modules
// are then compiled where the machine can: without them VS Code runs, but output channels stay empty.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureCachedPackages, runNpm } from "../cache/packageCache.ts";

export const codeServerVersion = "4.139.1";

export interface WorkbenchPackage {
  /** The script that a Node of `nodeMajor` runs as the server. */
  readonly serverMain: string;
}

/** VS Code's server is built for this Node; its prebuilt modules load in no other. */
export const nodeMajor = 24;

/** Installs the package on first use: about a minute and 620 MB. */
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
  compileLogWriter(vscode);
}

const compileDeadlineMs = 240_000;

/** Needs python3, make and a C++ compiler; does without quietly, so it never throws. */
function compileLogWriter(vscode: string): void {
  // This Node's own headers, so that nothing is downloaded.
  const prefix = dirname(dirname(process.execPath));
  const nodedir = existsSync(join(prefix, "include", "node")) ? { npm_config_nodedir: prefix } : {};
  const windows = process.platform === "win32";
  const modules = ["@vscode/spdlog", "@vscode/native-watchdog"];
  const done = spawnSync(windows ? "npm.cmd" : "npm", ["rebuild", ...modules], {
    cwd: vscode,
    env: { ...process.env, ...nodedir },
    stdio: "ignore",
    shell: windows,
    timeout: compileDeadlineMs,
  });
  if (done.status !== 0)
    process.stderr.write("rollcall: no C++ compiler; the workbench's output channels stay empty\n");
}

function vscodeFolder(folder: string): string {
  return join(folder, "node_modules", "code-server", "lib", "vscode");
}
