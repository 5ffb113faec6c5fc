// The demo's scratch folder: its own home, workspace, data folder and socket, so that nothing of the person who looks at
// the demo is read or written. Folders that a killed demo left are removed at the next start.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { processStart } from "../../base/node/processStart.ts";

const prefix = "rollcall-demo-";
const cli = join(import.meta.dirname, "..", "..", "dist", "rollcall.cjs");
const agentStopDeadlineMs = 15_000;

export interface DemoFolder {
  readonly root: string;
  readonly home: string;
  readonly configDir: string;
  readonly workspace: string;
  readonly registry: string;
  readonly socket: string;
  /** Node under the agent's name: what a process is, is told by its executable. */
  readonly executable: string;
}

export function demoFolderAt(root: string): DemoFolder {
  const home = join(root, "home");
  return {
    root,
    home,
    configDir: join(home, ".claude"),
    workspace: join(root, "workspace"),
    registry: join(root, "shared", "sandbox-sessions.json"),
    socket: join(root, "agent.sock"),
    executable: join(root, "bin", "claude"),
  };
}

export function makeDemoFolder(): DemoFolder {
  const folder = demoFolderAt(mkdtempSync(join(realpathSync(tmpdir()), prefix)));
  writeFileSync(join(folder.root, "owner.json"), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  for (const path of [join(folder.configDir, "sessions"), join(folder.configDir, "projects"), folder.workspace])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const path of [join(folder.root, "bin"), join(folder.root, "shared"), join(folder.root, "messages")])
    mkdirSync(path);
  linkOrCopy(process.execPath, folder.executable);
  return folder;
}

/** The environment in which every part of Rollcall sees this folder and nothing else. */
export function demoEnvironment(folder: DemoFolder): Record<string, string> {
  const { PATH, LANG, TERM, COLORTERM, NO_COLOR } = process.env;
  const kept = Object.entries({ PATH, LANG, TERM, COLORTERM, NO_COLOR }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    ...Object.fromEntries(kept),
    HOME: folder.home,
    ROLLCALL_DATA_DIR: join(folder.root, "data"),
    ROLLCALL_SOCKET: folder.socket,
    ROLLCALL_CONFIG_DIRS: [folder.configDir].join(delimiter),
    ROLLCALL_REGISTRY: folder.registry,
  };
}

/** Runs the built command in the demo's world; returns its exit code. */
export function rollcall(folder: DemoFolder, ...args: readonly string[]): number {
  const { status } = spawnSync(process.execPath, [cli, ...args], {
    env: demoEnvironment(folder),
    stdio: ["ignore", "ignore", "inherit"],
    timeout: agentStopDeadlineMs,
  });
  return status ?? 1;
}

export function removeDemoFolder(folder: DemoFolder): void {
  rollcall(folder, "agent", "stop");
  rmSync(folder.root, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what demos that were killed left; one whose owner lives, or cannot be asked, stays. */
export function sweepDemoFolders(): void {
  const parent = realpathSync(tmpdir());
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const root = join(parent, name);
    if (isOurs(root) && ownerIsGone(root)) removeDemoFolder(demoFolderAt(root));
  }
}

function isOurs(root: string): boolean {
  const found = statSync(root, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

function ownerIsGone(root: string): boolean {
  try {
    const owner = JSON.parse(readFileSync(join(root, "owner.json"), "utf8")) as { pid: number; start: string };
    const now = processStart(owner.pid);
    return now.kind === "gone" || (now.kind === "started" && now.token !== owner.start);
  } catch {
    // Not yet written, or not readable: nothing says that its owner is gone.
    return false;
  }
}

function startOf(pid: number): string {
  const start = processStart(pid);
  return start.kind === "started" ? start.token : "";
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
