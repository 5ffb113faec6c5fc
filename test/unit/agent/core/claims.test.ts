import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { facts, look, observe, record, recordRead, second, shown } from "./builders.ts";

function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, string>>, now = second(10)): void {
  assert.deepEqual(shown(observe(events), now), expected);
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
});
