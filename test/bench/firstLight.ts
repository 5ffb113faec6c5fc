// How fast and how large: the first roster in a fresh process beside the coding agent's own list in the same
// run, the roster of a running agent, the agent's memory beside a bare Node, a written line's way into the
// roster, and what watching costs while nothing happens. Prints figures with their ratio to a peer or a limit.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureClaude } from "../support/claude/install.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { StandInWorld, type StandIn } from "../support/rollcall/standIn.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const sessionsCount = 50;
const transcriptBytes = 400_000;
const runs = 7;
const samples = 100;
const idleMs = 20_000;

const opened = new Set<string>();
const standIns = new StandInWorld();
const rollcall = new RollcallWorld({
  configDirs: [standIns.configDir],
  env: { CLAUDE_CONFIG_DIR: standIns.configDir },
});
try {
  const sessions = makeSessions();
  process.stdout.write(`${sessionsCount} live sessions with a transcript of ${transcriptBytes / 1000} kB each\n`);
  const claude = await median(() => time(() => run(ensureClaude(), ["agents", "--json"])));
  const once = await median(() => time(() => rollcall.run(["ls", "--json", "--once"])));
  report("first roster, fresh process", `${ms(once)}, claude agents --json ${ms(claude)}`, once / claude, 1);

  const started = await rollcall.run(["agent", "start"]);
  if (started.code !== 0) throw new Error(started.stderr);
  const agent = { pid: await agentPid() };
  const follower = await Follower.connect(rollcall.socket, [standIns.configDir]);
  const bareStart = await median(() => time(() => run(process.execPath, ["-e", "0"])));
  const ls = await median(() => time(() => rollcall.run(["ls", "--json"])));
  report(
    "rollcall ls of a running agent",
    `${ms(ls)}, of which ${ms(bareStart)} a bare Node's start`,
    ls - bareStart,
    100,
  );

  const bare = await bareNodeBytes();
  const resident = residentBytes(agent.pid);
  report("agent's memory above a bare Node", `${mb(resident)} - ${mb(bare)}`, (resident - bare) / 2 ** 20, 45);

  const lines = await latencies((index) => writeLine(at(sessions, index)), follower, sessions);
  report("transcript line to the roster, p50", ms(quantile(lines, 0.5)), quantile(lines, 0.5), 150);
  report("transcript line to the roster, p95", ms(quantile(lines, 0.95)), quantile(lines, 0.95), 150);

  const before = cpuTicks(agent.pid);
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const idle = ((cpuTicks(agent.pid) - before) * 10) / idleMs;
  report(`agent's share of a core, ${sessionsCount} sessions idle`, `${(idle * 100).toFixed(2)} %`, idle * 100, 0.5);
  follower.close();
} finally {
  await rollcall.close();
  await standIns.close();
}

function makeSessions(): StandIn[] {
  const folder = join(standIns.configDir, "projects", "-bench");
  mkdirSync(folder);
  return Array.from({ length: sessionsCount }, (_, index) => {
    const id = `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const filler = `${JSON.stringify({ type: "attachment", sessionId: id, attachment: { text: "x".repeat(4_000) } })}\n`;
    const turn = line({ type: "user", message: { content: "begin" } });
    const end = line({ type: "system", subtype: "turn_duration" });
    writeFileSync(join(folder, `${id}.jsonl`), filler.repeat(transcriptBytes / filler.length) + turn + end);
    return standIns.start(id, { status: "idle", name: `session ${index}` });
  });
}

async function agentPid(): Promise<number> {
  const { stdout } = await rollcall.run(["agent", "status", "--json"]);
  return (JSON.parse(stdout) as { pid: number }).pid;
}

function line(record: object): string {
  return `${JSON.stringify({ cwd: standIns.root, timestamp: new Date().toISOString(), ...record })}\n`;
}

/** Writes a call, or its result, into the session's transcript. */
function writeLine(session: StandIn): (open: boolean) => boolean {
  const open = toggled(session);
  const content = open
    ? [{ type: "tool_use", id: `toolu_${session.id}`, name: "Bash", input: {} }]
    : [{ type: "tool_result", tool_use_id: `toolu_${session.id}`, content: "" }];
  appendFileSync(
    join(standIns.configDir, "projects", "-bench", `${session.id}.jsonl`),
    line({ type: open ? "assistant" : "user", message: { content } }),
  );
  return (shown) => shown === open;
}

function toggled(session: StandIn): boolean {
  if (opened.delete(session.id)) return false;
  opened.add(session.id);
  return true;
}

async function latencies(
  write: (index: number) => (open: boolean) => boolean,
  follower: Follower,
  sessions: readonly StandIn[],
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const { id } = at(sessions, index);
    const shown = write(index);
    found.push(
      await follower.waitFor(
        "the line",
        (roster) => shown((roster.sessions.find((row) => row.id === id)?.openTurns.length ?? 0) > 0),
        10_000,
      ),
    );
  }
  return found;
}

function at(sessions: readonly StandIn[], index: number): StandIn {
  const session = sessions[index % sessions.length];
  if (session === undefined) throw new Error("no sessions");
  return session;
}

function run(command: string, args: readonly string[]): Promise<void> {
  execFileSync(command, [...args], {
    env: { ...rollcall.env, HOME: standIns.root },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return Promise.resolve();
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Of some runs after one that warms up. */
async function median(work: () => Promise<number>): Promise<number> {
  await work();
  const found: number[] = [];
  for (let index = 0; index < runs; index += 1) found.push(await work());
  return quantile(found, 0.5);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

async function bareNodeBytes(): Promise<number> {
  const node = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log(1)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => node.stdout.once("data", resolve));
  const bytes = residentBytes(node.pid ?? 0);
  node.kill("SIGKILL");
  return bytes;
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Its children's too: the process table is read in one.
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
}

function report(what: string, figure: string, value: number, limit: number): void {
  const verdict = value <= limit ? "within" : "OUTSIDE";
  process.stdout.write(`${what}: ${figure} (${verdict}: ${value.toFixed(2)} of ${limit})\n`);
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
