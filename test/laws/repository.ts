// The repository as the laws look at it, and a copy of it in which a law may be broken on purpose.
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toolScript, type Tool } from "../../scripts/testing/tool.ts";

export const root = join(import.meta.dirname, "..", "..");
export const productFolders = ["agent", "base", "cli", "extension", "protocol", "webview"] as const;
export const sourceFolders = [...productFolders, "scripts", "test"] as const;

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Paths from the root, with forward slashes. */
export function filesIn(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.includes("node_modules/"))
    .sort();
}

export function sourceFiles(): readonly string[] {
  return sourceFolders
    .flatMap((folder) => filesIn(`${folder}/**/*.{ts,tsx}`))
    .filter((path) => !path.endsWith(".d.ts"));
}

export interface ToolRun {
  readonly code: number | null;
  readonly output: string;
}

export function runToolIn(folder: string, tool: Tool, args: readonly string[]): ToolRun {
  const done = spawnSync(process.execPath, [toolScript(tool), ...args], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.error !== undefined) throw done.error;
  return { code: done.status, output: done.stdout + done.stderr };
}

export interface PlantedTree {
  readonly folder: string;
  remove(): void;
}

/** A copy of the product with these files added to it. */
export function plantedTree(planted: Readonly<Record<string, string>>): PlantedTree {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-laws-"));
  for (const name of [
    ...productFolders,
    "package.json",
    "tsconfig.base.json",
    "eslint.config.mjs",
    ".dependency-cruiser.cjs",
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
