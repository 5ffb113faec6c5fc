import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  configDir,
  facts,
  failure,
  lines,
  look,
  otherDomain,
  pathOf,
  record,
  recordRead,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";
import { checkRow, iso, rosterOf } from "./rows.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];
const read = (lineList: readonly object[], fields: object = {}): MonitorEvent =>
  transcriptRead(second(5), "s1", transcriptFacts("s1", lineList, fields));

describe("a row", () => {
  it("is one for a conversation, from record, process and transcript together", () => {
    checkRow([...live, read([lines.prompt(second(-10), "fix the test"), lines.end(second(-5))])], {
      id: "s1",
      key: `${configDir}#s1`,
      cwd: "/home/dev/app",
      title: "fix the test",
      transcript: pathOf("s1"),
      pid: 20,
      startedAt: iso(second(-60)),
      sandbox: null,
    });
  });
  it("B077: resumes from the first folder, shows the last", () => {
    checkRow(
      [
        recordRead(second(3), record({ cwd: "/b" })),
        read([{ ...lines.prompt(second(1)), cwd: "/a" }], { startCwd: "/a" }),
      ],
      {
        startCwd: "/a",
        cwd: "/b",
      },
    );
  });
  it("its title: a person's, the agent's, the first prompt, the record's name, the folder", () => {
    const titled = (lineList: readonly object[], name?: string, nameSource?: string): string | undefined =>
      rosterOf([recordRead(second(3), record({ name, nameSource })), read(lineList)]).sessions[0]?.title;
    const prompt = lines.prompt(second(1), "a prompt");
    const ai = { type: "ai-title", aiTitle: "by the agent" };
    const custom = { type: "custom-title", customTitle: "mine" };
    assert.equal(titled([prompt, ai, custom], "app-9e", "derived"), "mine");
    assert.equal(titled([prompt, ai], "renamed", "user"), "renamed");
    assert.equal(titled([prompt, ai], "app-9e", "derived"), "by the agent");
    assert.equal(titled([prompt], "app-9e", "derived"), "a prompt");
    assert.equal(titled([], "app-9e", "derived"), "app-9e");
    assert.equal(titled([]), "app");
  });
  it("a process of another namespace stands in a sandbox that is named after it", () => {
    const events = [
      recordRead(second(3), record({ pid: 7, pidDomain: otherDomain })),
      look(second(4), facts({ pid: 48, namespacePid: 7, namespace: "4026532250" })),
    ];
    checkRow(events, { sandbox: "pidns:4026532250", sandboxDerived: true, pid: 48 });
    const [sandbox] = rosterOf(events).sandboxes;
    assert.deepEqual([sandbox?.name, sandbox?.state], ["pidns:4026532250", "running"]);
  });
  it("its evidence says what each source said, and when", () => {
    const [row] = rosterOf([...live, read([lines.prompt(second(1)), lines.call(second(2), "a")])]).sessions;
    assert.deepEqual(
      row?.evidence.map(({ source, says }) => `${source}: ${says}`),
      [
        "proc: process 20 runs, start 500",
        `pid-records:${configDir}: status idle`,
        `transcripts:${configDir}: a turn runs, Bash open`,
        "rule: call-open: Bash has no result yet",
      ],
    );
  });
  it("an unreadable source is named in the evidence and among what was read over", () => {
    const roster = rosterOf([...live, recordRead(second(5), failure)]);
    assert.match(roster.sessions[0]?.evidence[1]?.says ?? "", /status idle; unreadable since .*: EIO/);
    assert.deepEqual(
      roster.skipped.map(({ why, count }) => [why, count]),
      [["EIO", 1]],
    );
  });
});

describe("times", () => {
  it("L34: a future time is clamped to now", () => {
    checkRow([...live, read([lines.prompt(second(9_000))])], {
      status: { kind: "working", rule: "turn-running", since: iso(second(6)) },
    });
    checkRow([read([lines.prompt(second(1))], { modifiedAt: second(9_000) })], {
      liveness: { kind: "unknown", source: `transcripts:${configDir}`, asOf: iso(second(6)), stale: false },
    });
  });
  it("a time that no record told is no time, least of all 1970", () => {
    const { status } =
      rosterOf([read([{ ...lines.prompt(second(1)), timestamp: "yesterday" }])], second(6), true).sessions[0] ?? {};
    assert.ok(status !== undefined);
    assert.equal(status.since, undefined);
  });
  it("no time of a file or a record, however odd, keeps the roster from being told", () => {
    for (const odd of [-1e18, -1, 1e15, 8.64e15, 1e20, Number.MAX_VALUE]) {
      const events = [
        recordRead(second(3), record({ startedAt: odd, updatedAt: odd, statusUpdatedAt: odd })),
        read([{ ...lines.prompt(second(1)), timestamp: "+020000-01-01T00:00:00Z" }], { modifiedAt: odd }),
      ];
      rosterOf([...events], second(6), true);
      rosterOf([...events, look(second(4), facts({ startedAt: odd }))], second(6), true);
    }
  });
});
