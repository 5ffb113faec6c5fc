import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPrompt, recordTime, turnEvents, type TurnEvent } from "../../../../agent/core/transcriptEvents.ts";
import { readTranscriptLine, type TranscriptLine } from "../../../../protocol/files/transcript.ts";

const at = Date.parse("2026-11-30T17:00:00.000Z");
const fallbackAt = at - 1_000;

function mustRead(record: unknown): TranscriptLine {
  const read = readTranscriptLine(record);
  assert.ok(read !== undefined);
  return read;
}

function line(record: Readonly<Record<string, unknown>>): TranscriptLine {
  return mustRead({ timestamp: "2026-11-30T17:00:00.000Z", ...record });
}

/** The events without their time, which is the record's in all of them. */
function check(
  record: Readonly<Record<string, unknown>>,
  expected: readonly Readonly<Record<string, unknown>>[],
): void {
  const events = turnEvents(line(record), fallbackAt);
  assert.deepEqual(
    events,
    expected.map((event) => ({ at, ...event }) as unknown as TurnEvent),
  );
}

const user = (content: unknown, more: object = {}): Record<string, unknown> => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});
const assistant = (content: unknown, stopReason: string | null, more: object = {}): Record<string, unknown> => ({
  type: "assistant",
  message: { role: "assistant", content, stop_reason: stopReason },
  ...more,
});
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "out" });
const notification = (id: string, status = "<status>completed</status>"): string =>
  `<task-notification>\n<task-id>${id}</task-id>\n${status}\n<summary>it ended</summary>\n</task-notification>`;

describe("what a user record tells", () => {
  it("a typed prompt begins a turn, as text or as blocks", () => {
    check(user("hello"), [{ kind: "prompt" }]);
    check(user([{ type: "text", text: "hello" }]), [{ kind: "prompt" }]);
    check(user([{ type: "image", source: {} }]), [{ kind: "prompt" }]);
  });
  it("the agent's notes, summaries and local commands begin none", () => {
    check(user("caveat", { isMeta: true }), []);
    check(user("This session is being continued", { isCompactSummary: true }), []);
    check(user("<command-name>/clear</command-name>"), []);
    check(user("<local-command-stdout></local-command-stdout>"), []);
    check(user("<bash-input>ls</bash-input>"), []);
  });
  it("a result answers its call", () => {
    check(user([result("a")]), [{ kind: "result", toolUseId: "a" }]);
    check(user([result("a"), result("b")]), [
      { kind: "result", toolUseId: "a" },
      { kind: "result", toolUseId: "b" },
    ]);
  });
  it("S31: an interrupt row ends the turn, with and without the id of the message", () => {
    const text = [{ type: "text", text: "[Request interrupted by user]" }];
    check(user(text), [{ kind: "interrupted" }]);
    check(user(text, { rowSource: "harness" }), [{ kind: "interrupted" }]);
    check(user("[Request interrupted by user for tool use]", { rowSource: "harness" }), [{ kind: "interrupted" }]);
    check(user([{ type: "text", text: "worded anew" }], { rowSource: "harness", interruptedMessageId: "msg" }), [
      { kind: "interrupted" },
    ]);
  });
  it("S31: an interrupt ends the turn where its row begins with a result or a blank line, and where only the cut message tells it", () => {
    const marker = { type: "text", text: "[Request interrupted by user for tool use]" };
    check(user([result("a"), marker]), [{ kind: "result", toolUseId: "a" }, { kind: "interrupted" }]);
    check(user([{ type: "text", text: "" }, marker]), [{ kind: "interrupted" }]);
    check(user("\n[Request interrupted by user]"), [{ kind: "interrupted" }]);
    check(assistant([{ type: "text", text: "a par" }], null, { isAbortedMidStream: true }), [
      { kind: "sign" },
      { kind: "interrupted" },
    ]);
  });
  it("a person who types the words of the interrupt row begins a turn", () => {
    check(user("[Request interrupted by user] is what I saw", { origin: { kind: "human" } }), [{ kind: "prompt" }]);
  });
  it("a denial is the call's result", () => {
    check(user([result("a")], { toolUseResult: "User rejected tool use", toolDenialKind: "user-rejected" }), [
      { kind: "result", toolUseId: "a" },
    ]);
  });
  it("a background shell and an async subagent start with their call's result", () => {
    check(user([result("a")], { toolUseResult: { backgroundTaskId: "sh1" } }), [
      { kind: "result", toolUseId: "a" },
      { kind: "background-started", id: "sh1", task: "shell" },
    ]);
    check(user([result("a")], { toolUseResult: { status: "async_launched", agentId: "ag1" } }), [
      { kind: "result", toolUseId: "a" },
      { kind: "background-started", id: "ag1", task: "subagent" },
    ]);
    check(user([result("a")], { toolUseResult: { status: "completed", agentId: "ag1" } }), [
      { kind: "result", toolUseId: "a" },
    ]);
  });
  it("a task that a tool stopped has ended", () => {
    check(user([result("a")], { toolUseResult: { message: "stopped", task_id: "sh1" } }), [
      { kind: "result", toolUseId: "a" },
      { kind: "background-ended", id: "sh1" },
    ]);
  });
  it("a task notification ends its task and begins a turn", () => {
    check(user(notification("sh1")), [{ kind: "background-ended", id: "sh1" }, { kind: "prompt" }]);
  });
  it("a notification without a status tells of a task that goes on", () => {
    check(user(notification("sh1", "")), [{ kind: "prompt" }]);
  });
  it("several notifications in one record end each of their tasks", () => {
    check(user(`${notification("a")}\n${notification("b", "")}\n${notification("c")}`), [
      { kind: "background-ended", id: "a" },
      { kind: "background-ended", id: "c" },
      { kind: "prompt" },
    ]);
  });
  it("a result that quotes another task's id does not end that one", () => {
    const text = notification("a").replace("it ended", "saw <task-id>b</task-id>");
    check(user(text), [{ kind: "background-ended", id: "a" }, { kind: "prompt" }]);
  });
});

describe("what an assistant record tells", () => {
  it("B042, S04: a call is told from its block, whatever the stop reason", () => {
    for (const stop of [null, "tool_use", "end_turn"]) {
      check(assistant([{ type: "tool_use", id: "a", name: "Bash" }], stop), [
        { kind: "sign" },
        { kind: "call", toolUseId: "a", tool: "Bash" },
      ]);
    }
  });
  it("S06: end_turn, stop_sequence and refusal answer the prompt; tool_use and a torn stream do not", () => {
    const text = [{ type: "text", text: "done" }];
    for (const stop of ["end_turn", "stop_sequence", "refusal"]) {
      check(assistant(text, stop), [{ kind: "sign" }, { kind: "answered" }]);
    }
    for (const stop of ["tool_use", null, "max_tokens"]) check(assistant(text, stop), [{ kind: "sign" }]);
  });
  it("B031, S36: a synthetic error record is a failure, by its code", () => {
    const codes = [
      ["authentication_failed", 401, "login"],
      ["billing_error", undefined, "billing"],
      ["rate_limit", 429, "limit"],
      ["server_error", 500, "server"],
      ["overloaded", 529, "server"],
      ["unknown", 400, "other"],
      [undefined, 401, "login"],
      [undefined, 402, "billing"],
      [undefined, 429, "limit"],
      [undefined, 503, "server"],
      [undefined, undefined, "other"],
    ] as const;
    for (const [error, apiErrorStatus, why] of codes) {
      const record = assistant([{ type: "text", text: "API Error" }], "stop_sequence", {
        isApiErrorMessage: true,
        error,
        apiErrorStatus,
      });
      check(record, [{ kind: "failed", why, says: "API Error" }]);
    }
  });
  it("what a failure says is cut to what a row can show", () => {
    const [event] = turnEvents(
      line(assistant([{ type: "text", text: `a\n${"b".repeat(5_000)}` }], null, { isApiErrorMessage: true })),
      0,
    );
    assert.ok(event?.kind === "failed" && event.says.length <= 120 && event.says.startsWith("a b"));
  });
  it("the synthetic record that a resume writes is an answer and no failure", () => {
    check(
      assistant([{ type: "text", text: "No response requested." }], "stop_sequence", { isApiErrorMessage: false }),
      [{ kind: "sign" }, { kind: "answered" }],
    );
  });
});

describe("what other records tell", () => {
  it("turn_duration ends the turn, agents_killed the subagents, api_error is a sign of life", () => {
    check({ type: "system", subtype: "turn_duration", durationMs: 5 }, [{ kind: "turn-ended" }]);
    check({ type: "system", subtype: "agents_killed" }, [{ kind: "subagents-killed" }]);
    check({ type: "system", subtype: "api_error", retryInMs: 500 }, [{ kind: "sign" }]);
  });
  it("a queued notification ends its task at once, and begins no turn", () => {
    check({ type: "queue-operation", operation: "enqueue", content: notification("a") }, [
      { kind: "background-ended", id: "a" },
    ]);
    check({ type: "queue-operation", operation: "dequeue" }, []);
    check({ type: "queue-operation", operation: "enqueue", content: "a typed prompt" }, []);
  });
  it("B042: unknown types and subtypes change nothing", () => {
    for (const type of ["toolResult", "summary", "last-prompt", "mode", "cost-state", "something-new"]) {
      check({ type, message: { content: "x" } }, []);
    }
    check({ type: "system", subtype: "something_new" }, []);
  });
  it("fields of another type than expected count as not told", () => {
    check({ type: "user", message: 7, toolUseResult: ["x"], isMeta: "yes" }, []);
    check({ type: "assistant", message: { content: [null, 3, { type: 4 }], stop_reason: 5 } }, [{ kind: "sign" }]);
    check({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "x".repeat(5_000) }] } }, []);
  });
});

describe("times", () => {
  const checkTime = (timestamp: string | undefined, expected: number | undefined): void => {
    assert.equal(recordTime(mustRead({ type: "user", timestamp })), expected);
  };
  it("T09: RFC 3339 with an offset, and the 29th of February", () => {
    checkTime("2026-11-30T19:00:00+02:00", at);
    checkTime("2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29));
  });
  it("a time that is missing, unreadable or outside of what can be shown is none", () => {
    for (const time of [undefined, "", "yesterday", "-000001-01-01T00:00:00Z", "+010000-01-01T00:00:00Z"]) {
      checkTime(time, undefined);
    }
  });
  it("a record without a time counts as of the one before it", () => {
    const [event] = turnEvents(mustRead({ type: "user", message: { content: "x" } }), fallbackAt);
    assert.equal(event?.at, fallbackAt);
  });
});

describe("isPrompt", () => {
  it("is false for results, interrupts and records without a message", () => {
    assert.equal(isPrompt(line(user([result("a")]))), false);
    assert.equal(isPrompt(line(user("[Request interrupted by user]"))), false);
    assert.equal(isPrompt(line({ type: "user" })), false);
    assert.equal(isPrompt(line({ type: "assistant", message: { content: "x" } })), false);
  });
});
