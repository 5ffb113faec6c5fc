import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  lines,
  look,
  observe,
  record,
  recordRead,
  rowsAt,
  second,
  shown,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

const moved = recordRead(
  second(0),
  record({ status: "busy", startedAt: second(-60), updatedAt: second(-1), statusUpdatedAt: second(-1) }),
);
const read = (id: string, began: number): MonitorEvent =>
  transcriptRead(second(0), id, transcriptFacts(id, [lines.prompt(second(began)), lines.end(second(began + 1))]));
const all = (...events: MonitorEvent[]): Readonly<Record<string, string>> =>
  shown(observe([moved, look(second(0), facts()), ...events]), second(1));

describe("B006: /clear where the record keeps naming the conversation before", () => {
  it("the only new transcript of the folder is the process'", () => {
    assert.deepEqual(all(read("s1", -50), read("s2", -10)), { s1: "ended: rotated, ended", s2: "live, working" });
  });
  it("T04: between two nothing is guessed", () => {
    assert.equal(all(read("s1", -50), read("s2", -10), read("s3", -20))["s1"], "live, working");
  });
  it("one that began before the process, or while the old one went on, is not", () => {
    assert.equal(all(read("s1", -50), read("s2", -70))["s1"], "live, working");
    assert.equal(all(read("s1", -5), read("s2", -10))["s1"], "live, working");
  });
});

describe("a transcript whose process lives", () => {
  const open = transcriptRead(
    second(0),
    "s1",
    transcriptFacts("s1", [lines.prompt(second(-9)), lines.call(second(-8), "a")]),
  );
  it("keeps its open call when it is emptied or removed, until it tells of a turn again", () => {
    for (const lost of [
      [transcriptRead(second(1), "s1", transcriptFacts("s1", []))],
      [transcriptRead(second(1), "s1", "absent" as const), transcriptListing(second(1), [])],
    ])
      assert.deepEqual(
        rowsAt(observe([moved, look(second(0), facts()), open, ...lost]), second(1)).map(
          ({ openTurns }) => openTurns.length,
        ),
        [1],
      );
  });
});
