// Makes an extension present in a normal window of the workbench, without a marketplace and without
// the test mode: either unpacked, by naming its folder in the extensions folder's own list (edits show
// after a window reload), or installed from a VSIX through the server's command line, as a person would.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export type ExtensionSource =
  { readonly kind: "folder"; readonly folder: string } | { readonly kind: "vsix"; readonly file: string };

export interface ExtensionPlaces {
  readonly serverMain: string;
  readonly userDataDir: string;
  readonly extensionsDir: string;
}

export function presentExtension(source: ExtensionSource, places: ExtensionPlaces): void {
  if (source.kind === "folder") listFolder(resolve(source.folder), places.extensionsDir);
  else installVsix(resolve(source.file), places);
}

interface ListedExtension {
  readonly identifier: { readonly id: string };
  readonly [key: string]: unknown;
}

function listFolder(folder: string, extensionsDir: string): void {
  const { publisher, name, version } = readManifest(folder);
  const id = `${publisher}.${name}`;
  const listFile = join(extensionsDir, "extensions.json");
  mkdirSync(extensionsDir, { recursive: true });
  const others = readList(listFile).filter((listed) => listed.identifier.id.toLowerCase() !== id.toLowerCase());
  const listed: ListedExtension = {
    identifier: { id },
    version,
    // No `relativeLocation`: the folder stays where it is, nothing is copied and nothing is ever removed.
    location: { $mid: 1, path: pathToFileURL(folder).pathname, scheme: "file" },
    metadata: { installedTimestamp: Date.now(), pinned: true, source: "vsix" },
  };
  writeFileSync(listFile, JSON.stringify([...others, listed]));
}

function readManifest(folder: string): { publisher: string; name: string; version: string } {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { publisher, name, version } = manifest as Record<string, unknown>;
  if (typeof publisher !== "string" || typeof name !== "string" || typeof version !== "string") {
    throw new Error(`${join(folder, "package.json")} needs publisher, name and version to be an extension`);
  }
  return { publisher, name, version };
}

function readList(file: string): ListedExtension[] {
  if (!existsSync(file)) return [];
  try {
    const list: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(list) ? (list as ListedExtension[]) : [];
  } catch (cause) {
    throw new Error(`${file} is not readable as JSON: delete it and run this again`, { cause });
  }
}

function installVsix(file: string, { serverMain, userDataDir, extensionsDir }: ExtensionPlaces): void {
  const args = ["--install-extension", file, "--force", "--do-not-sync"];
  const folders = ["--user-data-dir", userDataDir, "--extensions-dir", extensionsDir];
  const terms = ["--accept-server-license-terms", "--disable-telemetry"];
  const done = spawnSync(process.execPath, [serverMain, ...args, ...folders, ...terms], {
    encoding: "utf8",
    timeout: 120_000,
  });
  // The server exits 0 even when it refused the file, so its words are read as well.
  if (done.status !== 0 || !done.stdout.includes("was successfully installed")) {
    throw new Error(`VS Code did not install ${file}: ${(done.stderr || done.stdout).trim()}`);
  }
}
