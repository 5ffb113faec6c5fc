// Big packages that tests and the workbench need, and the product does not ship: a VS Code host, a
// browser, a coding agent. They live in a folder outside the clone, keyed by name and version, so that
// clones share them. A folder is there whole or not at all: it is filled beside its place, then renamed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface CachedPackages {
  /** Folder name below the cache, without the version: letters, digits, dashes. */
  readonly name: string;
  /** Exact versions by package name. */
  readonly packages: Readonly<Record<string, string>>;
  /** Raise it when `finish` changes: an older folder then no longer serves. */
  readonly recipe?: number;
  /** Runs once in the folder after the install; throws when it fails. */
  readonly finish?: (folder: string) => void;
}

export function cacheRoot(): string {
  const configured = process.env["ROLLCALL_DEV_CACHE"];
  if (configured) return configured;
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "rollcall-dev");
}

/** The folder that holds `node_modules` with the wanted packages; installs them on first use. */
export function ensureCachedPackages(wanted: CachedPackages): string {
  const versions = Object.values(wanted.packages).join("+");
  const recipe = wanted.recipe === undefined ? "" : `-r${wanted.recipe}`;
  const folder = join(cacheRoot(), `${wanted.name}-${versions}${recipe}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheRoot(), { recursive: true });
  const partial = mkdtempSync(join(cacheRoot(), `.${wanted.name}-`));
  try {
    writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true, dependencies: wanted.packages }));
    runNpm(partial, ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]);
    wanted.finish?.(partial);
    try {
      renameSync(partial, folder);
    } catch (cause) {
      // Another clone was faster: its folder serves as well.
      if (!existsSync(folder)) throw cause;
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

const npmDeadlineMs = 15 * 60_000;

export function runNpm(cwd: string, args: readonly string[]): void {
  const windows = process.platform === "win32";
  const done = spawnSync(windows ? "npm.cmd" : "npm", args, {
    cwd,
    stdio: ["ignore", 2, 2],
    shell: windows,
    timeout: npmDeadlineMs,
  });
  if (done.status !== 0) {
    throw new Error(`npm ${args.join(" ")} failed in ${cwd}; check that the npm registry can be reached`);
  }
}
