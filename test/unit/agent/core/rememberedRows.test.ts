import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMonitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
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
  transcriptListing,
  transcriptRead,
} from "./builders.ts";
import { only } from "./rows.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];
const read = (lineList: readonly object[], fields: object = {}): MonitorEvent =>
  transcriptRead(second(5), "s1", transcriptFacts("s1", lineList, fields));

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
  it("goes with a folder that is watched no more, unless it is recorded", () => {
    const left = [{ kind: "folder-left", configDir, at: second(10), isKept: false }] as const;
    assert.deepEqual(restarted(left), []);
    assert.deepEqual(restarted([{ ...left[0], configDir: "/elsewhere" }]), ["live stale, working"]);
    const recorded = { ...known, registry: { ...known.registry, recorded: true } };
    const remembered = new Map([[known.key, recorded]]);
    assert.equal(rowsAt(observeAll({ ...newMonitor(kernelHost), remembered }, left), second(20)).length, 1);
  });
  it("gives way to what the sources tell now", () => {
    assert.deepEqual(restarted([recordRead(second(9), record({ status: "busy" })), look(second(19), facts())]), [
      "live, working",
    ]);
  });
});
