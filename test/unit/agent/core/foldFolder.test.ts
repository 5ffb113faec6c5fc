import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  configDir,
  facts,
  failure,
  fileOf,
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
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

const transcript = transcriptFacts("s1", [lines.prompt(second(1)), lines.end(second(2))]);
const live = [recordRead(second(3), record()), look(second(4), facts())];

function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, string>>, now = second(10)): void {
  assert.deepEqual(shown(observe(events), now), expected);
}

describe("records", () => {
  it("R03, L10: records that a listing lacks leave, rows of processes that live stay", () => {
    const events = [...live, recordRead(second(3), record({ pid: 21, sessionId: "s2", pidDomain: otherDomain }))];
    check(events, { s1: "live, idle", s2: "unknown, unknown" });
    // Of another namespace nobody here can tell whether it ended or was swept away.
    check([...events, recordListing(second(5), [])], { s1: "live, idle", s2: "unknown stale, unknown" });
    const own = recordRead(second(3), record({ pid: 21, sessionId: "s2" }));
    check([...live, own, recordListing(second(5), [])], { s1: "live, idle" });
  });
  it("L17, R03: a listing that failed, or found no folder after one was seen, removes nothing", () => {
    const inside = recordRead(second(3), record({ pidDomain: otherDomain, status: "idle" }));
    const listed = recordListing(second(3), [fileOf(20)]);
    for (const silent of [failure, "absent"] as const) {
      check([listed, inside, recordListing(second(5), silent)], { s1: "unknown, unknown" });
    }
  });
  it("a record that was read later than a listing is not removed by it, in whichever order they come", () => {
    const read = recordRead(second(6), record());
    check([read, recordListing(second(5), [])], { s1: "unknown, idle" });
    check([recordListing(second(5), []), read], { s1: "unknown, idle" });
  });
  it("a record that was read before a listing without it does not come back", () => {
    const read = recordRead(second(4), record());
    check([recordListing(second(5), []), read], {});
    check([read, recordListing(second(5), [])], {});
  });
  it("a spare of the agent's is no session", () => {
    check(
      [
        recordRead(second(3), record({ spare: true })),
        look(second(4), facts({ role: { kind: "helper", what: "bg-spare" } })),
      ],
      {},
    );
  });
  it("a spare that took up a conversation is one", () => {
    const helper = facts({ role: { kind: "helper", what: "bg-spare" } });
    check([look(second(4), helper), recordRead(second(5), record())], { s1: "live, idle" });
  });
});

describe("transcripts", () => {
  const read = [transcriptRead(second(3), "s1", transcript), transcriptListing(second(3), ["s1"])];
  it("one that cannot be read keeps what was read", () => {
    check([...read, transcriptRead(second(5), "s1", failure)], { s1: "unknown, waiting" });
  });
  it("one that is gone after having been seen stays until its folder answers without it", () => {
    const gone = [...read, transcriptRead(second(5), "s1", "absent")];
    check(gone, { s1: "unknown, waiting" });
    check([...gone, transcriptListing(second(6), failure)], { s1: "unknown, waiting" });
    check([...gone, transcriptListing(second(6), "absent")], { s1: "unknown, waiting" });
    check([...gone, transcriptListing(second(6), [])], {});
  });
  it("one that came back is no longer gone", () => {
    const back = [...read, transcriptRead(second(5), "s1", "absent"), transcriptRead(second(6), "s1", transcript)];
    check([...back, transcriptListing(second(7), [])], { s1: "unknown, waiting" });
  });
  it("T07: of two files of one conversation the newer one tells, in whichever order they come", () => {
    const moved = transcriptFacts("s1", [lines.prompt(second(5)), lines.call(second(6), "a")], {
      path: "/moved/s1.jsonl",
    });
    const events = [
      transcriptRead(second(7), "s1", transcript),
      { ...transcriptRead(second(7), "s1", moved), path: "/moved/s1.jsonl" } as MonitorEvent,
    ];
    for (const order of [events, events.toReversed()]) check(order, { s1: "unknown, working" });
  });
});

describe("config folders", () => {
  it("B075: the same conversation in two folders is two rows", () => {
    const other = "/home/dev/.claude-work";
    const events = [...live, transcriptRead(second(3), "s1", { ...transcript, path: `${other}/x.jsonl` }, other)];
    assert.deepEqual(Object.keys(shown(observe(events), second(10))), ["s1"]);
    const monitor = observe(events);
    assert.deepEqual([...monitor.folders.keys()].sort(), [configDir, other]);
  });
});
