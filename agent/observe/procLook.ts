// One process through `/proc`, as the kernel tells it. `gone` is said only when two answers of the kernel agree
// (no entry in /proc, and no process of that pid for signal 0, which sends nothing), or when the entry is a
// zombie; whatever else fails is unobserved.
import { describeError, errorCode } from "../../base/errors.ts";
import type { PidLook } from "../core/monitorEvent.ts";
import { readProcFacts, type ProcFactsOptions } from "./procFacts.ts";
import { isZombie, readProcStat } from "./procStat.ts";

export async function lookAtPid(pid: number, options: ProcFactsOptions): Promise<PidLook> {
  try {
    const stat = readProcStat(pid);
    if (isZombie(stat)) return { kind: "gone", because: "it has ended" };
    const facts = await readProcFacts(pid, stat, options);
    const after = readProcStat(pid);
    if (after.startTicks !== stat.startTicks)
      return { kind: "unobserved", cause: "the pid was reused while it was read" };
    return { kind: "alive", facts };
  } catch (error) {
    return lookFault(pid, error);
  }
}

/** Whether /proc answers at all, and about us; undefined when it does, else why not. */
export function procFault(): string | undefined {
  try {
    const { pid } = readProcStat("self");
    return pid === process.pid
      ? undefined
      : `/proc belongs to another pid namespace: it knows us as ${pid}, not ${process.pid}`;
  } catch (error) {
    return `/proc/self/stat: ${describeError(error)}`;
  }
}

function lookFault(pid: number, error: unknown): PidLook {
  const code = errorCode(error);
  if (code !== "ENOENT" && code !== "ESRCH")
    return { kind: "unobserved", cause: `/proc/${pid}: ${describeError(error)}` };
  const fault = procFault();
  if (fault !== undefined) return { kind: "unobserved", cause: fault };
  return noProcessOf(pid)
    ? { kind: "gone", because: "no such process" }
    : { kind: "unobserved", cause: `/proc hides process ${pid}` };
}

/** Only ESRCH in our own namespace is an end; EPERM means that it lives. */
export function noProcessOf(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}
