import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { newMonitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { emptyTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";
import { pidRecordSchema } from "../../../../protocol/files/pidRecord.ts";
import { rosterSchema, type Roster, type Session } from "../../../../protocol/roster.ts";
import {
  configDir,
  facts,
  failure,
  kernelHost,
  lines,
  look,
  observe,
  otherDomain,
  pathOf,
  proc,
  record,
  recordListing,
  recordRead,
  rowsAt,
  rowWords,
  second,
  table,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

const iso = (at: number): string => new Date(at).toISOString();
const live = [recordRead(second(3), record()), look(second(4), facts())];
const read = (lineList: readonly object[], fields: object = {}): MonitorEvent =>
  transcriptRead(second(5), "s1", transcriptFacts("s1", lineList, fields));

function rosterOf(events: readonly MonitorEvent[], now = second(6), all = false): Roster {
  return rosterSchema.parse(projectRoster(observe(events), { now, all, onlyWatchedFolders: false }));
}

function only(rows: readonly Session[]): Session {
  const [row] = rows;
  assert.ok(row !== undefined && rows.length === 1, `${rows.length} rows`);
  return row;
}

/** The only row of these events has these fields. */
function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, unknown>>, now = second(6)): void {
  const { sessions } = rosterOf(events, now);
  assert.equal(sessions.length, 1);
  const row = sessions[0] as unknown as Record<string, unknown>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, row[key]])), expected);
}

describe("a row", () => {
  it("is one for a conversation, from record, process and transcript together", () => {
    check([...live, read([lines.prompt(second(-10), "fix the test"), lines.end(second(-5))])], {
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
    check(
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
    check(events, { sandbox: "pidns:4026532250", sandboxDerived: true, pid: 48 });
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

describe("open turns", () => {
  const turns = (events: readonly MonitorEvent[], now?: number): unknown =>
    rosterOf(events, now).sessions[0]?.openTurns.map(({ tool, abandoned }) => [tool, abandoned]);
  const calls = [lines.prompt(second(1)), lines.call(second(2), "a")];
  it("of a living process are open", () => assert.deepEqual(turns([...live, read(calls)]), [["Bash", false]]));
  it("B001: of a killed one are abandoned, and it is never a call for you", () => {
    const asks = [lines.prompt(second(1)), lines.call(second(2), "a", "AskUserQuestion")];
    const events = [...live, read(asks), look(second(5), "gone")];
    assert.deepEqual(turns(events), [["AskUserQuestion", true]]);
    check(events, { status: { kind: "ended", rule: "session-ended", since: iso(second(5)) } });
  });
  it("S09: of an earlier process of a resumed conversation are abandoned", () => {
    const asks = [lines.prompt(second(-100)), lines.call(second(-90), "a", "AskUserQuestion")];
    assert.deepEqual(turns([...live, read(asks)]), [["AskUserQuestion", true]]);
    assert.equal(rosterOf([...live, read(asks)]).sessions[0]?.status.kind, "waiting");
  });
  it("background tasks of an earlier process are over, those of this one are shown", () => {
    const started = (at: number): object[] => [
      lines.prompt(at),
      lines.call(at, "a"),
      lines.result(at + 1, "a", { status: "async_launched", agentId: "ag" }),
      lines.end(at + 2),
    ];
    check([...live, read(started(second(-30)))], {
      background: [{ id: "ag", kind: "subagent", since: iso(second(-30) + 1) }],
      subagents: [{ id: "ag", status: "running", openTurns: [] }],
    });
    check([...live, read(started(second(-100)))], { background: [], subagents: [] });
    check([...live, read(started(second(-30))), look(second(5), "gone")], { background: [] });
  });
  it("S22: a likely prompt rests on whole tables that show no child", () => {
    const bash = [lines.prompt(second(1)), lines.call(second(2), "a")];
    const events = [look(second(4), facts({ role: { kind: "session", conversationId: "s1" } })), read(bash)];
    const at = (seconds: number, parents: readonly number[] = []): MonitorEvent =>
      table(second(seconds), [facts()], { identities: false, parents });
    const statusOf = (more: readonly MonitorEvent[]): string =>
      rowWords(only(rosterOf([...events, ...more], second(60)).sessions));
    assert.equal(statusOf([at(6), at(21), at(36)]), "live stale, needs-you: likely");
    assert.equal(statusOf([at(6), at(21, [20]), at(36)]), "live stale, working");
    assert.equal(statusOf([at(6), table(second(21), failure), table(second(36), failure)]), "live stale, working");
  });
});

describe("times", () => {
  it("L34: a future time is clamped to now", () => {
    check([...live, read([lines.prompt(second(9_000))])], {
      status: { kind: "working", rule: "turn-running", since: iso(second(6)) },
    });
    check([read([lines.prompt(second(1))], { modifiedAt: second(9_000) })], {
      liveness: { kind: "unknown", source: `transcripts:${configDir}`, asOf: iso(second(6)), stale: false },
    });
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

describe("which rows are shown", () => {
  const day = 86_400;
  const old = read([lines.prompt(second(1)), lines.end(second(2))]);
  it("one that ended, or whose transcript was last touched a day ago, is left out unless all are asked for", () => {
    assert.equal(rosterOf([old], second(day)).sessions.length, 1);
    assert.equal(rosterOf([old], second(day + 3)).sessions.length, 0);
    assert.equal(rosterOf([old], second(day + 3), true).sessions.length, 1);
    const ended = [...live, look(second(5), "gone")];
    assert.equal(rosterOf(ended, second(day + 4)).sessions.length, 1);
    assert.equal(rosterOf(ended, second(day + 6)).sessions.length, 0);
  });
  it("B102: what lives or may live stays, however old", () => {
    assert.equal(rosterOf(live, second(30 * day)).sessions.length, 1);
    assert.equal(rosterOf([recordRead(second(3), record())], second(30 * day)).sessions.length, 1);
  });
});

describe("only watched folders", () => {
  it("leaves out a process that belongs to another config folder, not one whose folder is unknown", () => {
    const pids = (onlyWatchedFolders: boolean): (number | undefined)[] => {
      const monitor = observe([
        recordListing(second(1), []),
        look(second(2), facts({ pid: 21, configDir })),
        look(second(2), facts({ pid: 22, configDir: "/home/dev/.claude-work" })),
        look(second(2), facts({ pid: 23, configDir: undefined })),
      ]);
      return projectRoster(monitor, { now: second(3), all: false, onlyWatchedFolders }).sessions.map(({ pid }) => pid);
    };
    assert.deepEqual(pids(true).sort(), [21, 23]);
    assert.deepEqual(pids(false).sort(), [21, 22, 23]);
  });
});

describe("sources", () => {
  const stateAt = (now: number): unknown => {
    const [source] = rosterOf([proc(second(1), "answers")], now).sources;
    return [source?.state, source?.asOf, source?.since, source?.cause];
  };
  it("that did not answer for three of their periods are unobserved, with their last answer", () => {
    assert.deepEqual(stateAt(second(10)), ["observed", iso(second(1)), undefined, undefined]);
    assert.deepEqual(stateAt(second(11)), [
      "unobserved",
      iso(second(1)),
      iso(second(1)),
      "no answer for three of its periods",
    ]);
  });
});

describe("a remembered row", () => {
  const known = only(rowsAt(observe([...live, read([lines.prompt(second(1))])]), second(6)));
  const restarted = (events: readonly MonitorEvent[]): string[] => {
    const remembered = new Map([[known.key, known]]);
    const monitor = observeAll({ ...newMonitor(kernelHost), remembered }, events);
    return rowsAt(monitor, second(20)).map(rowWords);
  };
  const both = [recordListing(second(10), []), transcriptListing(second(10), [])];
  it("stays, stale, until the folders that would show it have answered", () => {
    assert.deepEqual(restarted([]), ["live stale, working"]);
    for (const silent of [failure, "absent"] as const) {
      assert.deepEqual(restarted([recordListing(second(10), silent), transcriptListing(second(10), [])]), [
        "live stale, working",
      ]);
      assert.deepEqual(restarted([recordListing(second(10), []), transcriptListing(second(10), silent)]), [
        "live stale, working",
      ]);
    }
  });
  it("goes when both answered without it", () => assert.deepEqual(restarted(both), []));
  it("stays while a record or a transcript there was never read: it may be its own", () => {
    assert.deepEqual(restarted([transcriptRead(second(9), "s1", failure), ...both]), ["live stale, working"]);
    assert.deepEqual(restarted([...both, recordRead(second(11), failure)]), ["live stale, working"]);
  });
  it("gives way to what the sources tell now", () => {
    assert.deepEqual(restarted([recordRead(second(9), record({ status: "busy" })), look(second(19), facts())]), [
      "live, working",
    ]);
  });
});

describe("recordings of Claude Code 2.1.332", () => {
  interface Step {
    readonly step: string;
    readonly seenAt: number;
    readonly file: string;
    readonly record: unknown;
  }
  const recordings = new URL("../../../fixtures/claude-code-2.1.332/walk/", import.meta.url);
  const linesOf = (path: string): string[] => readFileSync(new URL(path, recordings), "utf8").trim().split("\n");
  const steps = linesOf("pid-records.jsonl").map((line) => JSON.parse(line) as Step);
  const transcript = linesOf("transcript.all-steps.jsonl");
  const id = "8d162b97-f7e3-4d71-ab0b-55df40af0d17";
  const host = { ...kernelHost, pidDomain: "linux:00000000000000000000000000000000:pid:[4026531836]" };

  /** What the row of the walk says when all that was on disk by then is known. */
  function statusAt(at: number): string {
    let fold = emptyTranscript;
    for (const line of transcript) {
      const time = Date.parse((JSON.parse(line) as { timestamp?: string }).timestamp ?? "");
      if (time > at) break;
      fold = foldTranscriptLine(fold, line);
    }
    const records = steps.filter(({ seenAt, file }) => seenAt <= at && file === "sessions/20887.json");
    const events = records.flatMap((step): MonitorEvent[] =>
      step.record === "removed" ? [] : [recordRead(step.seenAt, pidRecordSchema.parse(step.record))],
    );
    const process = facts({ pid: 20887, startToken: "130831", startedAt: 1796059437000 });
    const facts1 = transcriptFacts(id, [], { fold, modifiedAt: at });
    const monitor = observeAll(newMonitor(host), [...events, look(at, process), transcriptRead(at, id, facts1)]);
    return rowWords(only(rowsAt(monitor, at).filter((row) => row.id === id)));
  }
  /** Some time into a step, when its transcript lines have been written. */
  const during = (name: string, status: string, waitMs = 400): string => {
    const found = steps.find(({ step, record: at }) => step === name && (at as { status?: string }).status === status);
    assert.ok(found !== undefined, `${name} ${status}`);
    return statusAt(found.seenAt + waitMs);
  };

  it("every step of the walk shows what a person saw", () => {
    assert.equal(during("busy long held 12s", "busy"), "live, working");
    assert.equal(during("busy long held 12s", "idle"), "live, waiting");
    assert.equal(during("permission waits 8s", "waiting"), "live, needs-you: permission");
    assert.equal(during("permission waits 8s", "idle"), "live, waiting");
    assert.equal(during("denied", "waiting"), "live, needs-you: permission");
    assert.equal(during("denied", "idle"), "live, waiting");
    assert.equal(during("question", "waiting"), "live, needs-you: question");
    assert.equal(during("question escaped", "waiting"), "live, needs-you: question");
    assert.equal(during("question escaped", "idle"), "live, waiting");
    assert.equal(during("escape mid-stream", "idle"), "live, waiting");
    assert.equal(during("escape before output", "busy"), "live, working");
    assert.equal(during("escape before output", "idle"), "live, waiting");
    assert.equal(during("fail-401", "idle"), "live, error: login");
    assert.equal(during("fail-429", "idle"), "live, error: limit");
    assert.equal(during("fail-500", "idle"), "live, error: server");
    assert.equal(during("fail-400", "idle"), "live, error: other");
    assert.equal(during("background bash", "shell"), "live, background");
    assert.equal(during("background shell ends", "idle"), "live, waiting");
  });
  it("a running subagent is background work while the record stays busy", () => {
    assert.equal(during("background agent", "busy", 3_000), "live, background");
    assert.equal(during("agent asking", "waiting"), "live, needs-you: permission");
  });
});
