// Which version of the coding agent uses a config folder: what it says itself, else what its sessions' records and its
// newest transcript say. One that is too old reads a settings file with hooks it does not know as a broken one.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../base/limits.ts";
import { homeDir, type Environment } from "../../base/node/paths.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { runProgram } from "../../base/node/spawn.ts";
import { readPidRecord } from "../files/readPidRecord.ts";
import { leastAgentVersion } from "../hookEvents.ts";

export interface AgentVersion {
  readonly version: string;
  readonly told: string;
}

const askDeadlineMs = 5_000;
const namePattern = /\b(\d{1,4})\.(\d{1,4})\.(\d{1,6})\b/;
const filesLooked = 200;

/** Why nothing may be installed; undefined where it may, also where no version can be told. */
export async function tooOld(configDir: string, env: Environment): Promise<string | undefined> {
  for (const found of await agentVersions(configDir, env))
    if (isOlder(found.version, leastAgentVersion))
      return `the coding agent is ${found.version}, as ${found.told}, and would read settings with these hooks as broken; update it to ${leastAgentVersion} or newer and try again`;
  return undefined;
}

/** What can be told of it, each with who says so: more than one version may use a folder. */
export async function agentVersions(configDir: string, env: Environment): Promise<readonly AgentVersion[]> {
  const own = await askAgent(env);
  const recorded = await recordedVersions(configDir);
  const all = [...(own === undefined ? [] : [own]), ...recorded];
  if (all.length > 0) return all;
  const written = await transcriptVersion(configDir);
  return written === undefined ? [] : [written];
}

export function isOlder(version: string, than: string): boolean {
  const [a, b] = [parts(version), parts(than)];
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}

function parts(version: string): readonly number[] {
  return (namePattern.exec(version) ?? []).slice(1).map(Number);
}

async function askAgent(env: Environment): Promise<AgentVersion | undefined> {
  for (const command of ["claude", join(homeDir(env), ".local", "bin", "claude")]) {
    const call = { command, args: ["--version"], env, deadlineMs: askDeadlineMs, outputLimitBytes: 4_096 };
    const outcome = await runProgram(call).outcome;
    const said =
      outcome.kind === "exited" && outcome.code === 0 ? namePattern.exec(outcome.stdout.toString("utf8")) : null;
    if (said !== null) return { version: said[0], told: `"${command} --version" says` };
  }
  return undefined;
}

/** Records of sessions that run, or that were killed: the newest of each version. */
async function recordedVersions(configDir: string): Promise<readonly AgentVersion[]> {
  const folder = join(configDir, "sessions");
  const found = new Map<string, AgentVersion>();
  for (const name of (await list(folder)).filter((each) => /^\d+\.json$/.test(each)).slice(0, filesLooked)) {
    const read = await readBounded(join(folder, name), limits.pidRecordBytes, limits.fileReadDeadlineMs);
    const record = read.kind === "read" ? readPidRecord(parsed(read.bytes)) : undefined;
    const version = record?.version;
    if (record === undefined || version === undefined || !namePattern.test(version) || !isAlive(record.pid)) continue;
    found.set(version, { version, told: `session ${record.sessionId} says` });
  }
  return [...found.values()];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The transcript of the folder that was written last. */
export async function newestTranscript(
  configDir: string,
): Promise<{ readonly path: string; readonly at: number } | undefined> {
  const projects = join(configDir, "projects");
  let newest: { readonly path: string; readonly at: number } | undefined;
  for (const project of (await list(projects)).slice(0, filesLooked)) {
    const folder = join(projects, project);
    for (const name of (await list(folder)).filter((each) => each.endsWith(".jsonl")).slice(0, filesLooked)) {
      const path = join(folder, name);
      const at = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      if (newest === undefined || at > newest.at) newest = { path, at };
    }
  }
  return newest;
}

async function transcriptVersion(configDir: string): Promise<AgentVersion | undefined> {
  const newest = await newestTranscript(configDir);
  if (newest === undefined) return undefined;
  const read = await readBounded(newest.path, limits.transcriptTailCapBytes, limits.fileReadDeadlineMs);
  const said =
    read.kind === "read"
      ? [...read.bytes.toString("utf8").matchAll(/"version": ?"(\d+\.\d+\.\d+)"/g)].at(-1)?.[1]
      : undefined;
  return said === undefined ? undefined : { version: said, told: "its newest transcript says" };
}

/** A folder that cannot be listed tells of no version, which is no answer: another place is asked, or nobody knows. */
async function list(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
