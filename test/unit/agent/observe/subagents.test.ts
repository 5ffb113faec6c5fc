// Subagents of a session on a real disk: found at any depth, followed while they run, told once when they leave.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { Subagents } from "../../../../agent/observe/subagents.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

class SessionFolder {
  readonly folder: string;
  readonly subagents: Subagents;
  private events: MonitorEvent[] = [];

  constructor(t: TestContext) {
    this.folder = join(scratchFolder(t), "projects", "-app", "s1");
    mkdirSync(this.folder, { recursive: true });
    this.subagents = new Subagents({
      configDir: "/c",
      files: hostFiles("/c"),
      has: (path) => existsSync(path),
      source: "transcripts:/c",
      now: () => Date.now(),
      emit: (events) => this.events.push(...events),
      onFault: (error) => assert.fail(String(error)),
    });
  }

  path(name: string): string {
    const path = join(this.folder, "subagents", name);
    mkdirSync(join(path, ".."), { recursive: true });
    return path;
  }

  agent(id: string, below = ""): void {
    writeFileSync(this.path(`${below}agent-${id}.jsonl`), line("prompt") + line("Bash"));
  }

  note(id: string, meta: object): void {
    writeFileSync(this.path(`agent-${id}.meta.json`), JSON.stringify(meta));
  }

  /** What a look told: of each subagent its open tools, or that it left. */
  async look(followed = true): Promise<readonly string[]> {
    this.events = [];
    await this.subagents.scan(followed ? new Map([["s1", this.folder]]) : new Map());
    return this.events.map((event) => {
      if (event.kind === "subagent-left")
        return `${event.agentId} ${event.finishedAt === undefined ? "left" : "finished"}`;
      if (event.kind !== "subagent") return event.kind;
      const { agentId, subagent } = event;
      if (subagent.kind !== "observed") return `${agentId} ${subagent.kind}`;
      const { transcript, meta } = subagent.value;
      const tools = [...transcript.fold.turns.openCalls.values()].map(({ tool }) => tool).join();
      return `${agentId} ${tools}${meta?.description === undefined ? "" : ` (${meta.description})`}`;
    });
  }
}

function line(what: string): string {
  const content = what === "prompt" ? "do it" : [{ type: "tool_use", id: what, name: what }];
  const type = what === "prompt" ? "user" : "assistant";
  return `${JSON.stringify({ type, isSidechain: true, agentId: "x", timestamp: new Date().toISOString(), message: { content } })}\n`;
}

describe("a session's subagents on disk", () => {
  it("are found as they come, also the first one and nested ones, and read again when they grow", async (t) => {
    const session = new SessionFolder(t);
    assert.deepEqual(await session.look(), []);
    assert.deepEqual(session.subagents.folders, [], "without any there is nothing to watch");
    session.agent("a1");
    assert.deepEqual(await session.look(), ["a1 Bash"]);
    assert.deepEqual(session.subagents.folders, [session.folder]);
    assert.deepEqual(await session.look(), [], "unchanged, nothing is told again");
    session.agent("deep", "workflows/w1/");
    assert.deepEqual(await session.look(), ["deep Bash"]);
    appendFileSync(session.path("agent-a1.jsonl"), line("Read"));
    assert.deepEqual(await session.look(), ["a1 Bash,Read"]);
  });

  it("have a note that may come later, be torn, and says when they finished", async (t) => {
    const session = new SessionFolder(t);
    session.agent("a1");
    await session.look();
    writeFileSync(session.path("agent-a1.meta.json"), '{"description":"Loo');
    assert.deepEqual(await session.look(), []);
    session.note("a1", { description: "Look around" });
    assert.deepEqual(await session.look(), ["a1 Bash (Look around)"]);
    session.note("a1", { description: "Look around", finished: true });
    assert.deepEqual(await session.look(), ["a1 finished"]);
    assert.deepEqual(await session.look(), [], "and is told once");
    session.note("a1", { description: "Look around" });
    assert.deepEqual(await session.look(), ["a1 Bash (Look around)"], "sent on after its end");
  });

  it("that had finished before the first look are told as such", async (t) => {
    const session = new SessionFolder(t);
    session.agent("a1");
    session.note("a1", { finished: true });
    assert.deepEqual(await session.look(), ["a1 finished"]);
  });

  it("that vanish stay as they are known; those of a session nobody works on leave", async (t) => {
    const session = new SessionFolder(t);
    session.agent("a1");
    session.agent("a2");
    await session.look();
    rmSync(session.path("agent-a1.jsonl"));
    assert.deepEqual(await session.look(), []);
    assert.deepEqual([...(await session.look(false))].sort(), ["a1 left", "a2 left"]);
  });

  it("are bounded, the newest first, and links among them are not followed", async (t) => {
    const session = new SessionFolder(t);
    for (let index = 0; index < limits.subagentsPerSession + 5; index += 1) session.agent(`a${index}`);
    writeFileSync(join(session.folder, "secret.jsonl"), line("prompt"));
    symlinkSync(join(session.folder, "secret.jsonl"), session.path("agent-link.jsonl"));
    assert.equal((await session.look()).length, limits.subagentsPerSession);
  });
});
