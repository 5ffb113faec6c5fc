import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostFacts } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import type { AgentRole } from "../../../../agent/core/processIdentity.ts";
import {
  configDir,
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
  table,
  tableHost,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

interface Options {
  readonly host?: HostFacts;
  readonly now?: number;
  readonly id?: string;
}

/** @param expected such as "live", "live stale", "ended: killed", then its source */
function check(
  events: readonly MonitorEvent[],
  expected: readonly [liveness: string, source: string],
  options: Options = {},
): void {
  const rows = rowsAt(observe(events, options.host), options.now ?? second(10), true);
  const row = rows.find(({ id }) => id === (options.id ?? "s1"));
  assert.ok(row !== undefined, `no row ${options.id ?? "s1"} in ${rows.map(({ id }) => id).join()}`);
  const { kind, how, stale, source } = row.liveness;
  assert.deepEqual([`${kind}${how === undefined ? "" : `: ${how}`}${stale ? " stale" : ""}`, source], expected);
}

const records = `pid-records:${configDir}`;
const other: AgentRole = { kind: "other" };
const listed = (at: number): MonitorEvent => recordListing(at, [fileOf(20)]);

describe("by process", () => {
  it("live: the record's process runs, with the record's start time", () => {
    check([recordRead(second(1), record()), look(second(2), facts())], ["live", "proc"]);
  });
  it("a live process with no record is a session too, known by its arguments or by itself", () => {
    const named = facts({ role: { kind: "session", conversationId: "s1" } });
    check([look(second(2), named)], ["live", "proc"]);
    check([look(second(2), facts())], ["live", "proc"], { id: "proc:4026531836:20:500" });
  });
  it("live but stale once the kernel did not tell, or was not asked for three of its periods", () => {
    const seen = [recordRead(second(1), record()), look(second(2), facts())];
    check([...seen, look(second(5), failure)], ["live stale", "proc"]);
    check([...seen, proc(second(5), failure)], ["live stale", "proc"]);
    check(seen, ["live", "proc"], { now: second(11) });
    check(seen, ["live stale", "proc"], { now: second(12) });
  });
  it("killed: the process is gone and left its record", () => {
    check(
      [listed(second(1)), recordRead(second(1), record()), look(second(2), facts()), look(second(3), "gone")],
      ["ended: killed", "proc"],
    );
  });
  it("exited: the process is gone and a later listing lacks its record", () => {
    const gone = [recordRead(second(1), record()), look(second(2), facts()), look(second(3), "gone")];
    check([...gone, recordListing(second(4), [])], ["ended: exited", "proc"]);
  });
  it("no way of ending is told while the folder of records cannot be read", () => {
    const named = facts({ role: { kind: "session", conversationId: "s1" } });
    check([recordListing(second(2), failure), look(second(2), named), look(second(3), "gone")], ["ended", "proc"]);
  });
  it("L25, B003: a wrong start time is not life: the pid is another process now", () => {
    check([recordRead(second(1), record()), look(second(2), facts({ startToken: "501" }))], ["ended: killed", "proc"]);
  });
  it("L31: the reused pid of another session takes over nothing", () => {
    const events = [
      recordRead(second(1), record()),
      look(second(2), facts()),
      look(second(5), facts({ startToken: "900" })),
      recordRead(second(6), record({ sessionId: "s2", procStart: "900" })),
    ];
    check(events, ["ended", "proc"]);
    check(events, ["live", "proc"], { id: "s2" });
  });
  it("what was seen of a pid before its new record was read does not end the new session", () => {
    check(
      [look(second(1), facts()), recordRead(second(2), record({ sessionId: "s2", procStart: "900" }))],
      ["unknown", records],
      { id: "s2" },
    );
  });
  it("B025: a record whose process runs another program is not live, and not ended on that word", () => {
    check([recordRead(second(1), record()), look(second(2), facts({ role: other }))], ["unknown", "proc"]);
    check(
      [recordRead(second(1), record()), look(second(2), facts({ role: other })), look(second(3), "gone")],
      ["ended: killed", "proc"],
    );
  });
  it("a stale process answer loses to a newer end", () => {
    const ended = [recordRead(second(1), record()), look(second(2), facts()), look(second(5), "gone")];
    check([...ended, look(second(4), facts())], ["ended: killed", "proc"]);
    check(
      [recordRead(second(1), record()), look(second(5), "gone"), look(second(4), facts())],
      ["ended: killed", "proc"],
    );
  });
  it("a late failure does not take back an end", () => {
    check(
      [recordRead(second(1), record()), look(second(5), "gone"), look(second(4), failure)],
      ["ended: killed", "proc"],
    );
  });
});

describe("by record", () => {
  it("not ended before its process was looked at", () =>
    check([recordRead(second(1), record())], ["unknown", records]));
  it("ended: its pid is gone from its own namespace", () => {
    check([recordRead(second(1), record()), look(second(2), "gone")], ["ended: killed", "proc"]);
  });
  it("an end that was seen before the record was read is the pid's earlier one", () => {
    check([look(second(1), "gone"), recordRead(second(2), record())], ["unknown", records]);
  });
  it("a later look that failed does not take back an end", () => {
    check(
      [recordRead(second(1), record()), look(second(2), "gone"), look(second(3), failure)],
      ["ended: killed", "proc"],
    );
  });
  it("a look that failed ends nothing", () => {
    check([recordRead(second(1), record()), look(second(2), failure)], ["unknown", records]);
  });
  it("ended: it is older than the boot", () => {
    const old = record({ startedAt: second(-200_000) });
    check([recordRead(second(1), old)], ["ended: killed", "proc"]);
    check([recordRead(second(1), old)], ["unknown", records], { host: { ...kernelHost, bootedAt: undefined } });
  });
  it("L08, L09, B022: another namespace: a pid that is missing here proves nothing", () => {
    const inside = record({ pidDomain: otherDomain, pid: 7 });
    check([recordRead(second(1), inside), look(second(2), "gone", 7)], ["unknown", records]);
  });
  it("L11: another namespace: its process is known by namespace, inner pid and start together", () => {
    const inside = recordRead(second(1), record({ pidDomain: otherDomain, pid: 7 }));
    const process = facts({ pid: 48, namespace: "4026532250", namespacePid: 7 });
    check([inside, look(second(2), process)], ["live", "proc"]);
    check([inside, look(second(2), process), look(second(3), "gone", 48)], ["ended: killed", "proc"]);
    for (const wrong of [{ namespace: "4026531836" }, { namespacePid: 8 }, { startToken: "501" }]) {
      check([inside, look(second(2), facts({ ...process, ...wrong }))], ["unknown", records]);
    }
  });
  it("B005: no start time or no namespace in it: never ended by its pid", () => {
    check([recordRead(second(1), record({ procStart: undefined })), look(second(2), "gone")], ["unknown", records]);
    check([recordRead(second(1), record({ pidDomain: undefined })), look(second(2), "gone")], ["unknown", records]);
  });
  it("a record that became unreadable keeps what it said", () => {
    check(
      [recordRead(second(1), record()), look(second(2), facts()), recordRead(second(3), failure)],
      ["live", "proc"],
    );
    check([recordRead(second(1), record()), recordRead(second(3), failure)], ["unknown stale", records]);
  });
  it("a record that is first read when its known process is gone has ended", () => {
    check(
      [look(second(1), facts()), look(second(2), "gone"), recordRead(second(3), record())],
      ["ended: killed", "proc"],
    );
  });
  it("L10: a record that was removed while its process lives ends nothing", () => {
    check([recordRead(second(1), record()), look(second(2), facts()), recordListing(second(3), [])], ["live", "proc"]);
  });
});

describe("rotation and resume", () => {
  const cleared = [
    recordRead(second(1), record()),
    look(second(2), facts()),
    recordRead(second(3), record({ sessionId: "s2" })),
  ];
  it("L27: /clear rotates: the old conversation ended, the new one lives", () => {
    check(cleared, ["ended: rotated", records]);
    check(cleared, ["live", "proc"], { id: "s2" });
  });
  it("L29: the rotation stays its end when the process ends later", () => {
    const gone = [...cleared, look(second(5), "gone")];
    check(gone, ["ended: rotated", records]);
    check(gone, ["ended: killed", "proc"], { id: "s2" });
    const row = rowsAt(observe(gone), second(9)).find(({ id }) => id === "s1");
    assert.equal(row?.endedAt, new Date(second(3)).toISOString());
  });
  it("a conversation that the same process takes up again lives", () => {
    check([...cleared, recordRead(second(4), record())], ["live", "proc"]);
  });
  it("L28: a resumed conversation lives though an earlier process of it is gone", () => {
    const resumed = [
      recordRead(second(1), record()),
      look(second(2), facts()),
      look(second(3), "gone"),
      recordRead(second(4), record({ pid: 30, procStart: "700" })),
    ];
    check(resumed, ["unknown", records]);
    check([...resumed, look(second(5), facts({ pid: 30, startToken: "700" }))], ["live", "proc"]);
  });
  it("L14: one process holds one live conversation, also where a copied folder names it too", () => {
    const copy = "/home/dev/.claude-copy";
    const monitor = observe([
      recordRead(second(1), record({ updatedAt: second(1) })),
      recordRead(second(1), record({ updatedAt: second(0) }), fileOf(20, copy), copy),
      ...Array.from({ length: 20 }, (_, index) => look(second(2 + index), facts())),
    ]);
    const live = rowsAt(monitor, second(22)).filter(({ liveness }) => liveness.kind === "live");
    assert.deepEqual(
      live.map((row) => row.configDir),
      [configDir],
    );
    assert.equal([...monitor.claims.values()].flat().length, 1);
  });
});

describe("by process tables alone", () => {
  const host = tableHost;
  const process = facts({ role: { kind: "session", conversationId: "s1" }, namespace: undefined });
  const seen = table(second(1), [process]);
  it("a row is a live session", () => check([seen], ["live", "process-table"], { host }));
  it("one table without it makes it stale, two whole ones three seconds apart end it", () => {
    check([seen, table(second(5), [])], ["live stale", "process-table"], { host });
    check([seen, table(second(5), []), table(second(7), [])], ["live stale", "process-table"], { host });
    check([seen, table(second(5), []), table(second(8), [])], ["ended", "process-table"], { host });
  });
  it("L04, L05: failed tables end nothing, however many", () => {
    check([seen, table(second(5), failure), table(second(8), failure)], ["live stale", "process-table"], { host });
  });
  it("a start that tables do not tell, or tell a second off, is no other process", () => {
    const untold = facts({ ...process, startedAt: undefined, startToken: "unknown" });
    const events = [1, 5, 9].map((at) => table(second(at), [untold]));
    check(events, ["live", "process-table"], { host });
    const off = facts({ ...process, startToken: "501", startedAt: second(-59) });
    check([seen, table(second(5), [off]), table(second(9), [process])], ["live", "process-table"], { host });
    assert.equal(rowsAt(observe([seen, table(second(5), [off])], host), second(6)).length, 1);
  });
  it("nothing is ended on the word of tables while the kernel can be asked", () => {
    const events = [look(second(1), process), ...[5, 9, 13].map((at) => table(second(at), [], { identities: false }))];
    check(events, ["live stale", "proc"], { now: second(14) });
  });
});

describe("by transcript", () => {
  it("B008: a transcript alone is unknown", () => {
    const transcript = transcriptFacts("s1", [lines.prompt(second(1))]);
    check([transcriptRead(second(2), "s1", transcript)], ["unknown", `transcripts:${configDir}`]);
  });
});
