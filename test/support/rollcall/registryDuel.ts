// Our own puts and forgets against a foreign writer that loses whatever it can: no session that was recorded may ever
// leave the roster, and one command brings the file back whole. Seconds of it are a test, minutes the soak.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient } from "../../../protocol/node/agentClient.ts";
import type { Roster } from "../../../protocol/roster.ts";
import { Follower } from "./follower.ts";
import { RollcallWorld } from "./world.ts";

export interface DuelOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly ways: readonly string[];
  /** The foreign writer rests up to so long between two writes. */
  readonly restMs?: number;
  /** The agent is killed and started again so often. */
  readonly killEveryMs?: number;
  readonly log?: (line: string) => void;
}

export interface DuelResult {
  readonly recorded: number;
  readonly forgotten: number;
  readonly kept: number;
  readonly foreignRounds: number;
  readonly kills: number;
}

const deadlineMs = 60_000;
const sandboxes = ["a", "b", "c"] as const;

export async function duel(options: DuelOptions): Promise<DuelResult> {
  const rollcall = new RollcallWorld({ configDirs: [], env: { ROLLCALL_CONFIG_DIRS: "/nonexistent/rollcall" } });
  const game = new Duel(options, rollcall);
  try {
    return await game.play();
  } finally {
    game.close();
    await rollcall.close();
  }
}

class Duel {
  private readonly options: DuelOptions;
  private readonly rollcall: RollcallWorld;
  private readonly registry: string;
  /** Sessions of which the agent said that they are recorded. */
  private readonly recorded = new Set<string>();
  /** Of those that wait. */
  private readonly promised = new Set<string>();
  private readonly forgotten = new Set<string>();
  private keptCount = 0;
  private kills = 0;
  private state: number;
  private agent: ChildProcess | undefined;
  private follower: Follower | undefined;
  private client: AgentClient | undefined;
  private writer: ChildProcess | undefined;
  private lost: string | undefined;

  constructor(options: DuelOptions, rollcall: RollcallWorld) {
    this.options = options;
    this.rollcall = rollcall;
    this.registry = join(rollcall.dataDir, "sandbox-sessions.json");
    this.state = options.seed >>> 0;
  }

  async play(): Promise<DuelResult> {
    await this.startAgent();
    await this.put("a", "first");
    const program = join(import.meta.dirname, "foreignWriter.ts");
    const { seconds, seed, ways, restMs = 0, killEveryMs = Infinity, log } = this.options;
    const writer = spawn(process.execPath, [program, this.registry, ways.join(","), String(seed), String(restMs)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.writer = writer;
    let said = "";
    writer.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const until = Date.now() + seconds * 1_000;
    let [nextKill, nextLine] = [Date.now() + killEveryMs, Date.now() + 30_000];
    for (let n = 0; Date.now() < until; n += 1) {
      await this.act(n);
      if (Date.now() > nextKill) {
        await this.killAgent();
        nextKill = Date.now() + killEveryMs;
      }
      if (Date.now() > nextLine) {
        log?.(
          `${this.recorded.size} recorded, ${this.forgotten.size} forgotten, ${this.keptCount} kept, ${this.kills} kills`,
        );
        nextLine = Date.now() + 30_000;
      }
    }
    writer.stdin.end();
    await once(writer, "exit");
    await this.settle();
    return {
      recorded: this.recorded.size,
      forgotten: this.forgotten.size,
      kept: this.keptCount,
      foreignRounds: Number(said),
      kills: this.kills,
    };
  }

  close(): void {
    this.follower?.close();
    this.client?.dispose();
    this.writer?.kill("SIGKILL");
  }

  private async act(n: number): Promise<void> {
    const known = [...this.recorded].filter((id) => !this.forgotten.has(id));
    const chance = this.random();
    const sandbox = sandboxes[Math.floor(this.random() * sandboxes.length)] ?? "a";
    const id = `s-${n}`;
    const one = known[Math.floor(this.random() * known.length)];
    if (chance < 0.7 || one === undefined) await this.put(sandbox, id);
    else await this.forget(one);
    assert.equal(this.lost, undefined, `lost from the roster: ${this.lost ?? ""}; seed ${this.options.seed}`);
  }

  private async put(sandbox: string, session: string): Promise<void> {
    const kept = await this.write("registry/put", { sandbox, session, cwd: `/work/${session}` });
    if (kept === "done") {
      const isThere = ({ sessions }: Roster): boolean => sessions.some(({ id }) => id === session);
      await this.follower?.waitFor(`${session}; seed ${this.options.seed}`, isThere, 10_000);
      this.recorded.add(session);
    }
    if (kept === "kept") this.promised.add(session);
  }

  private async forget(session: string): Promise<void> {
    this.forgotten.add(session);
    await this.write("registry/forget", { session });
  }

  private async write(
    method: "registry/put" | "registry/forget",
    params: Parameters<AgentClient["request"]>[1],
  ): Promise<"done" | "kept" | "refused"> {
    try {
      await this.client?.request(method, params as never, deadlineMs);
      return "done";
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      if (/kept as intent #\d+/.test(cause)) {
        this.keptCount += 1;
        return "kept";
      }
      if (method === "registry/forget" && /no session .* is recorded|recorded in/.test(cause)) return "refused";
      throw error;
    }
  }

  /** What was recorded is there at every moment. */
  private look(roster: Roster): void {
    const source = roster.sources.find(({ id }) => id === "registry");
    // A fresh agent on a busy machine tells what it has before it looked.
    if (source?.cause === "no answer yet") return;
    const rows = new Set(roster.sessions.map(({ id }) => id));
    const lost = [...this.recorded].filter((id) => !this.forgotten.has(id) && !rows.has(id));
    if (lost.length > 0) this.lost ??= `${lost.join(", ")} (${JSON.stringify(source)})`;
  }

  private async settle(): Promise<void> {
    const restored = await this.rollcall.run(["registry", "restore", "--yes"]);
    assert.equal(restored.code, 0, restored.stderr);
    const expected = [...this.recorded, ...this.promised].filter((id) => !this.forgotten.has(id));
    const has = ({ sessions }: Roster): boolean => {
      const rows = new Map(sessions.map((row) => [row.id, row]));
      return expected.every(
        (id) => rows.get(id)?.registry.recorded === true && rows.get(id)?.registry.droppedAt === undefined,
      );
    };
    await this.follower?.waitFor(`all ${expected.length} recorded again`, has, deadlineMs);
    assert.equal(this.lost, undefined, `lost from the roster: ${this.lost ?? ""}; seed ${this.options.seed}`);
    assert.ok(existsSync(this.registry));
    const { sandboxes: slices } = JSON.parse(readFileSync(this.registry, "utf8")) as {
      sandboxes: Record<string, { session_id: string }[]>;
    };
    const inFile = new Set(Object.values(slices).flatMap((entries) => entries.map((entry) => entry.session_id)));
    assert.deepEqual(
      expected.filter((id) => !inFile.has(id)),
      [],
      `not in the file; seed ${this.options.seed}`,
    );
  }

  private async startAgent(): Promise<void> {
    this.agent = await this.rollcall.startAgent();
    this.follower = await Follower.connect(this.rollcall.socket, []);
    this.follower.each((roster) => this.look(roster));
    const identity = { name: "duel", version: "0", configDirs: [] };
    this.client = await AgentClient.connect(this.rollcall.socket, identity, () => undefined);
  }

  private async killAgent(): Promise<void> {
    this.follower?.close();
    this.follower = undefined;
    this.client?.dispose();
    if (this.agent !== undefined) await this.rollcall.stopAgent(this.agent, "SIGKILL");
    this.kills += 1;
    await this.startAgent();
  }

  private random(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }
}
