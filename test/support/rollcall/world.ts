// A scratch Rollcall: a data folder and socket of its own, the built bundles, and the agent as a separate process
// or the CLI as a user runs it. Nothing of the person running the tests is read or written.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockState } from "../../../base/node/lock.ts";
import { rosterSchema, type Roster } from "../../../protocol/roster.ts";
import { until } from "../claude/until.ts";

export const repositoryRoot = join(import.meta.dirname, "..", "..", "..");
const cliBundle = join(repositoryRoot, "dist", "rollcall.cjs");
const commandDeadlineMs = 30_000;

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RollcallWorldOptions {
  readonly configDirs: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class RollcallWorld {
  readonly root: string;
  readonly dataDir: string;
  readonly socket: string;
  readonly env: Record<string, string>;
  /** How a shell starts the CLI. */
  readonly cli = [process.execPath, cliBundle] as const;
  private agents: ChildProcess[] = [];

  constructor(options: RollcallWorldOptions) {
    if (!existsSync(cliBundle)) throw new Error(`${cliBundle} is missing; run "npm run build" first`);
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-world-")));
    this.dataDir = options.env?.["ROLLCALL_DATA_DIR"] ?? join(this.root, "data");
    this.socket = join(this.root, "run", "agent.sock");
    this.env = {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: join(this.root, "home"),
      ROLLCALL_DATA_DIR: this.dataDir,
      ROLLCALL_SOCKET: this.socket,
      ...(options.configDirs.length === 0 ? {} : { ROLLCALL_CONFIG_DIRS: options.configDirs.join(":") }),
      // What this machine runs by itself is no part of a test.
      ROLLCALL_SANDBOX_ADAPTERS: "namespaces",
      ...options.env,
    };
  }

  /**
   * The agent in a process of its own, in the foreground; resolves once it listens.
   * @param within what starts it, such as a sandbox of its own
   */
  async startAgent(env: Readonly<Record<string, string>> = {}, within: readonly string[] = []): Promise<ChildProcess> {
    const line = [...within, process.execPath, cliBundle, "agent", "run"];
    const [command = "", ...args] = line;
    const agent = spawn(command, args, {
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.agents.push(agent);
    await new Promise<void>((resolve, reject) => {
      agent.stdout.once("data", () => resolve());
      agent.once("exit", (code) => reject(new Error(`the agent ended with ${code} before it listened: ${this.log()}`)));
    });
    return agent;
  }

  async stopAgent(agent: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const ended = new Promise<void>((resolve) => agent.once("exit", () => resolve()));
    if (agent.exitCode === null && agent.signalCode === null) {
      agent.kill(signal);
      await ended;
    }
    this.agents = this.agents.filter((other) => other !== agent);
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
    return this.execute(this.cli[0], [this.cli[1], ...args], env);
  }

  private execute(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      execFile(
        command,
        args,
        { env: { ...this.env, ...env }, timeout: commandDeadlineMs, maxBuffer: 64 * 2 ** 20 },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== "number") reject(new Error(error.message, { cause: error }));
          else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        },
      );
    });
  }

  async roster(...flags: readonly string[]): Promise<Roster> {
    return parseRoster(await this.run(["ls", "--json", ...flags]));
  }

  /** As `roster`, with the CLI started by another program that is given its command line. */
  async rosterIn(command: string, args: readonly string[], ...flags: readonly string[]): Promise<Roster> {
    const line = [...this.cli, "ls", "--json", ...flags];
    return parseRoster(await this.execute(command, [...args, ...line]));
  }

  log(): string {
    const path = join(this.dataDir, "logs", "agent.log");
    return existsSync(path) ? readFileSync(path, "utf8") : "no log";
  }

  async close(): Promise<void> {
    for (const agent of this.agents) await this.stopAgent(agent);
    // One that a command started by itself.
    await this.run(["agent", "stop"]);
    const lock = join(this.dataDir, "agent.lock");
    await until("the agent's end", () => lockState(lock).kind !== "held", { deadlineMs: 10_000 });
    rmSync(this.root, { recursive: true, force: true });
  }
}

function parseRoster({ code, stdout, stderr }: CommandResult): Roster {
  if (code !== 0) throw new Error(`rollcall ls --json ended with ${code}: ${stderr}`);
  return rosterSchema.parse(JSON.parse(stdout));
}
