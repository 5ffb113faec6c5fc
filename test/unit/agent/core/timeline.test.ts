import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { foldTimelineLine } from "../../../../agent/core/timeline.ts";
import { emptyTimeline, type TimelineFold, type TurnItem } from "../../../../agent/core/timelineItems.ts";
import { emptyTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";
import { limits } from "../../../../base/limits.ts";

const recordings = new URL("../../../fixtures/claude-code-2.1.332/", import.meta.url);

function linesOf(path: string): string[] {
  return readFileSync(new URL(path, recordings), "utf8").split("\n");
}

function fold(lines: readonly (string | object)[]): TimelineFold {
  return lines
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .reduce(foldTimelineLine, emptyTimeline);
}

/** One line for each item: how it ended, what was asked; its entries in brackets. */
function shown({ items }: TimelineFold): string[] {
  return items.map((item) => {
    if (item.kind === "mark") return `${item.what}${item.says === undefined ? "" : ` (${item.says})`}`;
    const entries = item.entries.map((entry) =>
      entry.kind === "mark" ? entry.what : `${entry.tool}: ${entry.about ?? "?"}: ${entry.state}`,
    );
    return `${item.end}: ${item.prompt ?? "?"}${entries.length === 0 ? "" : ` [${entries.join("; ")}]`}`;
  });
}

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const prompt = (text: string, second = 0): object => ({
  type: "user",
  uuid: `prompt ${text}`,
  timestamp: at(second),
  origin: { kind: "human" },
  message: { content: text },
});
const call = (id: string, name = "Bash", input: object = { command: `run ${id}` }, second = 1): object => ({
  type: "assistant",
  timestamp: at(second),
  message: { model: "model-1", stop_reason: "tool_use", content: [{ type: "tool_use", id, name, input }] },
});
const result = (id: string, more: object = {}, second = 2, isError = false): object => ({
  type: "user",
  timestamp: at(second),
  message: { content: [{ type: "tool_result", tool_use_id: id, is_error: isError }] },
  ...more,
});
const answer = (second = 3): object => ({
  type: "assistant",
  timestamp: at(second),
  message: { stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] },
});
const turnEnd = (second = 4): object => ({ type: "system", subtype: "turn_duration", timestamp: at(second) });
const lastTurn = ({ items }: TimelineFold): TurnItem => {
  const turn = items.findLast((item) => item.kind === "turn");
  assert.ok(turn !== undefined);
  return turn;
};

describe("the timeline of a transcript", () => {
  it("is every turn of the recorded walk with its tools and how each ended", () => {
    assert.deepEqual(shown(fold(linesOf("walk/transcript.all-steps.jsonl"))), [
      "completed: stream-held",
      "completed: run-bash [Bash: touch made-by-bash: done]",
      "interrupted: run-bash again [Bash: touch made-by-bash: rejected]",
      "interrupted: run-bash third [Bash: touch made-by-bash: rejected]",
      "completed: ask-question [AskUserQuestion: Which colour do you want?: done]",
      "interrupted: ask-question [AskUserQuestion: Which colour do you want?: rejected]",
      "interrupted: stream-held",
      // Interrupted before any output, of which nothing is written.
      "unmarked: silent-held",
      "completed: say-hello",
      "failed: fail-401 [error]",
      "failed: fail-429 [error]",
      "failed: fail-500 [error]",
      "failed: fail-400 [error]",
      "completed: background-bash [Bash: until [ -e end-background-shell ]; do sleep 0.05; done; echo ended: done]",
      `completed: Background command "Stand-in command" completed (exit code 0)`,
      "completed: background-agent [Agent: Held subagent: done]",
      `completed: Agent "Held subagent" finished`,
      "completed: asking-agent [Agent: Asking subagent: done]",
      `completed: Agent "Asking subagent" finished`,
    ]);
  });

  it("is the recorded compaction between the turns around it", () => {
    assert.deepEqual(shown(fold(linesOf("recorded/transcript.compact.jsonl"))), [
      "completed: one",
      "completed: two",
      "completed: three",
      "compaction (manual, 9354 tokens before)",
    ]);
  });

  it("agrees with the status about what is open, at every line of every recording", () => {
    let lines = 0;
    for (const folder of ["walk", "recorded"]) {
      for (const name of readdirSync(new URL(folder, recordings)).filter((each) => each.startsWith("transcript."))) {
        let timeline = emptyTimeline;
        let transcript = emptyTranscript;
        for (const line of linesOf(`${folder}/${name}`)) {
          timeline = foldTimelineLine(timeline, line);
          transcript = foldTranscriptLine(transcript, line);
          const open = timeline.items.flatMap((item) =>
            item.kind === "turn"
              ? item.entries.filter((entry) => entry.kind === "tool" && entry.state === "open").map(({ id }) => id)
              : [],
          );
          assert.deepEqual(open, [...transcript.turns.openCalls.keys()], `${name}: ${line.slice(0, 200)}`);
          const runs = timeline.items.some((item) => item.kind === "turn" && item.end === "running");
          assert.equal(runs, transcript.turns.phase.kind === "running", `${name}: ${line.slice(0, 200)}`);
          lines += 1;
        }
      }
    }
    assert.ok(lines > 300, `${lines} lines`);
  });

  it("keeps a call open until its own result, whatever else is written", () => {
    const open = [prompt("go"), call("a"), call("b"), result("b"), { type: "mode" }, { type: "assistant" }];
    assert.deepEqual(shown(fold(open)), ["running: go [Bash: run a: open; Bash: run b: done]"]);
    assert.deepEqual(shown(fold([...open, result("a", {}, 5, true)])), [
      "running: go [Bash: run a: failed; Bash: run b: done]",
    ]);
  });

  it("pairs a result that stands before its call", () => {
    assert.deepEqual(shown(fold([prompt("go"), result("a"), call("a")])), ["running: go [Bash: run a: done]"]);
  });

  it("leaves a call unanswered when its turn ended without its result", () => {
    const interrupt = { type: "user", rowSource: "harness", message: { content: "[Request interrupted by user]" } };
    assert.deepEqual(shown(fold([prompt("go"), call("a"), interrupt])), ["interrupted: go [Bash: run a: unanswered]"]);
    assert.deepEqual(shown(fold([prompt("go"), call("a"), prompt("next")])), [
      "unmarked: go [Bash: run a: unanswered]",
      "running: next",
    ]);
  });

  it("tells a rejected call from a failed one", () => {
    const rejected = result("a", { toolDenialKind: "user-rejected" }, 2, true);
    assert.deepEqual(shown(fold([prompt("go"), call("a"), rejected])), ["running: go [Bash: run a: rejected]"]);
  });

  it("ends a turn at its written end, and takes its duration from there", () => {
    const { end, startedAt, endedAt } = lastTurn(fold([prompt("go", 10), answer(13), answer(14), turnEnd(15)]));
    assert.deepEqual({ end, ms: (endedAt ?? 0) - startedAt }, { end: "completed", ms: 5_000 });
  });

  it("goes on with a turn whose end was only guessed", () => {
    assert.deepEqual(shown(fold([prompt("go"), answer(), call("a")])), ["running: go [Bash: run a: open]"]);
  });

  it("says a turn whose prompt was not read without one", () => {
    assert.deepEqual(shown(fold([call("a"), result("a")])), ["running: ? [Bash: run a: done]"]);
  });

  it("says what background work is about and when it ended", () => {
    const notification = {
      type: "user",
      uuid: "n",
      timestamp: at(9),
      origin: { kind: "task-notification" },
      message: {
        content:
          "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>The server stopped</summary>\n</task-notification>",
      },
    };
    const told = fold([
      prompt("go"),
      call("a"),
      result("a", { toolUseResult: { backgroundTaskId: "b1" } }),
      turnEnd(),
      notification,
    ]);
    assert.deepEqual(shown(told), ["completed: go [Bash: run a: done]", "running: The server stopped"]);
    const [first, second] = told.items;
    assert.ok(first?.kind === "turn" && second?.kind === "turn");
    assert.equal(second.askedBy, "task");
    const tool = first.entries[0];
    assert.deepEqual(tool?.kind === "tool" ? [tool.backgroundId, tool.backgroundEndedAt] : undefined, [
      "b1",
      Date.parse(at(9)),
    ]);
  });

  it("counts requests that were tried again instead of a row for each", () => {
    const retry = { type: "system", subtype: "api_error" };
    const { entries } = lastTurn(fold([prompt("go"), retry, retry, retry]));
    assert.deepEqual(
      entries.map((entry) => (entry.kind === "mark" ? [entry.what, entry.times] : entry.kind)),
      [["retry", 3]],
    );
  });

  it("takes no words from what is not named as a call's subject", () => {
    const told = fold([
      prompt("go"),
      call("a", "Write", { file_path: "/app/a.ts", content: "SECRET" }),
      call("b", "mcp__x", { token: "SECRET" }),
    ]);
    assert.deepEqual(shown(told), ["running: go [Write: /app/a.ts: open; mcp__x: ?: open]"]);
  });

  it("shortens prompts and commands", () => {
    const long = "x".repeat(100_000);
    const { prompt: asked, entries } = lastTurn(fold([prompt(long), call("a", "Bash", { command: long })]));
    assert.ok((asked ?? "").length <= limits.titleChars);
    assert.ok(entries[0]?.kind === "tool" && (entries[0].about ?? "").length <= limits.titleChars);
  });

  it("is bounded, and counts what it let go", () => {
    const many = Array.from({ length: limits.timelineItems + 7 }, (_, index) => prompt(`p${index}`));
    const calls = Array.from({ length: limits.timelineEntriesPerTurn + 3 }, (_, index) => call(`c${index}`));
    const told = fold([...many, ...calls]);
    assert.deepEqual([told.items.length, told.itemsDropped], [limits.timelineItems, 7]);
    assert.deepEqual(
      [lastTurn(told).entries.length, lastTurn(told).entriesDropped],
      [limits.timelineEntriesPerTurn, 3],
    );
  });

  it("leaves out a subagent's lines that stand in the main file", () => {
    assert.deepEqual(shown(fold([prompt("go"), { ...call("a"), isSidechain: true }])), ["running: go"]);
  });

  it("takes any line, and only its last turn runs", () => {
    const records = fc.oneof(
      fc.constantFrom(prompt("a"), prompt("b"), call("x"), call("y"), result("x"), result("y"), answer(), turnEnd()),
      fc.constantFrom(
        { type: "system", subtype: "compact_boundary" },
        { type: "system", subtype: "api_error" },
        { type: "user" },
      ),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(records, { maxLength: 40 }), (lines) => {
        const { items } = fold(lines);
        const turns = items.filter((item) => item.kind === "turn");
        assert.ok(turns.slice(0, -1).every(({ end }) => end !== "running"));
        for (const { entries, end } of turns)
          assert.ok(end === "running" || entries.every((entry) => entry.kind === "mark" || entry.state !== "open"));
      }),
      { numRuns: 300 },
    );
  });
});
