// The short way through a transcript's end tells what folding each line tells.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lookAtLine } from "../../../../agent/core/lineType.ts";
import { emptySubagentTranscript, emptyTranscript } from "../../../../agent/core/transcript.ts";
import { foldEach, foldHead, foldWindow, tellsHeadNothing } from "../../../../agent/core/transcriptWindow.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (line: Uint8Array): string => new TextDecoder().decode(line);
const spaced = (record: object): string => JSON.stringify(record, null, 1).replaceAll("\n", "");

const id = fc.constantFrom("a", "b", "c");
const text = fc.constantFrom("words", "a task", "tool_result", "isSidechain", 'quoted "type":"user" {[', "日本");
const toolUseResult = fc.constantFrom(
  undefined,
  { backgroundTaskId: "b1" },
  { status: "async_launched", agentId: "s1" },
  { taskId: "m1", timeoutMs: 5 },
  { task_id: "b1" },
  { shell_id: "b1" },
  "plain",
);
const said = fc.oneof(
  fc.record({ type: fc.constant("user"), message: fc.record({ content: text }) }),
  fc.record({
    type: fc.constant("user"),
    message: fc.record({ content: fc.tuple(fc.record({ type: fc.constant("tool_result"), tool_use_id: id })) }),
    toolUseResult,
  }),
  fc.record({
    message: fc.record({
      content: fc.tuple(fc.record({ type: fc.constant("tool_use"), id, name: fc.constant("Bash") })),
    }),
    type: fc.constant("assistant"),
  }),
  fc.record({
    message: fc.record({ stop_reason: fc.constant("end_turn"), content: text }),
    type: fc.constant("assistant"),
    isApiErrorMessage: fc.boolean(),
  }),
  fc.constant({ type: "user", message: { content: "[Request interrupted by user]" } }),
  fc.constant({ type: "user", isMeta: true, message: { content: "caveat" } }),
  fc.constant({
    type: "user",
    message: { content: "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>" },
  }),
  fc.constant({ type: "system", subtype: "turn_duration" }),
  fc.constant({ type: "system", subtype: "agents_killed" }),
  fc.constant({ type: "attachment", attachment: { type: "task_status", taskId: "b1", status: "running" } }),
  fc.constant({ type: "cost-state" }),
  fc.constant({ type: "custom-title", customTitle: "mine" }),
  fc.constant({ type: "relocated", relocatedCwd: "/moved" }),
);
const envelope = fc.record(
  {
    isSidechain: fc.boolean(),
    timestamp: fc.integer({ min: 0, max: 60_000 }).map((at) => new Date(at).toISOString()),
    cwd: fc.constantFrom("/app", "/app/below"),
    version: fc.constantFrom("1.0.0", "2.0.0"),
    entrypoint: fc.constant("cli"),
    session_id: id,
  },
  { requiredKeys: [] },
);
const usual = {
  isSidechain: false,
  timestamp: "2026-11-30T17:00:00.000Z",
  cwd: "/app",
  version: "2",
  entrypoint: "cli",
};
const line = fc
  .tuple(fc.oneof(envelope, fc.constant({ ...usual, session_id: "a" })), said, fc.boolean(), fc.boolean())
  .map(([around, record, first, compact]) => {
    const whole = first ? { ...around, ...record } : { ...record, ...around };
    return compact ? JSON.stringify(whole) : spaced(whole);
  });
const lines = fc
  .array(fc.oneof({ weight: 20, arbitrary: line }, { weight: 1, arbitrary: fc.constantFrom("", "{", "null") }), {
    maxLength: 25,
  })
  .map((texts) => texts.map(bytes));

describe("the end of a transcript", () => {
  it("tells the same by the short way as line by line", () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (window, ofSubagent) => {
        const empty = ofSubagent ? emptySubagentTranscript : emptyTranscript;
        assert.deepEqual(known(foldWindow(empty, window, decode)), known(foldEach(empty, window, decode)));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is told without parsing what the last prompt settles", () => {
    const settled = { ...usual, type: "assistant", session_id: "a", message: { content: "old" } };
    const prompt = { ...usual, type: "user", session_id: "a", message: { content: "new" } };
    let decoded = 0;
    foldWindow(
      emptyTranscript,
      [settled, settled, settled, prompt].map((it) => bytes(JSON.stringify(it))),
      (it) => {
        decoded += 1;
        return decode(it);
      },
    );
    assert.equal(decoded, 2);
  });
});

/** What a head tells instead is not compared: the first folder, time and prompt. */
function known(fold: ReturnType<typeof foldEach>): unknown {
  const { custom, agent } = fold.titles;
  return { ...fold, firstCwd: undefined, firstRecordAt: undefined, titles: { custom, agent } };
}

describe("the head of a transcript", () => {
  it("learns nothing from lines that it passes over", () => {
    fc.assert(
      fc.property(lines, (all) => {
        const short = all.reduce(
          (fold, it) => (tellsHeadNothing(fold, it) ? fold : foldEach(fold, [it], decode)),
          emptyTranscript,
        );
        const whole = foldEach(emptyTranscript, all, decode);
        const head = ({ titles, firstCwd, firstRecordAt }: typeof whole): unknown => [titles, firstCwd, firstRecordAt];
        assert.deepEqual(head(short), head(whole));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the start of a file that goes on", () => {
  const placed = line.chain((text) =>
    fc.boolean().map((first) => {
      const record = JSON.parse(text) as { readonly type: string };
      const ofConversation = ["user", "assistant", "system", "attachment"].includes(record.type);
      return bytes(first && ofConversation ? JSON.stringify({ parentUuid: null, ...record }) : text);
    }),
  );

  it("tells of folder, time and titles what each of its lines does", () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 25 }), (all) => {
        const chunk = bytes(all.map((each) => `${decode(each)}\n`).join(""));
        const start = foldHead(emptyTranscript, chunk, decode);
        const whole = foldEach(emptyTranscript, all, decode);
        const head = ({ titles, firstCwd, firstRecordAt }: typeof whole): unknown => [titles, firstCwd, firstRecordAt];
        assert.deepEqual(head(start), head(whole));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a look at a line", () => {
  for (const write of [JSON.stringify, spaced])
    it(`finds the type of a ${write === spaced ? "spaced" : "compact"} one behind what stands before it`, () => {
      const record = { a: 'quoted "type":"x" \\', b: [{ type: "text" }, "]"], c: -1.5e3, d: null, type: "user", e: {} };
      assert.deepEqual(lookAtLine(bytes(write(record))), { type: "user", mayBeSidechain: false });
    });

  it("knows a subagent's line wherever it says so", () => {
    for (const record of [
      { isSidechain: true, type: "user" },
      { type: "user", isSidechain: true },
    ])
      assert.equal(lookAtLine(bytes(JSON.stringify(record)))?.mayBeSidechain, true);
    assert.equal(lookAtLine(bytes(`{"isSidechain": false, "type": "user"}`))?.mayBeSidechain, false);
  });

  for (const broken of [
    "",
    "{",
    "[]",
    "null",
    `{"a":1}`,
    `{"type":1}`,
    `{"type":"user"`,
    `{"ty\\u0070e":"user"}`,
    "\0\0",
  ])
    it(`does not judge ${JSON.stringify(broken)}`, () => {
      assert.equal(lookAtLine(bytes(broken)), undefined);
    });
});
