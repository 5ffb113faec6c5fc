// What `/proc` tells of one process: its program and arguments, its start, its namespace, and of a session where it
// works. Throws what the system throws; what a failure means is for who looks.
import { closeSync, open, openSync, read, readlinkSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { identifyProcess, isHosted, isInterpreter } from "../core/processIdentity.ts";
import type { ProcessFacts } from "../core/processes.ts";
import { shortText } from "../core/shortText.ts";
import type { ConfigFolders, FolderAsker } from "./configFolders.ts";
import { containersOf } from "./procContainers.ts";
import { innermostPid } from "./namespaceCensus.ts";
import { ticksPerSecond, type ProcStat } from "./procStat.ts";
import { readProcText } from "./procText.ts";

/** Most command lines and environments fit. */
const chunkBytes = 4096;
const openInThread = promisify(open);
const readInThread = promisify(read);

export interface ProcFactsOptions {
  readonly bootedAt: number | undefined;
  readonly folders: Pick<ConfigFolders, "find">;
}

export async function readProcFacts(
  pid: number,
  stat: ProcStat,
  { bootedAt, folders }: ProcFactsOptions,
): Promise<ProcessFacts> {
  const argv = (await readProcFile(pid, "cmdline")).replace(/\0$/, "").split("\0");
  const exe = readProcLink(pid, "exe");
  const role = identifyProcess({ argv, exe, comm: stat.comm });
  const namespace = /^pid:\[(\d+)\]$/.exec(readProcLink(pid, "ns/pid") ?? "")?.[1];
  const status = readProcText(`/proc/${pid}/status`);
  const hasOtherMounts = role.kind === "session" && mountsDiffer(pid);
  const containers = role.kind === "session" ? containersOf(pid) : undefined;
  const cwd = role.kind === "session" ? readProcLink(pid, "cwd") : undefined;
  const environ = role.kind === "session" && isOurs(status) ? await readEnviron(pid) : noEnvironment;
  const named = configDirOf(environ, cwd);
  const entrypoint =
    shortText(environ.entrypoint) ?? (role.kind === "session" && isHosted(exe ?? argv[0]) ? "hosted" : undefined);
  const sandboxNamed = shortText(environ.sandboxName);
  return {
    pid,
    startToken: stat.startTicks,
    startedAt:
      bootedAt === undefined ? undefined : bootedAt + Math.round((Number(stat.startTicks) / ticksPerSecond) * 1000),
    ppid: stat.ppid,
    namespace,
    namespacePid: innermostPid(status) ?? pid,
    role,
    isInterpreted: isInterpreter(exe ?? argv[0] ?? ""),
    cwd,
    ...(hasOtherMounts ? { hasOtherMounts } : {}),
    ...(containers === undefined ? {} : { containers }),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(sandboxNamed === undefined ? {} : { sandboxNamed }),
    configDir:
      named === undefined
        ? undefined
        : await findFolder(folders, { pid, startToken: stat.startTicks, namespace }, named),
  };
}

/** A folder that cannot be asked for now is one not told; the process is a session all the same. */
async function findFolder(
  folders: ProcFactsOptions["folders"],
  asker: FolderAsker,
  named: string,
): Promise<string | undefined> {
  try {
    return await folders.find(asker, named);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    return undefined;
  }
}

/** `own`: it runs another program than its parent, so it is past its exec. */
export type Program = "own" | "of-its-parent" | "cannot-tell";

/** Between fork and exec a session's child looks like the session itself, to the letter. */
export async function whoseProgram({ pid, ppid }: Pick<ProcessFacts, "pid" | "ppid">): Promise<Program> {
  // Whoever is left behind by its parent gets the first process for one.
  if (ppid === undefined || ppid <= 1) return "cannot-tell";
  try {
    return (await readProcFile(ppid, "cmdline")) === (await readProcFile(pid, "cmdline")) ? "of-its-parent" : "own";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ESRCH" || isDenied(error)) return "cannot-tell";
    throw error;
  }
}

/** Of a process' environment these keys only; the rest is not kept, it may hold secrets. */
interface KeptEnvironment {
  readonly configDir: string | undefined;
  readonly home: string | undefined;
  readonly entrypoint: string | undefined;
  readonly sandboxName: string | undefined;
}

const noEnvironment: KeptEnvironment = {
  configDir: undefined,
  home: undefined,
  entrypoint: undefined,
  sandboxName: undefined,
};

async function readEnviron(pid: number): Promise<KeptEnvironment> {
  let text: string;
  try {
    text = await readProcFile(pid, "environ");
  } catch (error) {
    if (isDenied(error)) return noEnvironment;
    throw error;
  }
  const find = (key: string): string | undefined => {
    const entry = text.split("\0").find((candidate) => candidate.startsWith(`${key}=`));
    return entry === undefined || entry.length === key.length + 1 ? undefined : entry.slice(key.length + 1);
  };
  return {
    configDir: find("CLAUDE_CONFIG_DIR"),
    home: find("HOME"),
    entrypoint: find("CLAUDE_CODE_ENTRYPOINT"),
    sandboxName: find("SANDBOX_NAME"),
  };
}

/** As the process names it; undefined where it cannot be told or is no path. */
function configDirOf({ configDir, home }: KeptEnvironment, cwd: string | undefined): string | undefined {
  const named = configDir ?? (home === undefined ? undefined : join(home, ".claude"));
  if (named === undefined || named.length > limits.configDirChars) return undefined;
  if (isAbsolute(named)) return normalize(named).replace(/(.)\/$/, "$1");
  return cwd === undefined ? undefined : join(cwd, named);
}

/** The environment of another user's process is none of ours. */
function isOurs(status: string): boolean {
  const effective = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  return effective !== undefined && Number(effective) === process.geteuid?.();
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

/** Where that cannot be told its paths are taken for ours, as those of a process without a sandbox are. */
function mountsDiffer(pid: number): boolean {
  const mounts = readProcLink(pid, "ns/mnt");
  return mounts !== undefined && mounts !== (ownMounts ??= readlinkSync("/proc/self/ns/mnt"));
}

/** We never leave ours. */
let ownMounts: string | undefined;

/**
 * These two files wait for the process' memory, so they are read off the main thread. One that ends within the first
 * chunk, which the kernel fills as far as there is something, is not asked again.
 */
async function readProcFile(pid: number, name: "cmdline" | "environ"): Promise<string> {
  const path = `/proc/${pid}/${name}`;
  // To open the one asks nobody; to open the other waits for a process that is on its way into another program.
  const file = name === "cmdline" ? openSync(path, "r") : await openInThread(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length < limits.procFileBytes;) {
      const { bytesRead, buffer } = await readInThread(file, Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
      chunks.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
      if (bytesRead === 0 || (length === bytesRead && bytesRead < chunkBytes)) break;
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    closeSync(file);
  }
}

function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM";
}
