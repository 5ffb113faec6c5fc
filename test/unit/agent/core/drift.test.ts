import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  Failure,
  lines,
  look,
  proc,
  record,
  recordRead,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";
import { rosterOf } from "./rows.ts";

const minute = 60;
const moving = (id: string): MonitorEvent =>
  transcriptRead(second(2), id, transcriptFacts(id, [lines.prompt(second(1)), lines.call(second(2), "t1")]));
const over = (id: string): MonitorEvent =>
  transcriptRead(second(2), id, transcriptFacts(id, [lines.prompt(second(1)), lines.end(second(2))]));
const counts = (events: readonly MonitorEvent[], at = second(5)): readonly number[] =>
  rosterOf(events, at).skipped.flatMap(({ count, why }) => (why.includes("no process of the agent") ? [count] : []));

describe("drift of what an agent looks like", () => {
  it("B016: is told where transcripts move in the middle of a turn and no process of the agent is found", () => {
    assert.deepEqual(counts([proc(second(3), "answers"), moving("s1"), moving("s2"), over("s3")]), [2]);
  });
  it("is none where one is found, where nothing moved lately, where turns are over, or where nobody could look", () => {
    const found = [recordRead(second(3), record({ sessionId: "s9" })), look(second(4), facts())];
    assert.deepEqual(counts([proc(second(3), "answers"), moving("s1"), ...found]), []);
    assert.deepEqual(counts([proc(second(3), "answers"), moving("s1")], second(11 * minute)), []);
    assert.deepEqual(counts([proc(second(3), "answers"), over("s1")]), []);
    assert.deepEqual(counts([proc(second(3), new Failure("EACCES")), moving("s1")]), []);
  });
});
