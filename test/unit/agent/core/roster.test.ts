import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { newMonitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { emptyTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";
import { pidRecordSchema } from "../../../../protocol/files/pidRecord.ts";
import {
  configDir,
  facts,
  failure,
  kernelHost,
  lines,
  look,
  observe,
  record,
  recordListing,
  recordRead,
  rowsAt,
  rowWords,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";
import { only, rosterOf } from "./rows.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];
const read = (lineList: readonly object[], fields: object = {}): MonitorEvent =>
  transcriptRead(second(5), "s1", transcriptFacts("s1", lineList, fields));

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
  it("L13: one whose process was gone before the first look leaves a day after its record was last written", () => {
    const gone = [recordRead(second(3), record({ updatedAt: second(-50) })), look(second(4), "gone")];
    assert.equal(rosterOf(gone, second(day - 60)).sessions.length, 1);
    assert.equal(rosterOf(gone, second(day)).sessions.length, 0);
    assert.equal(rosterOf(gone, second(day), true).sessions.length, 1);
  });
  it("B102: what lives or may live stays, however old", () => {
    assert.equal(rosterOf(live, second(30 * day)).sessions.length, 1);
    assert.equal(rosterOf([recordRead(second(3), record())], second(30 * day)).sessions.length, 1);
  });
});

describe("what was read over", () => {
  it("counts times of a record that can be none, for as long as the record is known", () => {
    const odd = { ...recordRead(second(3), record({ startedAt: undefined })), oddTimes: ["startedAt"] } as MonitorEvent;
    const whys = (events: readonly MonitorEvent[]): readonly string[] =>
      rosterOf(events, second(9)).skipped.map(({ why }) => why);
    assert.deepEqual(whys([odd]), ["its startedAt is no time in milliseconds"]);
    assert.deepEqual(whys([odd, recordRead(second(4), failure)]), ["EIO", "its startedAt is no time in milliseconds"]);
    assert.deepEqual(whys([odd, recordRead(second(4), record())]), []);
  });
  it("names the config folders that are too many", () => {
    const leftOut = (configDirs: readonly string[]): MonitorEvent => ({ kind: "folders-left-out", configDirs });
    const { skipped } = rosterOf([...live, leftOut(["/home/dev/.claude-work"])], second(6));
    assert.deepEqual(
      skipped.map(({ path, why }) => [path, why]),
      [["/home/dev/.claude-work", "not watched: too many config folders are"]],
    );
    assert.deepEqual(rosterOf([...live, leftOut(["/a"]), leftOut([])], second(6)).skipped, []);
  });
});

describe("only watched folders", () => {
  it("leaves out a process that belongs to another config folder, not one whose folder is unknown", () => {
    const resumes = { kind: "session", conversationId: "8d162b97-f7e3-4d71-ab0b-55df40af0d17" } as const;
    const pids = (onlyWatchedFolders: boolean): (number | undefined)[] => {
      const monitor = observe([
        recordListing(second(1), []),
        look(second(2), facts({ pid: 21, configDir })),
        look(second(2), facts({ pid: 22, configDir: "/home/dev/.claude-work" })),
        look(second(2), facts({ pid: 23, configDir: undefined })),
        look(second(2), facts({ pid: 24, configDir: "/home/dev/.claude-work", role: resumes })),
      ]);
      return projectRoster(monitor, { now: second(3), all: false, onlyWatchedFolders }).sessions.map(({ pid }) => pid);
    };
    assert.deepEqual(pids(true).sort(), [21, 23]);
    assert.deepEqual(pids(false).sort(), [21, 22, 23, 24]);
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

describe("a roster that is limited to the folders that were named", () => {
  it("leaves out processes of others, whatever their arguments name", () => {
    const elsewhere = { configDir: "/home/other/.claude" };
    const events = [
      look(second(0), facts({ pid: 30, ...elsewhere })),
      look(second(0), facts({ pid: 31, ...elsewhere, role: { kind: "session", conversationId: "s31" } })),
      look(second(0), facts({ pid: 32, role: { kind: "session", conversationId: "s32" } })),
      look(second(0), facts({ pid: 33, configDir: undefined })),
    ];
    const ids = (onlyWatchedFolders: boolean): readonly string[] =>
      projectRoster(observe(events), { now: second(1), all: false, onlyWatchedFolders }).sessions.map(({ id }) => id);
    assert.deepEqual(ids(true), ["s32", "proc:4026531836:33:500"]);
    assert.equal(ids(false).length, 4);
  });
});
