// What a transcript said comes back from its text as it was, or not at all.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fromKeptRead, toKeptRead } from "../../../../agent/core/keptRead.ts";
import type { TranscriptFacts } from "../../../../agent/core/monitorEvent.ts";
import { emptySubagentTranscript, emptyTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";

const file = { id: "one", path: "/projects/-app/one.jsonl" };
const id = fc.constantFrom("a", "b");
const said = fc.oneof(
  fc.constant({ type: "user", message: { content: "words" } }),
  fc.record({
    type: fc.constant("assistant"),
    message: fc.record({
      content: fc.tuple(fc.record({ type: fc.constant("tool_use"), id, name: fc.constant("Bash") })),
    }),
  }),
  fc.constant({ type: "assistant", message: { stop_reason: "end_turn", content: "done" } }),
  fc.constant({ type: "assistant", isApiErrorMessage: true, error: "rate_limit", message: { content: "limit" } }),
  fc.constant({ type: "user", message: { content: "[Request interrupted by user]" } }),
  fc.record({
    type: fc.constant("user"),
    message: fc.record({ content: fc.tuple(fc.record({ type: fc.constant("tool_result"), tool_use_id: id })) }),
    toolUseResult: fc.constantFrom(
      { backgroundTaskId: "b1" },
      { status: "async_launched", agentId: "s1" },
      { taskId: "m1", timeoutMs: 5 },
      { task_id: "b1" },
    ),
  }),
  fc.constant({ type: "system", subtype: "turn_duration" }),
  fc.constant({ type: "system", subtype: "agents_killed" }),
  fc.constant({ type: "cost-state" }),
  fc.constant({ type: "custom-title", customTitle: "mine" }),
  fc.constant({ type: "ai-title", aiTitle: "its" }),
  fc.constant({ noType: true }),
);
const envelope = fc.record(
  {
    timestamp: fc.integer({ min: 0, max: 60_000 }).map((at) => new Date(at).toISOString()),
    cwd: fc.constantFrom("/app", "/app/below"),
    version: fc.constant("2.0.0"),
    entrypoint: fc.constant("cli"),
    session_id: fc.constant("origin"),
    uuid: fc.uuid(),
  },
  { requiredKeys: [] },
);
const line = fc.tuple(said, envelope).map(([what, more]) => JSON.stringify({ ...what, ...more }));
const facts: fc.Arbitrary<TranscriptFacts> = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean(), fc.option(fc.constant("/app"), { nil: undefined }))
  .map(([lines, windowCapped, startCwd]) => ({
    ...file,
    fold: lines.reduce(foldTranscriptLine, emptyTranscript),
    startCwd,
    firstRecordAt: startCwd === undefined ? undefined : 1.5,
    modifiedAt: 12_345.678,
    sizeBytes: 99,
    windowCapped,
  }));

const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** Only whoever goes on reading needs these. */
const forReaders = ({ fold, ...rest }: TranscriptFacts): TranscriptFacts => ({
  ...rest,
  fold: { ...fold, recent: [], turns: { ...fold.turns, results: new Set() } },
});

describe("what a transcript said", () => {
  it("comes back from its text as it was", () => {
    fc.assert(
      fc.property(facts, (before) => {
        assert.deepEqual(fromKeptRead(throughText(toKeptRead(before)), file), forReaders(before));
      }),
      { numRuns: 500 },
    );
  });

  it("does not come back from a text that lost a part or has another in its place", () => {
    const spoilt = fc.constantFrom(null, "words", -1, true, {}, []);
    fc.assert(
      fc.property(facts, fc.nat(), spoilt, (before, place, other) => {
        const text = throughText(toKeptRead(before));
        const places = placesIn(text);
        const [holder, key] = places[place % places.length] ?? assert.fail();
        const had = holder[key];
        holder[key] = other;
        const after = fromKeptRead(text, file);
        // What has the same shape by chance is another value, and no hole.
        if (after !== undefined) assert.equal(typeof had, typeof other);
      }),
      { numRuns: 1_000 },
    );
    assert.equal(fromKeptRead(undefined, file), undefined);
  });

  it("is not kept of a subagent, nor where subagents wrote into it", () => {
    const own: TranscriptFacts = {
      ...file,
      fold: emptySubagentTranscript,
      startCwd: undefined,
      firstRecordAt: undefined,
      modifiedAt: 0,
      sizeBytes: 0,
      windowCapped: false,
    };
    assert.equal(toKeptRead(own), undefined);
    const mixed = foldTranscriptLine(emptyTranscript, JSON.stringify({ type: "user", isSidechain: true, uuid: "u" }));
    assert.equal(toKeptRead({ ...own, fold: mixed }), undefined);
  });
});

type Holder = Record<string, unknown>;

/** Every value of it, however deep, by what holds it. */
function placesIn(value: unknown): readonly (readonly [Holder, string])[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key] as const, ...placesIn(holder[key])]);
}
