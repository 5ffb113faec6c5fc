// A browser for the web workbench, driven headless: one that is installed, else the Chromium that an npm
// package carries (Linux x64, in the development cache). The package's own unpacking goes to a fixed name
// in the shared temp folder, where anyone could plant a file; here it goes into the cache folder.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  renameSync,
  rmSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { chromium, type Browser } from "playwright-core";
import { ensureCachedPackages } from "../cache/packageCache.ts";

export const chromiumPackageVersion = "153.0.0";

export interface FoundBrowser {
  readonly executable: string;
  readonly origin: "configured" | "installed" | "packaged";
}

/** ROLLCALL_BROWSER, an installed Chromium or Chrome, or the packaged one, which is fetched on first use. */
export async function findBrowser(): Promise<FoundBrowser> {
  const configured = process.env["ROLLCALL_BROWSER"];
  if (configured) {
    if (!isExecutable(configured)) throw new Error(`ROLLCALL_BROWSER names ${configured}, which cannot be run`);
    return { executable: configured, origin: "configured" };
  }
  const installed = installedCandidates().find(isExecutable);
  if (installed) return { executable: installed, origin: "installed" };
  const executable = await packagedChromium();
  checkItRuns(executable);
  return { executable, origin: "packaged" };
}

export async function launchBrowser(found?: FoundBrowser): Promise<Browser> {
  const { executable } = found ?? (await findBrowser());
  const root = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: executable,
    headless: true,
    timeout: 60_000,
    args: root ? ["--no-sandbox"] : [],
  });
}

function installedCandidates(): string[] {
  if (process.platform === "darwin") {
    return ["Google Chrome", "Chromium", "Microsoft Edge"].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    );
  }
  if (process.platform === "win32") {
    const roots = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].map((name) => process.env[name] ?? "");
    const places = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];
    return roots.filter(Boolean).flatMap((root) => places.map((place) => join(root, place)));
  }
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function packagedChromium(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("no browser was found: install Chromium or Google Chrome, or set ROLLCALL_BROWSER to one");
  }
  const folder = ensureCachedPackages({
    name: "chromium",
    packages: { "@sparticuz/chromium": chromiumPackageVersion },
  });
  const executable = join(folder, "chromium");
  if (existsSync(executable)) return executable;
  const partial = join(folder, `.chromium-${process.pid}`);
  try {
    const packed = join(folder, "node_modules", "@sparticuz", "chromium", "bin", "chromium.br");
    await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(partial));
    chmodSync(partial, 0o755);
    // Whole or not at all; a second process that unpacks at the same time puts the same bytes there.
    renameSync(partial, executable);
  } finally {
    rmSync(partial, { force: true });
  }
  return executable;
}

function checkItRuns(executable: string): void {
  const tried = spawnSync(executable, ["--version"], { encoding: "utf8", timeout: 30_000 });
  if (tried.status === 0) return;
  const missing = /loading shared libraries: (\S+):/.exec(tried.stderr)?.[1];
  throw new Error(
    missing
      ? `the packaged browser needs ${missing}: install libnss3 and libnspr4, or install Chromium, and run this again`
      : `the packaged browser does not run (${tried.error?.message ?? tried.stderr.trim()}): install Chromium or set ROLLCALL_BROWSER`,
  );
}
