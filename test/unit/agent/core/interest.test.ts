import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conversationsUnread, namedConversations, pidsOfInterest } from "../../../../agent/core/interest.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  failure,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordRead,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];

describe("whom to ask", () => {
  const checkPids = (events: readonly MonitorEvent[], expected: readonly number[]): void => {
    assert.deepEqual([...pidsOfInterest(observe(events))].sort(), expected);
  };
  it("processes that may live, and the pids of records that no process answers yet", () => {
    checkPids(live, [20]);
    checkPids([recordRead(second(3), record())], [20]);
    checkPids([...live, look(second(5), "gone")], []);
    checkPids([recordRead(second(3), record()), look(second(4), "gone")], []);
  });
  it("again when a record is read anew after its pid was gone, or a look failed", () => {
    checkPids([look(second(3), "gone"), recordRead(second(4), record())], [20]);
    checkPids([recordRead(second(3), record()), look(second(4), failure)], [20]);
  });
  it("never a pid of another namespace", () =>
    checkPids([recordRead(second(3), record({ pidDomain: otherDomain }))], []));
  it("conversations that a process or a record names", () => {
    const monitor = observe([...live, recordRead(second(3), record({ pid: 21, sessionId: "s2" }))]);
    assert.deepEqual([...namedConversations(monitor)].sort(), ["s1", "s2"]);
  });
  it("those of which no transcript was read", () => {
    const named = [...live, recordRead(second(3), record({ pid: 21, sessionId: "s2" }))];
    const read = transcriptRead(second(5), "s2", transcriptFacts("s2", [lines.prompt(second(4))]));
    assert.deepEqual([...conversationsUnread(observe(named))].sort(), ["s1", "s2"]);
    assert.deepEqual([...conversationsUnread(observe([...named, read]))], ["s1"]);
    assert.deepEqual(
      [...conversationsUnread(observe([...named, read, transcriptRead(second(6), "s2", failure)]))],
      ["s1"],
    );
  });
});
