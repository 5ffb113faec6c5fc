// Who runs in some pid namespaces, as the host counts and as they do themselves: for session records whose pids only
// their own namespace can tell. What a pid that is missing means is `liveness.ts`.
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { describeError, errorCode } from "../../base/errors.ts";
import { readProcText } from "./procText.ts";

export interface NamespaceCensus {
  /** Host pids by the pid inside, for each namespace that was asked for. */
  readonly found: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Why somebody may have been passed over. */
  readonly fault: string | undefined;
}

/** @param readLink the system's own, unless a test makes it fail */
export function takeCensus(
  namespaces: ReadonlySet<string>,
  readLink: (path: string) => string = readlinkSync,
): NamespaceCensus {
  const found = new Map([...namespaces].map((namespace) => [namespace, new Map<number, number>()]));
  let names: readonly string[];
  try {
    names = readdirSync("/proc");
  } catch (error) {
    return { found, fault: `/proc: ${describeError(error)}` };
  }
  let fault: string | undefined;
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const inside = found.get(/^pid:\[(\d+)\]$/.exec(readLink(`/proc/${name}/ns/pid`))?.[1] ?? "");
      if (inside === undefined) continue;
      const pid = innermostPid(readProcText(`/proc/${name}/status`));
      if (pid !== undefined) inside.set(pid, Number(name));
    } catch (error) {
      if (!isPassable(name, error)) fault ??= `/proc/${name}: ${describeError(error)}`;
    }
  }
  return { found, fault };
}

/** The pid as the process' own namespace counts. */
export function innermostPid(status: string): number | undefined {
  const last = /^NSpid:\s*(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/).at(-1);
  return last === undefined ? undefined : Number(last);
}

/**
 * Gone meanwhile; another user's, who does not write into this one's folders; or one of the namespace that this /proc is
 * of, which a process with a single pid is in, and which nobody asks for.
 */
function isPassable(name: string, error: unknown): boolean {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ESRCH") return true;
  if (code !== "EACCES" && code !== "EPERM") return false;
  try {
    if (statSync(`/proc/${name}`).uid !== process.geteuid?.()) return true;
    return /^NSpid:\s*\d+$/m.test(readProcText(`/proc/${name}/status`));
  } catch (gone) {
    return errorCode(gone) === "ENOENT";
  }
}
