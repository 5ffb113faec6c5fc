// Which record speaks of a conversation that two processes hold, or held one after the other.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import type { PidRecord } from "../../../../protocol/files/pidRecord.ts";
import { facts, look, observe, otherDomain, record, recordRead, second, shown } from "./builders.ts";

const at = second(1);
const says = (pid: number, status: string, since: number, more: Partial<PidRecord> = {}): MonitorEvent =>
  recordRead(at, record({ pid, status, statusUpdatedAt: second(since), updatedAt: second(since), ...more }));
const asks = (pid: number, since: number): MonitorEvent =>
  says(pid, "waiting", since, { waitingFor: "permission prompt" });
const lives = (pid: number): MonitorEvent => look(second(2), facts({ pid }));
const gone = (pid: number): MonitorEvent => look(second(3), "gone", pid);
const words = (...events: readonly MonitorEvent[]): string | undefined => shown(observe(events), second(4))["s1"];

describe("the record of a conversation", () => {
  it("is that of a process that lives, however new is what another left behind", () => {
    for (const left of [asks(21, -1), says(21, "busy", -1)]) {
      assert.equal(words(says(20, "idle", -30), left, lives(20), lives(21), gone(21)), "live, idle");
      assert.equal(words(says(20, "idle", -30), left, lives(20), gone(21)), "live, idle", "gone before the first look");
    }
  });
  it("is none where the only one is of a process that is gone", () => {
    const resumed = facts({ role: { kind: "session", conversationId: "s1" } });
    assert.equal(words(asks(21, -1), gone(21), look(second(2), resumed)), "live, unknown");
  });
  it("is of two that live the more urgent one", () => {
    const both = [lives(20), lives(21)];
    assert.equal(words(asks(20, -30), says(21, "idle", -1), ...both), "live, needs-you: permission");
    assert.equal(words(asks(20, -30), says(21, "busy", -1), ...both), "live, needs-you: permission");
    assert.equal(words(says(20, "busy", -30), says(21, "idle", -1), ...both), "live, working");
  });
  it("is the newest where none is of a process that lives", () => {
    const other = { pidDomain: otherDomain };
    assert.equal(words(says(20, "idle", -30, other), asks(21, -1), gone(21)), "ended: killed, ended");
    assert.equal(words(says(20, "busy", -30, other), says(21, "idle", -1, other)), "unknown, unknown");
  });
});
