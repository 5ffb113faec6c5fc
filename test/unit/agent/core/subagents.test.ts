// Subagents of one session: which run, what each has open, and when they are over.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { MonitorEvent, SubagentFacts } from "../../../../agent/core/monitorEvent.ts";
import { emptySubagentTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";
import { subagentMetaSchema } from "../../../../protocol/files/subagentMeta.ts";
import { absent, observed, unobserved } from "../../../../protocol/observation.ts";
import type { Session } from "../../../../protocol/roster.ts";
import {
  configDir,
  facts,
  lines,
  look,
  observe,
  record,
  recordRead,
  rowsAt,
  rowWords,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const source = `transcripts:${configDir}` as const;
const live = [
  recordRead(second(0), record({ status: "busy", statusUpdatedAt: second(-20) })),
  look(second(0), facts()),
];
const idle = (at: number): MonitorEvent =>
  recordRead(second(1), record({ status: "idle", statusUpdatedAt: at, updatedAt: at }));

function main(...records: object[]): MonitorEvent {
  return transcriptRead(second(0), "s1", transcriptFacts("s1", records));
}

function subagentFacts(id: string, records: readonly object[], meta: object = {}): SubagentFacts {
  const fold = records
    .map((line) => JSON.stringify({ isSidechain: true, agentId: id, ...line }))
    .reduce(foldTranscriptLine, emptySubagentTranscript);
  return { transcript: { ...transcriptFacts(`agent-${id}`, []), fold }, meta: subagentMetaSchema.parse(meta) };
}

function subagent(id: string, value: SubagentFacts | "absent" | "unreadable", at = second(0)): MonitorEvent {
  const answer =
    value === "absent"
      ? absent<SubagentFacts>(source, at)
      : value === "unreadable"
        ? unobserved<SubagentFacts>(source, at, "EIO")
        : observed(source, at, value);
  return { kind: "subagent", configDir, sessionId: "s1", agentId: id, subagent: answer };
}

function subagentLeft(id: string, finishedAt: number | undefined): MonitorEvent {
  return { kind: "subagent-left", configDir, sessionId: "s1", agentId: id, finishedAt };
}

function row(...events: MonitorEvent[]): Session {
  const rows = rowsAt(observe(events), second(2));
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["s1"],
    "subagents are no sessions",
  );
  return rows[0] as Session;
}

/** "id: tool, tool", with a mark where it is abandoned. */
function words({ subagents }: Session): readonly string[] {
  return subagents.map(({ id, status, openTurns }) => {
    const tools = openTurns.map(({ tool, abandoned, agentId }) => {
      assert.equal(agentId, id);
      return abandoned ? `${tool}!` : tool;
    });
    return `${id} ${status}: ${tools.join(", ")}`;
  });
}

const asks = (id: string, meta: object = {}): SubagentFacts =>
  subagentFacts(id, [lines.prompt(second(-9)), lines.call(second(-8), `${id}-call`)], meta);
const launched = (id: string): object => ({ status: "async_launched", agentId: id });
const launch = [
  lines.prompt(second(-10)),
  lines.call(second(-9), "starts-it", "Agent"),
  lines.result(second(-9), "starts-it", launched("a1")),
];

describe("a subagent in the background", () => {
  it("runs with its own open turns, and the session works in background when its own turn ended", () => {
    const session = row(...live, main(...launch, lines.end(second(-5))), subagent("a1", asks("a1")));
    assert.deepEqual(words(session), ["a1 running: Bash"]);
    assert.deepEqual(session.openTurns, []);
    assert.equal(rowWords(session), "live, background");
  });
  it("runs also while its own file was not read yet", () => {
    assert.deepEqual(words(row(...live, main(...launch))), ["a1 running: "]);
  });
  it("is over with its notification, and runs again when it was sent on", () => {
    const told = lines.prompt(
      second(-4),
      "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>",
    );
    const over = main(...launch, told);
    assert.deepEqual(words(row(...live, over, subagent("a1", asks("a1")))), []);
    const again = subagentFacts("a1", [lines.prompt(second(-9)), lines.call(second(-1), "later")]);
    assert.deepEqual(words(row(...live, over, subagent("a1", again))), ["a1 running: Bash"]);
  });
  it("is over when its own note said so, before its session hears of it, until it is launched again", () => {
    const busy = main(...launch, lines.end(second(-5)));
    const left = subagentLeft("a1", second(-2));
    const session = row(...live, busy, subagent("a1", asks("a1")), left);
    assert.deepEqual(words(session), []);
    assert.deepEqual(session.background, []);
    const told = lines.prompt(
      second(-1),
      "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>",
    );
    const relaunched = [lines.call(second(0), "again", "Agent"), lines.result(second(0), "again", launched("a1"))];
    const again = main(...launch, told, ...relaunched);
    assert.deepEqual(words(row(...live, busy, left, again)), ["a1 running: "]);
  });
  it("that left without having finished runs as its session tells", () => {
    const session = row(...live, main(...launch), subagent("a1", asks("a1")), subagentLeft("a1", undefined));
    assert.deepEqual(words(session), ["a1 running: "]);
  });
  it("is over when all subagents were killed", () => {
    const killed = { type: "system", subtype: "agents_killed", timestamp: new Date(second(-3)).toISOString() };
    assert.deepEqual(words(row(...live, main(...launch, killed), subagent("a1", asks("a1")))), []);
  });
  it("is over when the session's record went idle after its last sign", () => {
    const session = row(...live, main(...launch, lines.end(second(-5))), subagent("a1", asks("a1")), idle(second(-2)));
    assert.deepEqual(words(session), []);
    assert.equal(rowWords(session), "live, waiting");
  });
  it("runs also where its start lies before what was read of the session", () => {
    const session = row(...live, main(lines.prompt(second(-3)), lines.end(second(-1))), subagent("a1", asks("a1")));
    assert.deepEqual(words(session), ["a1 running: Bash"]);
    assert.equal(rowWords(session), "live, background");
    assert.deepEqual(
      session.background.map(({ id, kind }) => `${kind} ${id}`),
      ["subagent a1"],
    );
  });
  it("that finished is not shown", () => {
    assert.deepEqual(
      words(row(...live, main(lines.prompt(second(-3))), subagent("a1", asks("a1", { finished: true })))),
      [],
    );
  });
});

describe("a subagent that its session waits for", () => {
  const waits = [lines.prompt(second(-10)), lines.call(second(-9), "starts-it", "Agent")];
  it("runs while the call that started it is open", () => {
    const session = row(...live, main(...waits), subagent("a1", asks("a1", { toolUseId: "starts-it" })));
    assert.deepEqual(words(session), ["a1 running: Bash"]);
    assert.deepEqual(
      session.openTurns.map(({ tool }) => tool),
      ["Agent"],
    );
    assert.deepEqual(session.background, [], "nothing of it is in the background");
    assert.equal(rowWords(session), "live, working");
  });
  it("C07: a nested one runs while its parent waits for it", () => {
    const outer = subagentFacts("a1", [lines.prompt(second(-9)), lines.call(second(-8), "inner", "Agent")], {
      toolUseId: "starts-it",
    });
    const inner = asks("a2", { toolUseId: "inner", parentAgentId: "a1", description: "Look deeper" });
    const session = row(...live, main(...waits), subagent("a2", inner), subagent("a1", outer));
    assert.deepEqual(words(session), ["a1 running: Agent", "a2 running: Bash"]);
    assert.deepEqual(
      session.subagents.map(({ title, parentId }) => [title, parentId]),
      [
        [undefined, undefined],
        ["Look deeper", "a1"],
      ],
    );
    const unwritten = subagentFacts("a2", [], { toolUseId: "inner", parentAgentId: "a1" });
    const early = row(...live, main(...waits), subagent("a2", unwritten), subagent("a1", outer));
    assert.deepEqual(words(early), ["a1 running: Agent", "a2 running: "]);
  });
  it("S10: its permission shows in the session's record", () => {
    const asked = record({ status: "waiting", waitingFor: "permission prompt", statusUpdatedAt: second(-7) });
    const session = row(
      recordRead(second(0), asked),
      look(second(0), facts()),
      main(...waits),
      subagent("a1", asks("a1", { toolUseId: "starts-it" })),
    );
    assert.equal(rowWords(session), "live, needs-you: permission");
  });
});

describe("what is not known of a subagent", () => {
  it("a file that cannot be read, or went away, leaves its turns as they were", () => {
    for (const failed of ["unreadable", "absent"] as const) {
      const session = row(...live, main(...launch), subagent("a1", asks("a1")), subagent("a1", failed, second(1)));
      assert.deepEqual(words(session), ["a1 running: Bash"], failed);
    }
  });
  it("calls of an earlier process are abandoned", () => {
    const started = look(second(0), facts({ startedAt: second(-5) }));
    const session = row(live[0] as MonitorEvent, started, main(...launch), subagent("a1", asks("a1")));
    assert.deepEqual(words(session), []);
  });
  it("B001: a killed session keeps what its subagents left, as abandoned", () => {
    const session = row(...live, main(...launch), subagent("a1", asks("a1")), look(second(1), "gone", 20));
    assert.deepEqual(words(session), ["a1 abandoned: Bash!"]);
    assert.equal(session.status.kind, "ended");
  });
});

describe("lines of subagents in the session's own file, as older versions wrote them", () => {
  it("belong to the subagent and not to the session", () => {
    const side = { isSidechain: true, agentId: "a1" };
    const session = row(
      ...live,
      main(
        ...launch,
        { ...side, ...lines.prompt(second(-8)) },
        { ...side, ...lines.call(second(-7), "b1") },
        lines.end(second(-5)),
      ),
    );
    assert.deepEqual(words(session), ["a1 running: Bash"]);
    assert.deepEqual(session.openTurns, []);
  });
});

describe("recordings of subagents", () => {
  const folder = new URL("../../../fixtures/claude-code-2.1.332/", import.meta.url);
  for (const name of [
    "recorded/subagent.agent-acb220475d1c44142",
    "walk/subagent.agent-a0660cb1db53c2a8c",
    "walk/subagent.agent-a7e2bb23250bc5dfc",
  ]) {
    it(`${name} ended, and its note tells what it was`, () => {
      const text = readFileSync(new URL(`${name}.jsonl`, folder), "utf8");
      const fold = text.trimEnd().split("\n").reduce(foldTranscriptLine, emptySubagentTranscript);
      assert.deepEqual([fold.turns.phase.kind, fold.turns.openCalls.size, fold.skipped.size], ["ended", 0, 0]);
      const meta = subagentMetaSchema.parse(JSON.parse(readFileSync(new URL(`${name}.meta.json`, folder), "utf8")));
      assert.equal(meta.finished, true);
      assert.equal(meta.agentType, "general-purpose");
    });
  }
});
