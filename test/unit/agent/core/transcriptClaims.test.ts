import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordRead,
  rowsAt,
  rowWords,
  second,
  shown,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const thirdDomain = otherDomain.replace("250", "252");
/** Two sandboxes in which the session has pid 7: the first one's record was overwritten by the second one's. */
const a = facts({ pid: 1012, startToken: "700", startedAt: second(-60), namespace: "4026532250", namespacePid: 7 });
const b = facts({ pid: 1048, startToken: "900", startedAt: second(-40), namespace: "4026532252", namespacePid: 7 });
const file = "/home/dev/.claude/sessions/7.json";
const recordOf = (of: typeof a, sessionId: string, pidDomain: string, status: string) =>
  record({ pid: 7, sessionId, pidDomain, procStart: of.startToken, startedAt: of.startedAt, status });
const lost: readonly MonitorEvent[] = [
  look(second(0), a),
  look(second(0), b),
  recordRead(second(1), recordOf(b, "sb", thirdDomain, "busy"), file),
];
const prompted = (id: string, at: number): MonitorEvent =>
  transcriptRead(second(2), id, transcriptFacts(id, [{ ...lines.prompt(second(at)), session_id: id }]));
const closedBy = (id: string, at: number): MonitorEvent =>
  transcriptRead(
    second(2),
    id,
    transcriptFacts(id, [lines.prompt(second(at)), lines.end(second(at)), { type: "cost-state" }]),
  );

const nameless = "proc:4026532250:1012:700";
const ended = (id: string, at: number): MonitorEvent =>
  transcriptRead(second(2), id, transcriptFacts(id, [lines.prompt(second(at)), lines.end(second(at))]));

describe("a process whose record was overwritten by another sandbox's", () => {
  it("holds the only transcript that nobody else can have", () => {
    assert.deepEqual(shown(observe([...lost, prompted("sa", -50), ended("sb", -30)]), second(5)), {
      sa: "live, working",
      sb: "live, waiting",
    });
  });
  it("T04: between two transcripts nothing is guessed", () => {
    const monitor = observe([...lost, prompted("sa", -50), prompted("sx", -45), ended("sb", -30)]);
    assert.equal(shown(monitor, second(5))[nameless], "live, unknown");
    assert.match(shown(monitor, second(5))["sa"] ?? "", /^unknown/);
  });
  it("between two processes nothing is guessed", () => {
    const rival = facts({ ...a, pid: 1099, startToken: "710", namespace: "4026532299" });
    const monitor = observe([...lost, look(second(0), rival), prompted("sa", -50)]);
    assert.equal(shown(monitor, second(5))[nameless], "live, unknown");
    assert.equal(shown(monitor, second(5))["proc:4026532299:1099:710"], "live, unknown");
  });
  it("a process whose folder could not be read may be the writer too", () => {
    const rival = facts({ ...a, pid: 1099, startToken: "710", namespace: "4026532299", configDir: undefined });
    const monitor = observe([...lost, look(second(0), rival), prompted("sa", -50)]);
    assert.equal(shown(monitor, second(5))[nameless], "live, unknown");
  });
  it("a transcript from before its start, of another folder, or closed in order is not its own", () => {
    assert.equal(shown(observe([...lost, prompted("sx", -90)]), second(5))[nameless], "live, unknown");
    assert.equal(shown(observe([...lost, closedBy("sx", -50)]), second(5))[nameless], "live, unknown");
    const elsewhere = facts({ ...a, cwd: "/home/dev/other" });
    const events = [look(second(0), elsewhere), look(second(0), b), ...lost.slice(2), prompted("sa", -50)];
    assert.equal(shown(observe(events), second(5))[nameless], "live, unknown");
  });
  it("a conversation begun before it and written since, as after a resume, makes the choice uncertain", () => {
    const resumed = transcriptRead(
      second(2),
      "sx",
      transcriptFacts("sx", [lines.prompt(second(-500)), lines.prompt(second(-20))]),
    );
    assert.equal(shown(observe([...lost, prompted("sa", -50), resumed]), second(5))[nameless], "live, unknown");
    assert.equal(shown(observe([...lost, resumed]), second(5))[nameless], "live, unknown");
  });
  it("ends with its process, and how is not told, since no record could", () => {
    const monitor = observe([...lost, prompted("sa", -50), look(second(4), "gone", 1012)]);
    assert.equal(shown(monitor, second(5))["sa"], "ended, ended");
  });
});

describe("a record that two processes write", () => {
  const watched: readonly MonitorEvent[] = [
    look(second(0), a),
    recordRead(second(0), recordOf(a, "sa", otherDomain, "idle"), file),
    look(second(1), b),
    recordRead(second(1), recordOf(b, "sb", thirdDomain, "idle"), file),
  ];
  it("says nothing of either by itself: a status change may be the other's", () => {
    const busy = recordRead(second(2), recordOf(b, "sb", thirdDomain, "busy"), file);
    assert.deepEqual(shown(observe([...watched, busy]), second(5)), { sa: "live, unknown", sb: "live, unknown" });
    assert.deepEqual(shown(observe([...watched, busy, prompted("sa", 0), ended("sb", -10)]), second(5)), {
      sa: "live, working",
      sb: "live, waiting",
    });
  });
  it("is believed as a hint again when the other one is gone", () => {
    assert.equal(shown(observe([...watched, look(second(3), "gone", 1012)]), second(5))["sb"], "live, waiting");
  });
  it("does not hand one process' new conversation to the other", () => {
    const cleared = recordRead(second(2), recordOf(b, "sa2", thirdDomain, "idle"), file);
    const monitor = observe([...watched, cleared]);
    assert.match(shown(monitor, second(5))["sb"] ?? "", /^live/);
    assert.match(shown(monitor, second(5))["sa2"] ?? "", /^unknown/);
  });
  it("of our own namespace is no more than that, while a sandbox has the same pid", () => {
    const own = facts({ pid: 7, startToken: "50" });
    const events = [look(second(0), own), look(second(0), a)];
    const busy = recordRead(second(1), record({ pid: 7, procStart: "50", sessionId: "so", status: "busy" }), file);
    assert.equal(shown(observe([...events, busy]), second(5))["so"], "live, unknown");
    assert.equal(shown(observe([events[0] as MonitorEvent, busy]), second(5))["so"], "live, working");
  });
  it("killed is not said to have exited when its record is another's", () => {
    const gone = look(second(3), "gone", 1012);
    const listing: MonitorEvent = {
      kind: "pid-record-listing",
      configDir: "/home/dev/.claude",
      listing: { kind: "observed", at: second(4), source: "pid-records:/home/dev/.claude", value: new Set([file]) },
    };
    assert.equal(shown(observe([...watched, gone, listing]), second(5))["sa"], "ended, ended");
  });
});

describe("a conversation that went on after /clear while the record is another's", () => {
  const events: readonly MonitorEvent[] = [
    look(second(0), a),
    recordRead(second(0), recordOf(a, "sa", otherDomain, "idle"), file),
    look(second(0), b),
    recordRead(second(1), recordOf(b, "sb", thirdDomain, "idle"), file),
  ];
  const next = (at: number): MonitorEvent =>
    transcriptRead(second(5), "sa2", transcriptFacts("sa2", [{ ...lines.prompt(second(at)), session_id: "sa" }]));

  it("is told by the first conversation that its lines name", () => {
    const rows = rowsAt(observe([...events, closedBy("sa", 2), next(4)]), second(6));
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.id, rowWords(row)])), {
      sa: "ended: rotated, ended",
      sa2: "live, working",
      sb: "live, unknown",
    });
  });
  it("a fork, which leaves the old one open, is no continuation", () => {
    const open = transcriptRead(second(3), "sa", transcriptFacts("sa", [lines.prompt(second(2))]));
    const monitor = observe([...events, open, next(2)]);
    assert.match(shown(monitor, second(6))["sa"] ?? "", /^live/);
    assert.match(shown(monitor, second(6))["sa2"] ?? "", /^unknown/);
  });
});
