// The real `claude`, at the one version the recordings and the walk were made with. It comes from npm without
// running its install script, so the native binary is taken from the platform package beside it. What the
// binary needs to run unattended (settings, keys, a server) is realSession.ts.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { ensureCachedPackages } from "../../../scripts/cache/packageCache.ts";

export const CLAUDE_VERSION = "2.1.332";

/** Absolute path of the native binary; installs it into the shared cache on first use. */
export function ensureClaude(): string {
  const folder = ensureCachedPackages({
    name: "claude-code",
    packages: { "@anthropic-ai/claude-code": CLAUDE_VERSION },
  });
  const candidates = platformPackages().map((name) =>
    join(folder, "node_modules", "@anthropic-ai", name, binaryName()),
  );
  const found = candidates.find(isExecutable);
  if (found === undefined) {
    throw new Error(
      `claude ${CLAUDE_VERSION} has no binary for ${process.platform} ${process.arch} below ${folder}; ` +
        "remove that folder to install it again, or run these tests on a platform it is published for",
    );
  }
  return found;
}

function platformPackages(): string[] {
  const base = `claude-code-${process.platform}-${process.arch}`;
  return process.platform === "linux" ? [base, `${base}-musl`] : [base];
}

function binaryName(): string {
  return process.platform === "win32" ? "claude.exe" : "claude";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
