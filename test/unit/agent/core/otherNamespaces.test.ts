// Sessions of pid namespaces of which the host knows little: what ends their rows, and what must not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  fileOf,
  facts,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordListing,
  recordRead,
  second,
  shown,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const other = record({ pid: 7, sessionId: "sx", pidDomain: otherDomain, procStart: "700" });
const read = recordRead(second(1), other, fileOf(7));
const census = (at: number, pids: readonly number[]): MonitorEvent => ({
  kind: "namespace-look",
  namespace: "4026532250",
  at: second(at),
  pids: new Set(pids),
});
const words = (events: readonly MonitorEvent[], now = second(10)): string | undefined =>
  shown(observe(events), now)["sx"];

describe("R03: a folder that goes empty while a row of another namespace comes from it", () => {
  it("leaves the row, marked stale, however it was told", () => {
    assert.equal(words([read, recordListing(second(5), [])]), "unknown stale, unknown");
    assert.equal(words([read, recordRead(second(5), "absent", fileOf(7))]), "unknown stale, unknown");
    assert.equal(words([read, recordListing(second(5), []), recordListing(second(8), [])]), "unknown stale, unknown");
  });
  it("says so no more when the record is back, and lets the row go when its process is known", () => {
    assert.equal(
      words([read, recordListing(second(5), []), recordRead(second(6), other, fileOf(7))]),
      "unknown, unknown",
    );
    const inside = facts({ pid: 1012, startToken: "700", namespace: "4026532250", namespacePid: 7 });
    const events = [read, recordListing(second(5), []), look(second(6), inside)];
    assert.match(words([read, look(second(2), inside), recordListing(second(5), [])]) ?? "", /^live/);
    assert.match(words([...events, recordRead(second(7), other, fileOf(7))]) ?? "", /^live/);
  });
  it("of our own namespace the record's end is one", () => {
    const own = record({ pid: 20, sessionId: "sx" });
    assert.equal(words([recordRead(second(1), own), recordListing(second(5), [])]), undefined);
  });
});

describe("a record of another namespace whose process nobody knows", () => {
  it("L08, L09: ends only by a whole look at that namespace without its pid", () => {
    assert.equal(words([read]), "unknown, unknown");
    assert.equal(words([read, census(2, [1, 7])]), "unknown, unknown");
    assert.equal(words([read, census(0, [1])]), "unknown, unknown", "a look from before the record was read");
    assert.equal(words([read, census(2, [1])]), "ended: killed, ended");
  });
  it("ends when nobody runs in it, where the host would see them", () => {
    assert.equal(words([read, census(2, [])]), "ended: killed, ended");
  });
  it("of another machine's is not ended by what is missing here", () => {
    const far = record({ ...other, pidDomain: "linux:ffffffffffffffff:pid:[4026532250]" });
    for (const pids of [[], [1]])
      assert.equal(words([recordRead(second(1), far, fileOf(7)), census(2, pids)]), "unknown, unknown");
  });
  it("B005: a start that cannot be compared is no other start", () => {
    const odd = record({ pid: 20, sessionId: "sx", procStart: "Mon Nov 30 17:20:01 2026" });
    assert.equal(words([recordRead(second(1), odd), look(second(2), facts())]), "unknown, unknown");
  });
});

describe("two living processes on one conversation", () => {
  it("the older one's calls are open, not abandoned", () => {
    const older = facts({
      pid: 20,
      startToken: "500",
      startedAt: second(-60),
      role: { kind: "session", conversationId: "sx" },
    });
    const newer = facts({
      pid: 21,
      startToken: "900",
      startedAt: second(-10),
      role: { kind: "session", conversationId: "sx" },
    });
    const transcript = transcriptFacts("sx", [lines.prompt(second(-30)), lines.call(second(-29), "t1")]);
    const events = [look(second(0), older), look(second(0), newer), transcriptRead(second(1), "sx", transcript)];
    assert.equal(words(events, second(1)), "live, working");
  });
});

describe("an interpreter that only started the agent's own program", () => {
  it("is no row of its own", () => {
    const wrapper = facts({ pid: 30, startToken: "500", isInterpreted: true });
    const native = facts({ pid: 31, startToken: "501", ppid: 30 });
    assert.deepEqual(shown(observe([look(second(0), wrapper), look(second(0), native)]), second(1)), {
      "proc:4026531836:31:501": "live, unknown",
    });
    assert.equal(Object.keys(shown(observe([look(second(0), wrapper)]), second(1))).length, 1);
  });
  it("a session that started another one directly is", () => {
    const parent = facts({ pid: 30, startToken: "500" });
    const child = facts({ pid: 31, startToken: "501", ppid: 30 });
    assert.equal(Object.keys(shown(observe([look(second(0), parent), look(second(0), child)]), second(1))).length, 2);
  });
});
