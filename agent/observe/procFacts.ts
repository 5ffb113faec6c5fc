// What `/proc` tells of one process: its program and arguments, its start, its namespace, and of a session where it
// works. Throws what the system throws; what a failure means is for who looks.
import { readFileSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { canonicalPath } from "../../base/node/paths.ts";
import { identifyProcess } from "../core/processIdentity.ts";
import type { ProcessFacts } from "../core/processes.ts";
import { ticksPerSecond, type ProcStat } from "./procStat.ts";

/** Most command lines and environments fit. */
const chunkBytes = 4096;

export async function readProcFacts(pid: number, stat: ProcStat, bootedAt: number | undefined): Promise<ProcessFacts> {
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

/** These two files wait for the process' memory, so they are read off the main thread. */
async function readProcFile(pid: number, name: "cmdline" | "environ"): Promise<string> {
  const handle = await open(`/proc/${pid}/${name}`, "r");
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length < limits.procFileBytes;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    await handle.close();
  }
}

function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM";
}
