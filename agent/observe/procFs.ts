// One process through `/proc`, as the kernel tells it. `gone` is said only when two answers of the kernel agree
// (no entry in /proc, and no process of that pid for signal 0, which sends nothing), or when the entry is a
// zombie; whatever else fails is unobserved.
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { canonicalPath } from "../../base/node/paths.ts";
import type { PidLook } from "../core/monitor.ts";
import { identifyProcess } from "../core/processIdentity.ts";
import type { ProcessFacts } from "../core/processes.ts";

/** Clock ticks a second in /proc on every Linux that Node runs on. */
const ticksPerSecond = 100;

export interface ProcStat {
  readonly pid: number;
  readonly comm: string;
  readonly state: string;
  readonly ppid: number;
  readonly startTicks: string;
}

/** Throws the system's error, or one for a text that is no stat line. */
export function parseProcStat(text: string): ProcStat {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const [state, ppid] = fields;
  const startTicks = fields[19];
  if (open < 0 || close < open || state === undefined || ppid === undefined || startTicks === undefined) {
    throw new Error("not a line of /proc/<pid>/stat");
  }
  return {
    pid: Number(text.slice(0, open).trim()),
    comm: text.slice(open + 1, close),
    state,
    ppid: Number(ppid),
    startTicks,
  };
}

/** Most command lines and environments fit. */
const procChunkBytes = 4096;
/** Names under which an agent's program runs: its own, a version's, or its interpreter's. */
const agentComm = /^(claude|node|bun|MainThread|\d+\.\d+\.\d)/;
/** A process this young may still be about to run another program. */
const settledAfterTicks = 10 * ticksPerSecond;

/** Finds processes that may be agents among those that it has not judged yet. */
export class ProcScan {
  /** Processes whose program is none. */
  private readonly judged = new Map<number, Pick<ProcStat, "startTicks" | "comm">>();

  /** @throws the system's error when /proc cannot be listed */
  candidates(uptimeTicks: number): readonly number[] {
    const found: number[] = [];
    const listed = new Set<number>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      listed.add(pid);
      if (!this.judged.has(pid) && this.mayBeAgent(pid, uptimeTicks)) found.push(pid);
    }
    for (const pid of this.judged.keys()) if (!listed.has(pid)) this.judged.delete(pid);
    return found;
  }

  /** A full look said that this is no agent; a young one may become one. */
  dismiss(pid: number): void {
    const stat = readStat(pid);
    if (stat !== undefined && isSettled(stat, uptimeTicks())) this.judged.set(pid, stat);
  }

  /** True for a process that was judged and runs the same program still. */
  isDismissed(pid: number): boolean {
    const judged = this.judged.get(pid);
    if (judged === undefined) return false;
    const stat = readStat(pid);
    return stat?.startTicks === judged.startTicks && stat.comm === judged.comm;
  }

  private mayBeAgent(pid: number, uptime: number): boolean {
    const stat = readStat(pid);
    if (stat === undefined) return false;
    if (agentComm.test(stat.comm)) return true;
    if (isSettled(stat, uptime)) this.judged.set(pid, stat);
    return false;
  }
}

function isSettled(stat: ProcStat, uptime: number): boolean {
  return uptime - Number(stat.startTicks) > settledAfterTicks;
}

/** Undefined where the process ended meanwhile or cannot be read now: it stays unjudged and is asked again. */
function readStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    return undefined;
  }
}

/** Clock ticks since the host was started. */
export function uptimeTicks(): number {
  return Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * ticksPerSecond;
}

/** Whether /proc answers at all, and about us; undefined when it does, else why not. */
export function procFault(): string | undefined {
  try {
    const { pid } = parseProcStat(readFileSync("/proc/self/stat", "latin1"));
    return pid === process.pid
      ? undefined
      : `/proc belongs to another pid namespace: it knows us as ${pid}, not ${process.pid}`;
  } catch (error) {
    return `/proc/self/stat: ${describeError(error)}`;
  }
}

export async function lookAtPid(pid: number, bootedAt: number | undefined): Promise<PidLook> {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    if (isZombie(stat)) return { kind: "gone", because: "it has ended" };
    const facts = await readFacts(pid, stat, bootedAt);
    const after = parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    if (after.startTicks !== stat.startTicks)
      return { kind: "unobserved", cause: "the pid was reused while it was read" };
    return { kind: "alive", facts };
  } catch (error) {
    return lookFault(pid, error);
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

export function isZombie(stat: ProcStat): boolean {
  return stat.state === "Z" || stat.state === "X";
}

/** Only ESRCH in our own namespace is an end; EPERM means that it lives. */
function noProcessOf(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

async function readFacts(pid: number, stat: ProcStat, bootedAt: number | undefined): Promise<ProcessFacts> {
  const argv = (await readProcFile(pid, "cmdline")).replace(/\0$/, "").split("\0");
  const exe = readProcLink(pid, "exe");
  const role = identifyProcess({ argv, exe, comm: stat.comm });
  const namespace = /^pid:\[(\d+)\]$/.exec(readProcLink(pid, "ns/pid") ?? "")?.[1];
  return {
    pid,
    startToken: stat.startTicks,
    startedAt:
      bootedAt === undefined ? undefined : bootedAt + Math.round((Number(stat.startTicks) / ticksPerSecond) * 1000),
    ppid: stat.ppid,
    namespace,
    namespacePid: innermostPid(readFileSync(`/proc/${pid}/status`, "latin1")) ?? pid,
    role,
    cwd: role.kind === "session" ? readProcLink(pid, "cwd") : undefined,
    configDir: role.kind === "session" ? configDirOf(await readEnviron(pid)) : undefined,
  };
}

/** Between fork and exec a session's child looks like the session itself, to the letter. */
export async function isForkOfParent({ pid, ppid }: Pick<ProcessFacts, "pid" | "ppid">): Promise<boolean> {
  if (ppid === undefined || ppid <= 0) return false;
  try {
    return (await readProcFile(ppid, "cmdline")) === (await readProcFile(pid, "cmdline"));
  } catch (error) {
    const code = errorCode(error);
    // One of them that is gone or may not be read decides nothing.
    if (code === "ENOENT" || code === "ESRCH" || isDenied(error)) return false;
    throw error;
  }
}

function innermostPid(status: string): number | undefined {
  const last = /^NSpid:\s*(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/).at(-1);
  return last === undefined ? undefined : Number(last);
}

/** A link that this user may not read is a fact not told. */
function readProcLink(pid: number, name: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch (error) {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    if (isDenied(error)) return undefined;
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM";
}

/** Of a process' environment these keys only; the rest is not kept, it may hold secrets. */
interface ConfigEnvironment {
  readonly configDir: string | undefined;
  readonly home: string | undefined;
}

async function readEnviron(pid: number): Promise<ConfigEnvironment> {
  let text: string;
  try {
    text = await readProcFile(pid, "environ");
  } catch (error) {
    if (isDenied(error)) return { configDir: undefined, home: undefined };
    throw error;
  }
  const find = (key: string): string | undefined => {
    const entry = text.split("\0").find((candidate) => candidate.startsWith(`${key}=`));
    return entry === undefined || entry.length === key.length + 1 ? undefined : entry.slice(key.length + 1);
  };
  return { configDir: find("CLAUDE_CONFIG_DIR"), home: find("HOME") };
}

function configDirOf({ configDir, home }: ConfigEnvironment): string | undefined {
  if (configDir === undefined && home === undefined) return undefined;
  return canonicalPath(configDir ?? join(home ?? "", ".claude"));
}

/** These two files wait for the process' memory, so they are read off the main thread. */
async function readProcFile(pid: number, name: "cmdline" | "environ"): Promise<string> {
  const handle = await open(`/proc/${pid}/${name}`, "r");
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length < limits.procFileBytes; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(procChunkBytes), 0, procChunkBytes, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    await handle.close();
  }
}

/** A process' stat file held open: it stays bound to that process, so a pid's reuse cannot be taken for it. */
export class HeldProcess {
  private readonly fd: number;
  private readonly buffer: Buffer;

  /** @throws the system's error when the process is gone or too many files are open */
  constructor(pid: number, buffer: Buffer) {
    this.buffer = buffer;
    this.fd = openSync(`/proc/${pid}/stat`, constants.O_RDONLY);
  }

  /** Costs some microseconds; `look-again` where only a full look can tell. */
  glance(): { readonly kind: "alive"; readonly stat: ProcStat } | { readonly kind: "look-again" } {
    try {
      const length = readSync(this.fd, this.buffer, 0, this.buffer.length, 0);
      const stat = parseProcStat(this.buffer.toString("latin1", 0, length));
      return isZombie(stat) ? { kind: "look-again" } : { kind: "alive", stat };
    } catch {
      // Whatever went wrong, the full look asks anew and names it.
      return { kind: "look-again" };
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}
