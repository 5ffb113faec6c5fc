// Ends a child process with everything it started. The child must have been spawned with `ownGroup()`:
// on POSIX it leads a process group, on Windows `taskkill` follows the parent links. Processes that
// left the group on purpose (a daemon) are not touched.
import { spawnSync, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

const windows = process.platform === "win32";

/** Spawn options that let `endTree` reach the whole tree later. */
export function ownGroup(): { detached: boolean; windowsHide: boolean } {
  return { detached: !windows, windowsHide: true };
}

/** SIGTERM, up to `graceMs` of waiting, SIGKILL. Resolves when the group is gone; never throws. */
export async function endTree(child: ChildProcess, graceMs = 2_000): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (windows) {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { timeout: 10_000 });
    return;
  }
  signalGroup(pid, "SIGTERM");
  const giveUpAt = Date.now() + graceMs;
  while (signalGroup(pid, 0) && Date.now() < giveUpAt) await delay(25);
  if (!signalGroup(pid, "SIGKILL")) return;
  const goneBy = Date.now() + graceMs;
  while (signalGroup(pid, 0) && Date.now() < goneBy) await delay(25);
}

/** For exit handlers, which cannot wait. */
export function killTreeNow(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (windows) spawnSync("taskkill", ["/pid", String(child.pid), "/t", "/f"], { timeout: 10_000 });
  else signalGroup(child.pid, "SIGKILL");
}

/** False when no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
