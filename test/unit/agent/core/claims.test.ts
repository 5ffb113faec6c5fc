import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { facts, look, observe, record, recordRead, second, shown, table, tableHost } from "./builders.ts";

function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, string>>): void {
  assert.deepEqual(shown(observe(events), second(10)), expected);
}

describe("a row without a conversation's name", () => {
  it("is its process, until a record or a transcript names it: then it is one row", () => {
    check([look(second(4), facts())], { "proc:4026531836:20:500": "live, unknown" });
    check([look(second(4), facts()), recordRead(second(5), record())], { s1: "live, idle" });
  });
  it("B082: a record is believed before the arguments", () => {
    const resumed = facts({ role: { kind: "session", conversationId: "s0" } });
    check([look(second(4), resumed)], { s0: "live, unknown" });
    check([look(second(4), resumed), recordRead(second(5), record())], { s1: "live, idle" });
    check([recordRead(second(3), record()), look(second(4), resumed)], { s1: "live, idle" });
  });
  it("holds again what its arguments name, when a table finds after all that it lives", () => {
    const mine = facts({ role: { kind: "session", conversationId: "s0" } });
    // A look that came late tells of a process whose pid another one seems to hold.
    const thoughtGone = [look(second(2), facts({ startToken: "600", startedAt: second(-400) })), look(second(1), mine)];
    const rows = shown(observe([...thoughtGone, table(second(4), [mine])], tableHost), second(10));
    assert.equal(rows["s0"], "live, unknown");
  });
});
