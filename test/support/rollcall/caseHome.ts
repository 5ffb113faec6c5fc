// A HOME built for one case: config folders with session records and transcripts, processes that look like the coding
// agent's, and `rollcall ls --once --json` run on it as a user runs it. Its clock may run ahead of the real one, so
// that a process started a moment ago is hours old; every time of a case is reckoned from `now`.
import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { uptimeTicks } from "../../../agent/observe/procScan.ts";
import { ticksPerSecond } from "../../../agent/observe/procStat.ts";
import type { Roster, Session } from "../../../protocol/roster.ts";
import { until } from "../claude/until.ts";
import { Follower } from "./follower.ts";
import { ownPidDomain, startTicks } from "./standIn.ts";
import { TranscriptLines } from "./transcriptLines.ts";
import { writeWaiter } from "./waiter.ts";
import { RollcallWorld } from "./world.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Longer than the observer takes a process for one that may still be about to run another program. */
const settledMs = 2_200;

export interface CaseHomeOptions {
  /** How far the clock of `ls` runs ahead; processes are this old. An hour unless told otherwise. */
  readonly aheadMs?: number;
  /** Under the HOME; the first is where sessions stand unless told otherwise. */
  readonly configDirs?: readonly string[];
}

export interface ProcessLook {
  /** Under the HOME; `bin/claude` unless told otherwise. */
  readonly program?: string;
  /** What stands as the first argument; the program's path unless told otherwise. */
  readonly argv0?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TranscriptPlace {
  /** Name of the folder under `projects`; made of `cwd` as the coding agent does unless told otherwise. */
  readonly project?: string;
  readonly cwd?: string;
  readonly configDir?: string;
  /** Time of the first record. */
  readonly from?: number;
}

/** Several in one test number themselves. */
export function sessionId(number: number): string {
  return `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

export function caseHome(t: Pick<TestContext, "after">, options: CaseHomeOptions = {}): CaseHome {
  const home = new CaseHome(options);
  t.after(() => home.close());
  return home;
}

export class CaseHome {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-case-")));
  readonly configDir: string;
  readonly cwd: string;
  readonly world: RollcallWorld;
  private readonly aheadMs: number;
  private readonly processes: CaseProcess[] = [];
  private readonly followers: Follower[] = [];
  private agentUsed = false;

  constructor({ aheadMs = hour, configDirs = [".claude"] }: CaseHomeOptions) {
    this.aheadMs = aheadMs;
    const dirs = configDirs.map((dir) => join(this.root, dir));
    this.configDir = dirs[0] ?? join(this.root, ".claude");
    for (const dir of dirs) {
      mkdirSync(join(dir, "sessions"), { recursive: true });
      mkdirSync(join(dir, "projects"));
    }
    this.cwd = join(this.root, "app");
    mkdirSync(this.cwd);
    this.world = new RollcallWorld({ configDirs: dirs, env: { HOME: this.root, ...this.clock() } });
  }

  /** What `ls` takes for the time. */
  get now(): number {
    return Date.now() + this.aheadMs;
  }

  ago(ms: number): number {
    return this.now - ms;
  }

  /** A process of its own that waits until the case is over. */
  start({
    program = join("bin", "claude"),
    argv0,
    args = [],
    cwd = this.cwd,
    env = {},
  }: ProcessLook = {}): CaseProcess {
    const path = this.program(program);
    const child = spawn(path, args, {
      argv0: argv0 ?? path,
      cwd,
      env: { ...this.agentEnv, ...env },
      stdio: "ignore",
    });
    const process = new CaseProcess(child);
    this.processes.push(process);
    return process;
  }

  /** A process with this pid in a pid namespace of its own. */
  async startInNamespace(
    pid = 7,
    { program = join("bin", "claude"), args = [], env = {} }: ProcessLook = {},
  ): Promise<CaseProcess> {
    const path = this.program(program);
    const forks = `i=2; while [ $i -lt ${pid} ]; do /bin/true; i=$((i+1)); done; "$@" & wait`;
    const child = spawn(
      "unshare",
      ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "sh", "-c", forks, "sh", path, ...args],
      {
        cwd: this.cwd,
        env: { ...this.agentEnv, PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const { pid: outer } = child;
    if (outer === undefined) throw new Error("the namespace did not start");
    const hostPid = await until("the process in the namespace", () => tryOr(() => descendantRunning(path, outer)), {
      deadlineMs: 5_000,
    });
    const inside = new CaseProcess(child, { pid, hostPid });
    this.processes.push(inside);
    return inside;
  }

  /** A session record as the coding agent writes it for this process; `undefined` leaves a field out. */
  record(process: CaseProcess, id: string, fields: Readonly<Record<string, unknown>> = {}): string {
    process.recorded = true;
    const at = this.now;
    return this.recordFile(process.pid, {
      pid: process.pid,
      sessionId: id,
      cwd: this.cwd,
      startedAt: process.startedAt,
      procStart: process.startTicks,
      version: "2.1.332",
      peerProtocol: 1,
      kind: "interactive",
      entrypoint: "cli",
      pidDomain: process.pidDomain,
      name: "app-3f",
      nameSource: "derived",
      status: "idle",
      updatedAt: at,
      statusUpdatedAt: at,
      ...fields,
    });
  }

  /** A record with exactly this in it; text is written as it is. */
  recordFile(name: number | string, content: unknown, configDir = this.configDir): string {
    const path = join(configDir, "sessions", `${name}.json`);
    writeFileSync(path, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return path;
  }

  /** Lines to be written by `transcript`. */
  lines(id: string, { cwd = this.cwd, from = this.ago(minute) }: TranscriptPlace = {}): TranscriptLines {
    return new TranscriptLines({ sessionId: id, cwd, from });
  }

  /** Writes a transcript, its time that of its last record. */
  transcript(id: string, build: (lines: TranscriptLines) => unknown, place: TranscriptPlace = {}): string {
    const lines = this.lines(id, place);
    build(lines);
    return this.transcriptFile(id, lines.text, { ...place, from: lines.lastAt });
  }

  /** A transcript with exactly these bytes; `from` is its time. */
  transcriptFile(id: string, content: string | Buffer, place: TranscriptPlace = {}): string {
    const { cwd = this.cwd, project = projectFolder(cwd), configDir = this.configDir, from = this.now } = place;
    const path = join(configDir, "projects", project, `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    touch(path, from);
    return path;
  }

  /** A live session: process, record and transcript. */
  session(
    id: string,
    record: Readonly<Record<string, unknown>>,
    build: (lines: TranscriptLines) => unknown,
  ): CaseProcess {
    const process = this.start();
    this.record(process, id, record);
    this.transcript(id, build);
    return process;
  }

  async ls(...flags: readonly string[]): Promise<CaseRoster> {
    for (const process of this.processes) await process.settled();
    return new CaseRoster(this.root, await this.world.roster("--once", ...flags));
  }

  /** As `ls`, where the process finds an empty /proc. */
  async lsWithoutProc(): Promise<CaseRoster> {
    const hide = 'mount -t tmpfs none /proc && exec "$@"';
    const wrap = ["--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"];
    return new CaseRoster(this.root, await this.world.rosterIn("unshare", wrap, "--once"));
  }

  /** An agent that follows this HOME, and a client that follows the agent. */
  async follow(): Promise<Follower> {
    this.agentUsed = true;
    await this.world.startAgent();
    const follower = await Follower.connect(this.world.socket, [this.configDir]);
    this.followers.push(follower);
    return follower;
  }

  async close(): Promise<void> {
    for (const follower of this.followers) follower.close();
    for (const process of this.processes) await process.kill();
    if (this.agentUsed) await this.world.close();
    else rmSync(this.world.root, { recursive: true, force: true });
    rmSync(this.root, { recursive: true, force: true });
  }

  private get agentEnv(): Readonly<Record<string, string>> {
    return { HOME: this.root, CLAUDE_CONFIG_DIR: this.configDir };
  }

  private program(program: string): string {
    const path = join(this.root, program);
    if (!existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true });
      writeWaiter(path);
    }
    return path;
  }

  private clock(): Readonly<Record<string, string>> {
    if (this.aheadMs === 0) return {};
    return {
      NODE_OPTIONS: `--require=${join(import.meta.dirname, "laterClock.cjs")}`,
      ROLLCALL_TEST_CLOCK_AHEAD_MS: String(this.aheadMs),
    };
  }
}

export class CaseProcess {
  /** As its own namespace counts. */
  readonly pid: number;
  readonly hostPid: number;
  readonly startTicks: string;
  readonly pidDomain: string;
  readonly startedAt = Date.now();
  /** A record names it, so that it is looked at however young. */
  recorded = false;
  private readonly child: ChildProcess;

  constructor(child: ChildProcess, inside?: { readonly pid: number; readonly hostPid: number }) {
    if (child.pid === undefined) throw new Error("the process did not start");
    this.child = child;
    this.hostPid = inside?.hostPid ?? child.pid;
    this.pid = inside?.pid ?? child.pid;
    this.startTicks = startTicks(this.hostPid);
    this.pidDomain = ownPidDomain().replace(/\d+\]$/, `${namespaceOf(this.hostPid)}]`);
  }

  get namespace(): string {
    return /\[(\d+)\]$/.exec(this.pidDomain)?.[1] ?? "";
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill("SIGKILL");
    await ended;
    // One in a namespace is not our child; it dies with the namespace's first process.
    await until("the process to be gone", () => !existsSync(`/proc/${this.hostPid}`), { deadlineMs: 5_000 });
  }

  async settled(): Promise<void> {
    if ((this.recorded && this.pid === this.hostPid) || this.child.signalCode !== null) return;
    const grown = Number(this.startTicks) + (settledMs * ticksPerSecond) / 1000;
    await until("the process to be no newborn", () => uptimeTicks() > grown, { deadlineMs: 10_000, everyMs: 50 });
  }
}

function namespaceOf(pid: number): string {
  return /\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[1] ?? "";
}

/** The descendant that runs this program. */
function descendantRunning(path: string, pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
  for (const child of children === "" ? [] : children.split(" ").map(Number)) {
    const exe = readlinkSync(`/proc/${child}/exe`);
    const found = exe === path ? child : descendantRunning(path, child);
    if (found !== undefined) return found;
  }
  return undefined;
}

export class CaseRoster {
  readonly whole: Roster;
  /** Those of this HOME: other tests run beside this one. */
  readonly sessions: readonly Session[];

  constructor(root: string, whole: Roster) {
    this.whole = whole;
    this.sessions = whole.sessions.filter(({ configDir }) => configDir.startsWith(root));
  }

  get ids(): readonly string[] {
    return this.sessions.map(({ id }) => id);
  }

  /** The one row of this conversation. */
  row(id: string): Session {
    const rows = this.sessions.filter((session) => session.id === id);
    const [row] = rows;
    if (row === undefined || rows.length !== 1)
      throw new Error(`${rows.length} rows of ${id}; there are ${JSON.stringify(this.ids)}`);
    return row;
  }

  /** Rows of processes without a known conversation. */
  get bare(): readonly Session[] {
    return this.sessions.filter(({ id }) => id.startsWith("proc:"));
  }

  /** In one line: "live, needs-you: question". */
  says(id: string): string {
    return inWords(this.row(id));
  }
}

export function inWords({ liveness, status }: Session): string {
  const life = liveness.how === undefined ? liveness.kind : `${liveness.kind}: ${liveness.how}`;
  return `${life}, ${status.kind}${status.why === undefined ? "" : `: ${status.why}`}`;
}

/** What was read over of this path, or of all. */
export function skippedAt(roster: CaseRoster, path?: string): readonly string[] {
  return roster.whole.skipped
    .filter((skipped) => path === undefined || skipped.path === path)
    .map(({ count, why }) => `${count}: ${why}`);
}

/** As the coding agent names it. */
export function projectFolder(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}

export function touch(path: string, epochMs: number): void {
  utimesSync(path, epochMs / 1000, epochMs / 1000);
}

/** Undefined for what ended or is about to run another program while it was looked at. */
function tryOr<T>(look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
