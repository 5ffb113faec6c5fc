// The record of a running session, `<config>/sessions/<pid>.json`, as Claude Code 2.1.332 writes it: keys and their
// order, in place at each transition, removed at an orderly end, left behind by a kill.
import { chmodSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { processStart } from "../../../base/node/processStart.ts";
import { agentVersion } from "./envelope.ts";

export type RecordStatus = "busy" | "idle" | "waiting" | "shell";

export interface RecordIdentity {
  readonly pid: number;
  readonly procStart: string;
  readonly pidDomain: string;
  readonly startedAt: number;
  readonly cwd: string;
  readonly entrypoint: string;
  readonly socketFolder: string;
}

export interface RecordState {
  readonly sessionId: string;
  readonly name: string;
  readonly nameSource: "derived" | "user";
  readonly nameSince: number;
  /** Missing for the first moments. */
  readonly said?: {
    readonly status: RecordStatus;
    readonly waitingFor?: string;
    readonly updatedAt: number;
    readonly statusUpdatedAt: number;
  };
}

export function pidRecord(identity: RecordIdentity, state: RecordState): Readonly<Record<string, unknown>> {
  const { said } = state;
  return {
    pid: identity.pid,
    sessionId: state.sessionId,
    cwd: identity.cwd,
    startedAt: identity.startedAt,
    procStart: identity.procStart,
    version: agentVersion,
    peerProtocol: 1,
    peerFeatures: ["notify_idle", "reply_across_default_dirs", "artifact_yield"],
    kind: "interactive",
    entrypoint: identity.entrypoint,
    pidDomain: identity.pidDomain,
    asksForConvertedSkills: null,
    messagingSocketPath: join(identity.socketFolder, `${identity.pid}.sock`),
    name: state.name,
    nameSource: state.nameSource,
    nameSince: state.nameSince,
    ...(said === undefined
      ? {}
      : { status: said.status, updatedAt: said.updatedAt, statusUpdatedAt: said.statusUpdatedAt }),
    ...(said?.waitingFor === undefined ? {} : { waitingFor: said.waitingFor }),
  };
}

/** What this very process would say of itself, in its own pid namespace. */
export function ownIdentity(session: {
  readonly cwd: string;
  readonly entrypoint: string;
  readonly socketFolder: string;
}): RecordIdentity {
  return { pid: process.pid, procStart: ownStart(), pidDomain: ownPidDomain(), startedAt: Date.now(), ...session };
}

export class PidRecordFile {
  readonly path: string;
  private readonly identity: RecordIdentity;

  constructor(configDir: string, identity: RecordIdentity) {
    const folder = join(configDir, "sessions");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    this.path = join(folder, `${identity.pid}.json`);
    this.identity = identity;
  }

  write(state: RecordState): void {
    writeFileSync(this.path, JSON.stringify(pidRecord(this.identity, state)));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function ownStart(): string {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-o", "lstart=", "-p", String(process.pid)], { encoding: "utf8" }).stdout.trim();
  }
  const start = processStart(process.pid);
  if (start.kind !== "started") throw new Error("/proc does not tell when this process started");
  return start.token;
}

/** As the real agent names the pid namespace that this process is in. */
export function ownPidDomain(): string {
  if (process.platform !== "linux") return `${process.platform}:`;
  return `linux:${machineId()}:${readlinkSync("/proc/self/ns/pid")}`;
}

function machineId(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    return "";
  }
}
