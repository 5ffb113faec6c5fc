// A process that looks like the coding agent's, with the record that the agent would write for it: for tests
// that need many or that fail on purpose. What the real agent writes is proven with the real one.
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentVersion } from "../../../scripts/demo/standIn/envelope.ts";
import { ownPidDomain } from "../../../scripts/demo/standIn/pidRecord.ts";
import { HeldProcess } from "../../../agent/observe/procStat.ts";

export { ownPidDomain };

export interface StandInRecord {
  readonly status?: string;
  readonly waitingFor?: string;
  readonly name?: string;
}

export class StandInWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-standin-")));
  readonly configDir = join(this.root, ".claude");
  readonly executable = join(this.root, "bin", "claude");
  private readonly sessions: StandIn[] = [];

  constructor() {
    mkdirSync(join(this.configDir, "sessions"), { recursive: true });
    mkdirSync(join(this.configDir, "projects"));
    mkdirSync(join(this.root, "bin"));
    copyFileSync("/bin/sleep", this.executable);
  }

  /** A session with a record, or a bare process without one. */
  start(id: string, record: StandInRecord | undefined): StandIn {
    const child = spawn(this.executable, ["600"], {
      stdio: "ignore",
      cwd: this.root,
      env: { HOME: this.root, CLAUDE_CONFIG_DIR: this.configDir },
    });
    const session = new StandIn(this, id, child);
    this.sessions.push(session);
    if (record !== undefined) session.says(record);
    return session;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) await session.kill();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export class StandIn {
  readonly id: string;
  readonly pid: number;
  private readonly world: StandInWorld;
  private readonly child: ChildProcess;
  private readonly startedAt = Date.now();

  constructor(world: StandInWorld, id: string, child: ChildProcess) {
    if (child.pid === undefined) throw new Error("the stand-in session did not start");
    this.world = world;
    this.id = id;
    this.child = child;
    this.pid = child.pid;
  }

  get recordPath(): string {
    return join(this.world.configDir, "sessions", `${this.pid}.json`);
  }

  /** In place, as the coding agent writes it. */
  says(record: StandInRecord, overrides: Readonly<Record<string, unknown>> = {}): void {
    const now = Date.now();
    const whole = {
      pid: this.pid,
      sessionId: this.id,
      cwd: this.world.root,
      startedAt: this.startedAt,
      procStart: startTicks(this.pid),
      version: agentVersion,
      kind: "interactive",
      entrypoint: "cli",
      pidDomain: ownPidDomain(),
      nameSource: "user",
      updatedAt: now,
      statusUpdatedAt: now,
      ...record,
      ...overrides,
    };
    writeFileSync(this.recordPath, JSON.stringify(whole));
  }

  /** SIGKILL; resolves when the process was reaped. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill("SIGKILL");
    await ended;
  }
}

export function startTicks(pid: number): string {
  const held = new HeldProcess(pid, Buffer.alloc(4096));
  try {
    const glance = held.glance();
    if (glance.kind !== "alive") throw new Error(`process ${pid} does not live`);
    return glance.stat.startTicks;
  } finally {
    held.close();
  }
}
