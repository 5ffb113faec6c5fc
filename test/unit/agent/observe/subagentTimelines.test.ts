import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { SubagentTimelines } from "../../../../agent/observe/subagentTimelines.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const call = (id: string): string =>
  `${JSON.stringify({ type: "assistant", isSidechain: true, message: { content: [{ type: "tool_use", id, name: "Bash" }] } })}\n`;

class Session {
  readonly folder: string;
  private readonly subagents: SubagentTimelines;

  constructor(t: TestContext) {
    const root = scratchFolder(t);
    this.folder = join(root, "s1", "subagents");
    this.subagents = new SubagentTimelines(join(root, "s1.jsonl"), "transcripts:/config");
  }

  write(path: string, ...calls: readonly string[]): string {
    const file = join(this.folder, `${path}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, calls.map(call).join(""));
    return file;
  }

  note(path: string, text: string): void {
    writeFileSync(join(this.folder, `${path}.meta.json`), text);
  }

  async tools(): Promise<Record<string, readonly string[]>> {
    const read = await this.subagents.read(1_000);
    const found = read.map(({ agentId, meta, fold }): [string, readonly string[]] => [
      `${agentId} of ${meta?.toolUseId ?? "?"}`,
      fold.items.flatMap((item) => (item.kind === "turn" ? item.entries.map(({ id }) => id) : [])),
    ]);
    return Object.fromEntries(found.sort());
  }
}

describe("the timelines of a session's subagents", () => {
  it("are none where it has none, and are read along with their writers", async (t) => {
    const session = new Session(t);
    assert.deepEqual(await session.tools(), {});
    session.write("agent-a", "a1");
    assert.deepEqual(await session.tools(), { "a of ?": ["a1"] });
    session.note("agent-a", `{"toolUseId":"t`);
    session.write("agent-a", "a2");
    assert.deepEqual(await session.tools(), { "a of ?": ["a1", "a2"] });
    session.note("agent-a", `{"toolUseId":"t1"}`);
    session.write("deeper/agent-b", "b1");
    assert.deepEqual(await session.tools(), { "a of t1": ["a1", "a2"], "b of ?": ["b1"] });
  });
  it("are no other files, and nothing that a link leads to", async (t) => {
    const session = new Session(t);
    const file = session.write("agent-a", "a1");
    session.write("notes", "n1");
    symlinkSync(file, join(session.folder, "agent-l.jsonl"));
    symlinkSync(session.folder, join(session.folder, "loop"));
    assert.deepEqual(await session.tools(), { "a of ?": ["a1"] });
  });
  it("stay as last known when they cannot be read any more", async (t) => {
    const session = new Session(t);
    session.write("agent-a", "a1");
    await session.tools();
    renameSync(session.folder, `${session.folder}.away`);
    assert.deepEqual(await session.tools(), { "a of ?": ["a1"] });
    symlinkSync(session.folder, session.folder);
    assert.deepEqual(await session.tools(), { "a of ?": ["a1"] });
  });
  it("are those that were written last", async (t) => {
    const session = new Session(t);
    for (let index = 0; index <= limits.timelineSubagents; index += 1) {
      const file = session.write(`agent-${index}`, `c${index}`);
      utimesSync(file, 1_000 + index, 1_000 + index);
    }
    const found = Object.keys(await session.tools());
    assert.equal(found.length, limits.timelineSubagents);
    assert.ok(!found.includes("0 of ?"));
    utimesSync(session.write("agent-0", "again"), 5_000, 5_000);
    const later = Object.keys(await session.tools());
    assert.equal(later.length, limits.timelineSubagents);
    assert.ok(later.includes("0 of ?") && !later.includes("1 of ?"));
  });
});
