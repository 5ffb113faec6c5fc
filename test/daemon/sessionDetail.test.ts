// One session's detail through a real agent: what it tells at first, what it pushes while the transcript grows and the
// status changes, and what is left of it when the agent was killed.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { SessionDetail, TimelineTool } from "../../protocol/sessionDetail.ts";
import { applyDetailChange } from "../../protocol/sessionDetailChange.ts";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import { StandInWorld } from "../support/rollcall/standIn.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const id = "11111111-1111-4111-8111-111111111111";
const deadlineMs = 10_000;

class Watcher {
  detail: SessionDetail;
  private readonly waiting = new Set<() => void>();

  private constructor(detail: SessionDetail) {
    this.detail = detail;
  }

  static async watch(client: AgentClient, key: string): Promise<Watcher> {
    const watcher = new Watcher(await client.request("session/watch", { key }));
    client.onSessionChange((change) => {
      watcher.detail = applyDetailChange(watcher.detail, change);
      for (const look of [...watcher.waiting]) look();
    });
    return watcher;
  }

  waitFor(what: string, says: (detail: SessionDetail) => boolean): Promise<void> {
    if (says(this.detail)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`not told within ${deadlineMs} ms: ${what}; ${JSON.stringify(this.detail, null, 1)}`)),
        deadlineMs,
      );
      const look = (): void => {
        if (!says(this.detail)) return;
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
    });
  }
}

function tools({ timeline }: SessionDetail): readonly TimelineTool[] {
  if (timeline.state !== "read") return [];
  return timeline.items.flatMap((item) =>
    item.kind === "turn" ? item.entries.filter((entry) => entry.kind === "tool") : [],
  );
}

function rules({ history }: SessionDetail): readonly string[] {
  return history?.changes.map(({ rule }) => rule) ?? [];
}

class Transcript {
  readonly path: string;

  constructor(world: StandInWorld) {
    const folder = join(world.configDir, "projects", "-scratch");
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${id}.jsonl`);
    writeFileSync(this.path, "");
  }

  write(record: object): void {
    appendFileSync(this.path, `${JSON.stringify({ sessionId: id, timestamp: new Date().toISOString(), ...record })}\n`);
  }

  prompt(text: string): void {
    this.write({ type: "user", uuid: text, origin: { kind: "human" }, message: { content: text } });
  }

  call(tool: string, command: string): void {
    const block = { type: "tool_use", id: `toolu_${command}`, name: tool, input: { command } };
    this.write({ type: "assistant", message: { model: "model-1", stop_reason: "tool_use", content: [block] } });
  }

  result(command: string): void {
    this.write({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: `toolu_${command}` }] } });
  }
}

describe("a session that is watched", () => {
  it("tells its turns, tools and status as they change, and its history outlives the agent", async (t) => {
    const sessions = new StandInWorld();
    t.after(() => sessions.close());
    const world = new RollcallWorld({ configDirs: [sessions.configDir] });
    t.after(() => world.close());
    const transcript = new Transcript(sessions);
    transcript.prompt("build it");
    const session = sessions.start(id, { status: "busy", name: "Build" });
    const key = `${sessions.configDir}#${id}`;

    const agent = await world.startAgent();
    const connect = (): Promise<AgentClient> =>
      AgentClient.connect(
        world.socket,
        { name: "test", version: "0", configDirs: [sessions.configDir] },
        () => undefined,
      );
    const client = await connect();
    const watcher = await Watcher.watch(client, key);
    assert.equal(watcher.detail.session.title, "Build");
    assert.equal(watcher.detail.timeline.state, "read");

    transcript.call("Bash", "make");
    await watcher.waitFor("an open call", (detail) => tools(detail).some(({ state }) => state === "open"));
    assert.deepEqual(
      tools(watcher.detail).map(({ tool, about }) => [tool, about]),
      [["Bash", "make"]],
    );
    session.says({ status: "waiting", waitingFor: "permission prompt", name: "Build" });
    await watcher.waitFor("a permission", (detail) => rules(detail).at(-1) === "record-waits-for-permission");
    transcript.result("make");
    session.says({ status: "busy", name: "Build" });
    await watcher.waitFor("the call's end", (detail) => tools(detail).every(({ state }) => state === "done"));
    await watcher.waitFor("work again", ({ session: row }) => row.status.kind === "working");

    await assert.rejects(client.request("session/watch", { key: "nobody#none" }), /knows no session/);

    // The last-known file is written two seconds after a change; an agent that ends in order writes it at once.
    await world.stopAgent(agent);
    client.dispose();
    await world.startAgent();
    const next = await connect();
    const again = await next.request("session/detail", { key });
    next.dispose();
    assert.ok(rules(again).includes("record-waits-for-permission"), rules(again).join());
    assert.ok(tools(again).length === 1);
    assert.ok(!world.log().includes("make"), "what tools are called with is in no log");
  });

  it("is abandoned with its process, and stays as last known when its file is gone", async (t) => {
    const sessions = new StandInWorld();
    t.after(() => sessions.close());
    const world = new RollcallWorld({ configDirs: [sessions.configDir] });
    t.after(() => world.close());
    const transcript = new Transcript(sessions);
    transcript.prompt("build it");
    transcript.call("Bash", "make");
    const session = sessions.start(id, { status: "busy", name: "Build" });
    await world.startAgent();
    const client = await AgentClient.connect(
      world.socket,
      { name: "test", version: "0", configDirs: [sessions.configDir] },
      () => undefined,
    );
    t.after(() => client.dispose());
    const watcher = await Watcher.watch(client, `${sessions.configDir}#${id}`);
    await session.kill();
    await watcher.waitFor("an abandoned call", (detail) => tools(detail)[0]?.state === "abandoned");
    rmSync(transcript.path);
    await watcher.waitFor(
      "a stale timeline",
      ({ timeline }) => timeline.state === "read" && timeline.stale !== undefined && timeline.items.length === 1,
    );
  });
});
