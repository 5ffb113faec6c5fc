import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { noLines, splitLines, type LineState } from "../../../../agent/core/jsonLines.ts";
import {
  emptyTranscript,
  foldTranscriptLine,
  skipTranscriptLine,
  type TranscriptFold,
} from "../../../../agent/core/transcript.ts";

const recordings = new URL("../../../fixtures/claude-code-2.1.332/", import.meta.url);
const decoder = new TextDecoder("utf-8");

function linesOf(path: string): string[] {
  const lines = readFileSync(new URL(path, recordings), "utf8").split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function foldLines(lines: readonly string[]): TranscriptFold {
  return lines.reduce(foldTranscriptLine, emptyTranscript);
}

/** As the reader does it: bytes in chunks, lines, fold. */
function foldChunks(chunks: readonly Uint8Array[], limit: number): TranscriptFold {
  let fold = emptyTranscript;
  let state: LineState = noLines;
  for (const chunk of chunks) {
    state = splitLines(state, chunk, limit, {
      line: (bytes) => (fold = foldTranscriptLine(fold, decoder.decode(bytes))),
      skipped: (why) => (fold = skipTranscriptLine(fold, why)),
    });
  }
  return fold;
}

interface Shown {
  readonly phase: string;
  readonly open?: readonly string[];
  readonly background?: readonly string[];
  readonly title?: string;
}

function shown({ turns, titles }: TranscriptFold): Shown {
  const { phase } = turns;
  return {
    phase: phase.kind === "ended" ? phase.how : phase.kind === "failed" ? `failed: ${phase.why}` : phase.kind,
    open: [...turns.openCalls.values()].map(({ tool }) => tool),
    background: [...turns.background.values()].map(({ kind }) => kind),
    title: titles.custom ?? titles.agent ?? titles.prompt ?? "",
  };
}

function check(lines: readonly string[], expected: Shown): void {
  const actual = shown(foldLines(lines));
  assert.deepEqual(actual, { open: [], background: [], title: actual.title, ...expected });
}

const json = (record: object): string => JSON.stringify(record);
const prompt = json({ type: "user", timestamp: "2026-11-30T17:00:00Z", cwd: "/a", message: { content: "do it" } });
const bash = json({
  type: "assistant",
  timestamp: "2026-11-30T17:00:01Z",
  message: { stop_reason: "tool_use", content: [{ type: "tool_use", id: "a", name: "Bash" }] },
});

describe("a line that comes again", () => {
  const numbered = (uuid: string, record: object): string => json({ uuid, ...record });
  const asks = numbered("2", {
    type: "assistant",
    timestamp: "2026-11-30T17:00:01Z",
    message: { stop_reason: "tool_use", content: [{ type: "tool_use", id: "a", name: "AskUserQuestion" }] },
  });
  const turn = [
    numbered("1", { type: "user", timestamp: "2026-11-30T17:00:00Z", message: { content: "do it" } }),
    asks,
    numbered("3", { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "a" }] } }),
    numbered("4", { type: "assistant", message: { stop_reason: "end_turn", content: [{ type: "text", text: "ok" }] } }),
    numbered("5", { type: "system", subtype: "turn_duration" }),
  ];
  it("opens no call and begins no turn, whichever it is", () => {
    for (const again of [...turn, ...turn.map((line) => line.replace("{", `{"isSidechain":true,`))])
      check([...turn, again], { phase: "completed" });
    check([...turn, ...turn], { phase: "completed" });
    check(
      turn.flatMap((line) => [line, line]),
      { phase: "completed" },
    );
  });
  it("is told by its own id: one call's id may be another's later", () => {
    const later = asks.replace('"uuid":"2"', '"uuid":"7"');
    check([...turn, later], { phase: "running", open: ["AskUserQuestion"] });
  });
});

describe("recordings of Claude Code 2.1.332", () => {
  const ends: Readonly<Record<string, Shown>> = {
    "recorded/transcript.after-clear.jsonl": { phase: "completed", title: "lab session" },
    "recorded/transcript.background.jsonl": { phase: "running", open: ["Bash"] },
    "recorded/transcript.compact.jsonl": { phase: "completed", title: "one" },
    "recorded/transcript.embedded-stream-json.jsonl": { phase: "completed" },
    "recorded/transcript.fork-session.jsonl": { phase: "completed", title: "forked hi" },
    "recorded/transcript.main-many-turns.jsonl": { phase: "running", title: "lab session" },
    "recorded/transcript.print-sigint.jsonl": { phase: "interrupted" },
    "walk/transcript.all-steps.jsonl": { phase: "completed", title: "stream-held" },
    "walk/transcript.cleared-resumed-killed.jsonl": { phase: "running", title: "say-hello" },
    "walk/transcript.plan.jsonl": { phase: "completed", title: "make-plan" },
    "walk/transcript.print.jsonl": { phase: "completed", title: "stream-held" },
  };
  for (const [path, expected] of Object.entries(ends)) {
    it(`${path} ends as recorded`, () => check(linesOf(path), expected));
  }
  it("every transcript of the recordings is tested", () => {
    const files = ["recorded", "walk"].flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, recordings))
        .filter((name) => /^transcript\..*\.jsonl$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    assert.deepEqual(files.sort(), Object.keys(ends).sort());
  });
  it("every prefix of lines folds, and no line of them is skipped", () => {
    for (const path of Object.keys(ends)) {
      let fold = emptyTranscript;
      for (const line of linesOf(path)) fold = foldTranscriptLine(fold, line);
      assert.deepEqual([...fold.skipped], [], path);
    }
  });
  it("each step of the walk shows its state at its lines", () => {
    const walk = linesOf("walk/transcript.all-steps.jsonl");
    const upTo = (count: number, expected: Shown): void => check(walk.slice(0, count), expected);
    upTo(5, { phase: "running" });
    upTo(17, { phase: "completed" });
    upTo(26, { phase: "running", open: ["Bash"] });
    upTo(28, { phase: "running" });
    upTo(30, { phase: "completed" });
    upTo(34, { phase: "running", open: ["Bash"] });
    upTo(36, { phase: "interrupted" });
    upTo(47, { phase: "running", open: ["AskUserQuestion"] });
    upTo(50, { phase: "completed" });
    upTo(60, { phase: "interrupted" });
    upTo(64, { phase: "interrupted" });
    // Escape before any output leaves the prompt alone on disk.
    upTo(66, { phase: "running" });
    upTo(74, { phase: "failed: login" });
    upTo(77, { phase: "failed: limit" });
    upTo(80, { phase: "failed: server" });
    upTo(87, { phase: "failed: other" });
    upTo(94, { phase: "completed", background: ["shell"] });
    upTo(95, { phase: "completed" });
    upTo(107, { phase: "completed", background: ["subagent"] });
    upTo(108, { phase: "completed" });
    upTo(123, { phase: "completed", background: ["subagent"] });
    upTo(129, { phase: "completed" });
  });
  it("a subagent's own file holds no turn of the main session", () => {
    check(linesOf("walk/subagent.agent-a7e2bb23250bc5dfc.jsonl"), { phase: "none" });
  });
});

describe("lines", () => {
  it("B056, C14: BOM, CRLF, invalid UTF-8, NUL and U+2028 cost at most their own line", () => {
    const torn = new Uint8Array([0x7b, 0xff, 0xfe, 0x0a]);
    const bytes = Buffer.concat([
      Buffer.from(`\uFEFF${prompt}\r\n`),
      torn,
      Buffer.from("\u0000\u0000\u0000\n"),
      Buffer.from(`${json({ type: "user", message: { content: "x\u2028y" } })}\r\n`),
      Buffer.from(`${bash}\n`),
    ]);
    const fold = foldChunks([bytes], 10_000);
    assert.deepEqual(shown(fold), { phase: "running", open: ["Bash"], background: [], title: "do it" });
    assert.deepEqual(
      [...fold.skipped],
      [
        ["line is not JSON", 1],
        ["line holds NUL bytes", 1],
      ],
    );
  });
  it("B054: half a record before another on its line is a counted gap, and the other is read", () => {
    for (const half of [
      `{"type":"a","te`,
      `{"type":"user","message":{"content":"${"x".repeat(9)}`,
      bash.slice(0, -9),
    ]) {
      const fold = foldLines([prompt, `${half}${bash}`]);
      assert.deepEqual([...fold.skipped], [["half a record stood before another on its line", 1]], half);
      assert.equal(fold.turns.openCalls.size, 1, half);
    }
  });
  it("B054: what is whole only inside half a record is no record", () => {
    const inner = '{"type":"assistant","sess":[{"type":"user","message":{"content":"not said"}}';
    const fold = foldLines([inner, bash.slice(0, -1)]);
    assert.deepEqual([...fold.skipped], [["line is not JSON", 2]]);
    assert.equal(fold.turns.phase.kind, "none");
  });
  it("B062: a space after the colon changes nothing", () => {
    check([prompt.replaceAll('":', '": ')], { phase: "running" });
  });
  it("what is JSON and no record is skipped with a count, an empty line costs nothing", () => {
    const fold = foldLines(["[]", "7", "null", "{}", "", "  "]);
    assert.deepEqual([...fold.skipped], [["record has no type", 4]]);
  });
  it("B058: a line over the limit is skipped as one", () => {
    const big = json({ type: "file-history-snapshot", data: "x".repeat(500) });
    const fold = foldChunks([Buffer.from(`${big}\n${prompt}\n`)], 300);
    assert.deepEqual([...fold.skipped], [["line too long", 1]]);
    assert.equal(fold.turns.phase.kind, "running");
  });
  it("B065: a subagent's lines in the main file are not its turns", () => {
    check([prompt, bash.replace('"assistant"', '"assistant","isSidechain":true')], { phase: "running" });
  });
});

describe("folders and titles", () => {
  it("B069, B077: the first folder is that of the first record that has one, the last that of the last", () => {
    const fold = foldLines([
      json({ type: "user", cwd: null }),
      json({ type: "user", cwd: "/a" }),
      json({ type: "user", cwd: "/b" }),
    ]);
    assert.deepEqual([fold.firstCwd, fold.lastCwd], ["/a", "/b"]);
  });
  it("a person's title, the agent's and the first prompt are kept apart", () => {
    const { titles } = foldLines([
      prompt,
      json({ type: "ai-title", aiTitle: "By the agent" }),
      json({ type: "custom-title", customTitle: "Mine\nnow" }),
      json({ type: "last-prompt", lastPrompt: "later" }),
    ]);
    assert.deepEqual(titles, { custom: "Mine now", agent: "By the agent", prompt: "do it" });
  });
  it("R17: a later title takes the place of an earlier one, an empty one does not", () => {
    const titled = (customTitle: string): string => json({ type: "custom-title", customTitle });
    assert.equal(foldLines([titled("one"), titled("two"), titled(" ")]).titles.custom, "two");
  });
  it("T10: a long title is cut on code points", () => {
    const { titles } = foldLines([json({ type: "custom-title", customTitle: "😀".repeat(500) })]);
    assert.equal(titles.custom, `${"😀".repeat(119)}…`);
  });
});

describe("bytes in any chunks", () => {
  const records = [
    ...linesOf("walk/transcript.all-steps.jsonl").slice(0, 60),
    json({ type: "user", message: { content: "U+2028 \u2028 é 日本 😀" } }),
    json({ type: "ai-title", aiTitle: "x".repeat(3_000) }),
  ];
  const odd = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...records).map((line) => Buffer.from(line)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("\uFEFF", "\u0000\u0000", "{", "\u2028", "").map((line) => Buffer.from(line)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
  );
  const ending = fc.constantFrom("\n", "\r\n", "\n\n").map((line) => Buffer.from(line));
  it("give the same fold", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(odd, ending), { minLength: 1, maxLength: 20 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        (lines, at) => {
          const all = new Uint8Array(Buffer.concat(lines.flat()));
          const cuts = [0, ...at.map((part) => Math.floor(part * all.length)).sort((a, b) => a - b), all.length];
          const chunks = cuts.slice(1).map((cut, index) => all.subarray(cuts[index], cut));
          assert.deepEqual(foldChunks(chunks, 2_500), foldChunks([all], 2_500));
        },
      ),
      { numRuns: 60 },
    );
  });
  it("byte by byte give the same fold", () => {
    const all = Buffer.from(`${records.slice(0, 12).join("\r\n")}\n`);
    const single = Array.from(all, (byte) => Uint8Array.of(byte));
    assert.deepEqual(foldChunks(single, 2_500), foldChunks([all], 2_500));
  });
});

describe("reading from behind", () => {
  it("a suffix that shows a turn boundary gives the phase and open calls of the whole", () => {
    for (const path of ["walk/transcript.all-steps.jsonl", "recorded/transcript.main-many-turns.jsonl"]) {
      const all = linesOf(path);
      fc.assert(
        fc.property(fc.nat(all.length), fc.nat(all.length), (a, b) => {
          const lines = all.slice(0, Math.max(a, b));
          const suffix = foldLines(lines.slice(Math.min(a, b)));
          if (!suffix.boundarySeen) return;
          const whole = foldLines(lines);
          assert.equal(suffix.turns.phase.kind, whole.turns.phase.kind);
          assert.deepEqual(suffix.turns.openCalls, whole.turns.openCalls);
        }),
        { numRuns: 100 },
      );
    }
  });
  it("so does a suffix of any history", () => {
    const said = (stopReason: string | null, more: object = {}): string =>
      json({ type: "assistant", message: { stop_reason: stopReason, content: "x" }, ...more });
    const called = (id: string): string =>
      json({ type: "assistant", message: { content: [{ type: "tool_use", id, name: "Bash" }] } });
    const resulted = (id: string): string =>
      json({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id }] } });
    const record = fc.constantFrom(
      prompt,
      said("end_turn"),
      said(null),
      said("stop_sequence", { isApiErrorMessage: true }),
      called("a"),
      called("b"),
      resulted("a"),
      resulted("b"),
      json({ type: "user", message: { content: "[Request interrupted by user]" } }),
      json({ type: "system", subtype: "turn_duration" }),
      json({ type: "mode" }),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 25 }), fc.nat(25), (lines, from) => {
        const suffix = foldLines(lines.slice(from));
        if (!suffix.boundarySeen) return;
        const whole = foldLines(lines);
        assert.equal(suffix.turns.phase.kind, whole.turns.phase.kind);
        assert.deepEqual([...suffix.turns.openCalls.keys()], [...whole.turns.openCalls.keys()]);
      }),
    );
  });
  it("no boundary is claimed where none was read", () => {
    assert.equal(foldLines([bash]).boundarySeen, false);
    assert.equal(foldLines([json({ type: "system", subtype: "turn_duration" })]).boundarySeen, false);
    assert.equal(foldLines([prompt]).boundarySeen, true);
  });
  it("nor where only the end of one turn was read, twice over: the turn may have failed", () => {
    const ended = json({ type: "system", subtype: "turn_duration" });
    assert.equal(foldLines([ended, ended]).boundarySeen, false);
    const failed = json({ type: "assistant", isApiErrorMessage: true, message: { stop_reason: "stop_sequence" } });
    assert.equal(foldLines([failed, ended, ended]).turns.phase.kind, "failed");
    const answered = json({ type: "assistant", message: { stop_reason: "end_turn", content: "x" } });
    assert.equal(foldLines([answered, ended]).boundarySeen, true);
  });
});
