// Stand-in sessions in real pid namespaces: bubblewrap starts a program that looks like the coding agent's, and the
// test writes the records and transcripts that it would write. What the real one writes is proven with the real one.
import { spawn, type ChildProcess } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until } from "../claude/until.ts";
import { startTicks } from "./standIn.ts";

export interface SandboxStart {
  /** Further bubblewrap arguments, such as mounts. */
  readonly mounts?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** How many pid namespaces deep. */
  readonly depth?: number;
}

export class SandboxWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-sandbox-")));
  readonly configDir = join(this.root, ".claude");
  readonly work = join(this.root, "work");
  readonly executable = join(this.root, "bin", "claude");
  private readonly sandboxes: Sandboxed[] = [];

  constructor() {
    for (const folder of ["sessions", "projects"]) mkdirSync(join(this.configDir, folder), { recursive: true });
    mkdirSync(this.work);
    mkdirSync(join(this.root, "bin"));
    copyFileSync("/bin/sleep", this.executable);
  }

  /** Where the host reaches what a sandbox sees under this path. */
  inside(sandbox: Sandboxed, path: string): string {
    return `/proc/${sandbox.pid}/root${path}`;
  }

  /** Resolves once the session runs in its namespace. */
  async start(start: SandboxStart = {}): Promise<Sandboxed> {
    const enter = ["bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    const outer = Array.from({ length: (start.depth ?? 1) - 1 }, () => enter).flat();
    const cwd = start.cwd ?? this.work;
    const command = [...outer, ...enter, ...(start.mounts ?? []), "--chdir", cwd, this.executable, "600"];
    const child = spawn(command[0] ?? "", command.slice(1), {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"] ?? "/usr/bin:/bin",
        HOME: this.root,
        CLAUDE_CONFIG_DIR: this.configDir,
        ...start.env,
      },
    });
    const sandbox = new Sandboxed(this, child, await sessionBelow(child, this.executable), cwd);
    this.sandboxes.push(sandbox);
    return sandbox;
  }

  async close(): Promise<void> {
    for (const sandbox of this.sandboxes) await sandbox.end();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** One session in a sandbox of its own. */
export class Sandboxed {
  /** As the host counts. */
  readonly pid: number;
  /** As its own namespace counts. */
  readonly innerPid: number;
  readonly namespace: string;
  readonly procStart: string;
  private readonly world: SandboxWorld;
  private readonly child: ChildProcess;
  private readonly cwd: string;

  constructor(world: SandboxWorld, child: ChildProcess, pid: number, cwd: string) {
    this.world = world;
    this.child = child;
    this.pid = pid;
    this.cwd = cwd;
    this.innerPid = Number(/^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    this.namespace = /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? "";
    this.procStart = startTicks(pid);
  }

  get sandbox(): string {
    return `pidns:${this.namespace}`;
  }

  get recordPath(): string {
    return join(this.world.configDir, "sessions", `${this.innerPid}.json`);
  }

  /** In place, over whatever record there is: as the coding agent writes it when it starts. */
  says(id: string, status: string, fields: Readonly<Record<string, unknown>> = {}, path = this.recordPath): void {
    const now = Date.now();
    const record = {
      pid: this.innerPid,
      sessionId: id,
      cwd: this.cwd,
      startedAt: now,
      procStart: this.procStart,
      version: "2.1.332",
      kind: "interactive",
      entrypoint: "cli",
      pidDomain: `linux:${machineId()}:pid:[${this.namespace}]`,
      status,
      updatedAt: now,
      statusUpdatedAt: now,
      ...fields,
    };
    writeFileSync(path, JSON.stringify(record));
  }

  /** As the coding agent changes its status: into whatever record stands under its pid. */
  turns(status: string): void {
    const now = Date.now();
    const record = JSON.parse(readFileSync(this.recordPath, "utf8")) as object;
    writeFileSync(this.recordPath, JSON.stringify({ ...record, status, updatedAt: now, statusUpdatedAt: now }));
  }

  /**
   * A prompt in a transcript of this conversation, and with `ended` its turn's end.
   * @param options.origin the first conversation of the process, which its lines name
   */
  writes(
    id: string,
    text: string,
    { ended = false, configDir = this.world.configDir, origin = id, closed = false } = {},
  ): void {
    const path = join(configDir, "projects", this.cwd.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    const envelope = {
      timestamp: new Date().toISOString(),
      sessionId: id,
      session_id: origin,
      cwd: this.cwd,
      version: "2.1.332",
      entrypoint: "cli",
      isSidechain: false,
    };
    const lines: object[] = [
      { type: "user", ...envelope, promptSource: "typed", message: { role: "user", content: text } },
    ];
    if (ended) lines.push({ type: "system", subtype: "turn_duration", ...envelope, durationMs: 10 });
    if (closed) lines.push({ type: "cost-state", sessionId: id, totalCostUSD: 0 });
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  /** As the coding agent writes a `/clear`: the new conversation into whatever record stands under its pid. */
  clears(old: string, next: string): void {
    this.writes(old, "the last prompt before", { ended: true, closed: true });
    const now = Date.now();
    const record = JSON.parse(readFileSync(this.recordPath, "utf8")) as object;
    writeFileSync(this.recordPath, JSON.stringify({ ...record, sessionId: next, status: "idle", updatedAt: now }));
  }

  removesRecord(): void {
    unlinkSync(this.recordPath);
  }

  /** Resolves when the session is old enough to be taken for one without a record of its own. */
  async settled(): Promise<void> {
    const seconds = (): number => Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
    await until("a settled process", () => seconds() - Number(this.procStart) / 100 > 2.5, { deadlineMs: 10_000 });
  }

  /** SIGKILL for the session and its sandbox; resolves when they were reaped. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill("SIGKILL");
    await ended;
    await until("the end of the sandboxed session", () => !existsSync(`/proc/${this.pid}`), { deadlineMs: 10_000 });
  }
}

export function machineId(): string {
  return existsSync("/etc/machine-id") ? readFileSync("/etc/machine-id", "utf8").trim() : "";
}

/** The program's host pid: a descendant of what started it that has become it. */
function sessionBelow(child: ChildProcess, executable: string): Promise<number> {
  return until(
    "the session in its sandbox",
    () => {
      if (child.exitCode !== null) throw new Error(`the sandbox ended with ${child.exitCode}`);
      return descendants(child.pid ?? 0).find((pid) => runs(pid, executable));
    },
    { deadlineMs: 20_000 },
  );
}

function descendants(of: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readOr(`/proc/${name}/stat`) : undefined;
    if (stat !== undefined) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const isBelow = (pid: number | undefined): boolean => pid !== undefined && (pid === of || isBelow(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== of && isBelow(pid));
}

function runs(pid: number, executable: string): boolean {
  return readOr(`/proc/${pid}/cmdline`)?.split("\0")[0] === executable;
}

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
