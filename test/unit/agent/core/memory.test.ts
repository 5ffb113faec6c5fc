import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromMemory, toMemory } from "../../../../agent/core/memory.ts";
import { agentMemorySchema, type AgentMemory } from "../../../../agent/core/memorySchema.ts";
import type { HostFacts, Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import {
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
  rowsAt,
  second,
  shown,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];
const transcript = transcriptRead(second(5), "s2", transcriptFacts("s2", [lines.prompt(second(1))]));

/** As written to disk and read again. */
function remember(events: readonly MonitorEvent[]): AgentMemory {
  const monitor = observe(events);
  const memory = toMemory(monitor, rowsAt(monitor, second(6)), second(6));
  return agentMemorySchema.parse(JSON.parse(JSON.stringify(memory)));
}

function restart(events: readonly MonitorEvent[], host: HostFacts = kernelHost): Monitor {
  return fromMemory(host, remember(events));
}

function check(monitor: Monitor, expected: Readonly<Record<string, string>>, now = second(8)): void {
  assert.deepEqual(shown(monitor, now), expected);
}

describe("the agent's memory", () => {
  it("comes back from JSON as it was written", () => {
    const monitor = observe([...live, transcript]);
    const memory = toMemory(monitor, rowsAt(monitor, second(6)), second(6));
    assert.deepEqual(remember([...live, transcript]), JSON.parse(JSON.stringify(memory)));
  });
  it("B041: what lived is live but stale until it is asked again", () => {
    check(restart([...live, transcript]), { s1: "live stale, idle", s2: "unknown stale, working" });
  });
  it("sources that have not answered yet, or fail, leave every row", () => {
    const silent = [
      proc(0, failure),
      recordListing(0, failure),
      proc(second(7), failure),
      recordListing(second(7), failure),
      transcriptListing(second(7), "absent"),
      look(second(7), failure),
    ];
    check(observeAll(restart([...live, transcript]), silent), { s1: "live stale, idle", s2: "unknown stale, working" });
  });
  it("what is asked again is current", () => {
    check(observeAll(restart(live), [look(second(7), facts())]), { s1: "live, idle" });
    check(observeAll(restart(live), [look(second(7), "gone")]), { s1: "ended, ended" });
  });
  it("what had ended has ended, with its time", () => {
    const ended = [...live, recordListing(second(5), [fileOf(20)]), look(second(5), "gone")];
    const monitor = restart(ended);
    check(monitor, { s1: "ended, ended" });
    assert.equal(rowsAt(monitor, second(8))[0]?.endedAt, new Date(second(5)).toISOString());
    check(observeAll(monitor, [recordRead(second(7), record())]), { s1: "ended: killed, ended" });
  });
  it("a rotated conversation stays rotated", () => {
    check(restart([...live, recordRead(second(5), record({ sessionId: "s3" }))]), {
      s1: "ended: rotated, ended",
      s3: "live stale, idle",
    });
  });
  it("a background session that runs in what began as a spare is remembered with its process", () => {
    const helper = facts({ role: { kind: "helper", what: "bg-spare" } });
    check(restart([look(second(4), helper), recordRead(second(5), record())]), { s1: "live stale, idle" });
  });
  it("B003: after the host was started again every process of before has ended", () => {
    const booted = { ...kernelHost, bootId: "boot-2", bootedAt: second(7) };
    check(restart(live, booted), { s1: "ended, ended" });
    assert.equal(rowsAt(restart(live, booted), second(8))[0]?.endedAt, new Date(second(7)).toISOString());
  });
  it("a boot that could not be told apart ends nothing", () => {
    check(restart(live, { ...kernelHost, bootId: undefined }), { s1: "live stale, idle" });
  });
  it("in another pid namespace the rows are remembered, and no pid of them is believed", () => {
    const monitor = restart([...live, transcript], { ...kernelHost, namespace: "4026532999", pidDomain: otherDomain });
    assert.equal(monitor.processes.size, 0);
    check(monitor, { s1: "live stale, idle", s2: "unknown stale, working" });
    check(observeAll(monitor, [look(second(7), "gone")]), { s1: "live stale, idle", s2: "unknown stale, working" });
  });
  it("a remembered row that nothing answers for leaves after a day, one that lived stays", () => {
    const monitor = restart([...live, transcript]);
    check(monitor, { s1: "live stale, idle" }, second(2 * 86_400));
  });
  it("a row remembered through many starts notes that once", () => {
    const again = fromMemory(kernelHost, remember([transcript]));
    const twice = toMemory(again, rowsAt(again, second(8)), second(8));
    const [row] = rowsAt(fromMemory(kernelHost, agentMemorySchema.parse(JSON.parse(JSON.stringify(twice)))), second(9));
    assert.equal(row?.evidence.filter(({ source }) => source === "last-known").length, 1);
  });
});
