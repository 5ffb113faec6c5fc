// A tool of the house as one step: its output is shown, its exit code is the outcome.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Outcome } from "./outcome.ts";

export const root = join(import.meta.dirname, "..", "..");

const tools = {
  tsc: ["typescript", "bin", "tsc"],
  eslint: ["eslint", "bin", "eslint.js"],
  prettier: ["prettier", "bin", "prettier.cjs"],
  depcruise: ["dependency-cruiser", "bin", "dependency-cruise.mjs"],
} as const;

export type Tool = keyof typeof tools;

export function toolScript(tool: Tool): string {
  return join(root, "node_modules", ...tools[tool]);
}

export function runTool(tool: Tool, args: readonly string[]): Promise<Outcome> {
  return runScript(toolScript(tool), args);
}

/** Runs a script with this Node; resolves also when it fails. */
export async function runScript(script: string, args: readonly string[]): Promise<Outcome> {
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, ...args], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.once("error", reject);
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}
