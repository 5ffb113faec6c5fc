import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namedConversations, pidsOfInterest } from "../../../../agent/core/interest.ts";
import { newMonitor, type Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { recordDomain } from "../../../../agent/core/recordDomain.ts";
import { limits } from "../../../../base/limits.ts";
import {
  configDir,
  domain,
  facts,
  failure,
  fileOf,
  kernelHost,
  lines,
  look,
  observe,
  otherDomain,
  proc,
  record,
  recordListing,
  recordRead,
  second,
  shown,
  table,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, string>>, now = second(10)): void {
  assert.deepEqual(shown(observe(events), now), expected);
}

const transcript = transcriptFacts("s1", [lines.prompt(second(1)), lines.end(second(2))]);
const live = [recordRead(second(3), record()), look(second(4), facts())];

describe("records", () => {
  it("R03, L10: records that a listing lacks leave, rows of processes that live stay", () => {
    const events = [...live, recordRead(second(3), record({ pid: 21, sessionId: "s2", pidDomain: otherDomain }))];
    check(events, { s1: "live, idle", s2: "unknown, unknown" });
    check([...events, recordListing(second(5), [])], { s1: "live, idle" });
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
  it("names its namespace, another or none", () => {
    assert.deepEqual(recordDomain(kernelHost, record()), { kind: "own" });
    assert.deepEqual(recordDomain(kernelHost, record({ pidDomain: otherDomain })), {
      kind: "other",
      namespace: "4026532250",
    });
    assert.deepEqual(recordDomain(kernelHost, record({ pidDomain: undefined })), { kind: "unnamed" });
    assert.deepEqual(recordDomain({ ...kernelHost, pidDomain: undefined }, record({ pidDomain: domain })), {
      kind: "unnamed",
    });
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
});

describe("late answers", () => {
  it("a late look of a process never seen before does not outlive the pid's newer end", () => {
    check([recordRead(second(1), record()), look(second(5), "gone"), look(second(4), facts())], {
      s1: "ended: killed, ended",
    });
    check([look(second(5), facts({ startToken: "900" })), look(second(4), facts())], {
      "proc:4026531836:20:900": "live, unknown",
      "proc:4026531836:20:500": "ended, ended",
    });
  });
  it("a late look does not bring back the program that a process ran before", () => {
    const shell = facts({ role: { kind: "other" } });
    check([recordRead(second(1), record()), look(second(5), facts()), look(second(4), shell)], { s1: "live, idle" });
  });
  it("a table that is older than the last answered one says nothing", () => {
    const host = { ...kernelHost, kernelAnswers: false };
    const monitor = observe([table(second(5), []), table(second(4), [facts()])], host);
    assert.equal(monitor.processes.size, 0);
  });
});

describe("sources", () => {
  const checkSource = (events: readonly MonitorEvent[], expected: object): void => {
    const [source] = observe(events).sources.values();
    assert.partialDeepStrictEqual(source, expected);
  };
  it("tell their last attempt, their last answer, and since when they are silent", () => {
    checkSource([proc(second(1), "answers")], {
      last: "observed",
      at: second(1),
      answeredAt: second(1),
      failingSince: undefined,
    });
    checkSource([proc(second(1), "answers"), proc(second(2), failure), proc(second(3), failure)], {
      last: "unobserved",
      at: second(3),
      answeredAt: second(1),
      failingSince: second(2),
      cause: "EIO",
    });
    checkSource([proc(second(2), failure), proc(second(3), "answers")], {
      last: "observed",
      failingSince: undefined,
      cause: undefined,
    });
  });
  it("absent is an answer", () => {
    checkSource([recordListing(second(1), "absent")], { last: "absent", answeredAt: second(1) });
  });
  it("a late attempt changes nothing", () => {
    checkSource([proc(second(2), "answers"), proc(second(1), failure)], { last: "observed", at: second(2) });
  });
});

describe("memory", () => {
  it("is bounded: the processes that are gone longest go first, living ones never", () => {
    const count = limits.processesRemembered + 10;
    const born = Array.from({ length: count }, (_, index) => look(second(1), facts({ pid: index + 100 })));
    const gone = Array.from({ length: 20 }, (_, index) => look(second(2 + index), "gone", index + 100));
    const monitor: Monitor = observeAll(observeAll(newMonitor(kernelHost), born), gone);
    assert.equal(monitor.processes.size, limits.processesRemembered);
    assert.equal(monitor.processes.has("109:500" as never), false);
    assert.equal(monitor.processes.has("110:500" as never), true);
    const living = observe(Array.from({ length: count }, (_, index) => look(second(1), facts({ pid: index + 100 }))));
    assert.equal(living.processes.size, count);
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
