// Where files of the product live, by platform custom, and what of it the environment overrides.
import { realpathSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { sha256 } from "./digest.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface RollcallPaths {
  readonly dataDir: string;
  /** The agent's socket, or a named pipe on Windows. */
  readonly socket: string;
  readonly lock: string;
  readonly lastKnown: string;
  readonly logFile: string;
  /** The registry of sandbox sessions. */
  readonly registry: string;
  /** True where its folder is the data folder, which is made by us. */
  readonly registryIsOurs: boolean;
  /** What other tools read of us: the sandboxes and what runs in them. */
  readonly snapshot: string;
  readonly snapshotIsOurs: boolean;
  /** Where hooks leave their events, a folder for each sandbox; and what was made of those that were removed. */
  readonly spool: string;
  readonly hookFacts: string;
  /** Which files were ever seen. */
  readonly seenMarks: string;
  /** What transcripts said when they were last read. */
  readonly keptReads: string;
  /** Copies of what was last read whole of the registries of other tools. */
  readonly lastWhole: string;
  /** What the registry held, over time. */
  readonly journal: string;
  /** Registries of other tools, by name; read, never written. */
  readonly otherRegistries: readonly OtherRegistry[];
}

export interface OtherRegistry {
  readonly tool: string;
  readonly path: string;
}

const otherTools = ["claudectl", "agentctl"] as const;

/** The longest path that a unix socket takes on every platform, its final NUL included. */
export const socketPathLimitBytes = 104;

export function rollcallPaths(env: Environment): RollcallPaths {
  const dataDir = resolve(nonEmpty(env["ROLLCALL_DATA_DIR"]) ?? join(userDataHome(env), "rollcall"));
  const registry = resolve(nonEmpty(env["ROLLCALL_REGISTRY"]) ?? join(dataDir, "sandbox-sessions.json"));
  const snapshot = resolve(nonEmpty(env["ROLLCALL_SNAPSHOT"]) ?? join(dataDir, "sandboxes.json"));
  return {
    dataDir,
    // Not asked for by whoever looks once.
    get socket() {
      return nonEmpty(env["ROLLCALL_SOCKET"]) ?? socketPath(env, dataDir);
    },
    lock: join(dataDir, "agent.lock"),
    lastKnown: join(dataDir, "last-known.json"),
    logFile: join(dataDir, "logs", "agent.log"),
    registry,
    registryIsOurs: dirname(registry) === dataDir,
    snapshot,
    snapshotIsOurs: dirname(snapshot) === dataDir,
    spool: join(dataDir, "spool"),
    hookFacts: join(dataDir, "hook-facts.json"),
    seenMarks: join(dataDir, "seen"),
    keptReads: join(dataDir, "transcript-reads.json"),
    lastWhole: join(dataDir, "last-whole"),
    journal: join(dataDir, "journal"),
    otherRegistries: otherTools
      .map((tool) => ({ tool, path: join(userDataHome(env), tool, "sandbox-sessions.json") }))
      .filter(({ path }) => path !== registry),
  };
}

/** The coding agent's config folders that are looked at, in order, without doubles. */
export function configDirs(env: Environment): readonly string[] {
  const listed = nonEmpty(env["ROLLCALL_CONFIG_DIRS"])
    ?.split(delimiter)
    .filter((dir) => dir !== "");
  const claude = nonEmpty(env["CLAUDE_CONFIG_DIR"]);
  const home = homeDir(env);
  const dirs = listed ?? (claude === undefined ? [join(home, ".claude"), join(home, ".config", "claude")] : [claude]);
  return [...new Set(dirs.map(canonicalPath))];
}

/** True where the user named the config folders, so that sessions of others are not asked for. */
export function configDirsAreNamed(env: Environment): boolean {
  return nonEmpty(env["ROLLCALL_CONFIG_DIRS"]) !== undefined;
}

/** The real path where there is one, so that one folder has one name; else the absolute path as given. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

export function homeDir(env: Environment): string {
  return nonEmpty(env["HOME"]) ?? nonEmpty(env["USERPROFILE"]) ?? homedir();
}

function userDataHome(env: Environment): string {
  const home = homeDir(env);
  if (process.platform === "darwin") return join(home, "Library", "Application Support");
  if (process.platform === "win32") return nonEmpty(env["LOCALAPPDATA"]) ?? join(home, "AppData", "Local");
  return nonEmpty(env["XDG_DATA_HOME"]) ?? join(home, ".local", "share");
}

/** The name carries a hash of the data folder, so that scratch worlds never meet. */
function socketPath(env: Environment, dataDir: string): string {
  const hash = sha256(dataDir, "hex").slice(0, 16);
  if (process.platform === "win32") return `\\\\.\\pipe\\rollcall-${hash}`;
  const runtime = nonEmpty(env["XDG_RUNTIME_DIR"]);
  const folder = runtime === undefined ? join(tmpdir(), `rollcall-${userInfo().uid}`) : join(runtime, "rollcall");
  return join(folder, `agent-${hash}.sock`);
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
