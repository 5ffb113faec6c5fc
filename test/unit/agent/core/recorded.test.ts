// What a registry adds to the roster: rows and sandboxes that only it knows, names for what runs elsewhere, departures.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMonitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { registryFacts } from "../../../../agent/core/recorded.ts";
import { parseRegistry } from "../../../../agent/core/registryDocument.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { limits } from "../../../../base/limits.ts";
import { registryEntrySchema } from "../../../../protocol/files/registryEntrySchema.ts";
import { absent, observed, unobserved, type SourceId } from "../../../../protocol/observation.ts";
import type { Roster, Session } from "../../../../protocol/roster.ts";
import {
  facts,
  failure,
  kernelHost,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordListing,
  recordRead,
  rowWords,
  second,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

function registry(
  at: number,
  sandboxes: Readonly<Record<string, readonly object[]>>,
  source: SourceId = "registry",
): MonitorEvent {
  const entries = Object.entries(sandboxes).map(
    ([name, list]) => [name, list.map((entry) => registryEntrySchema.parse(entry))] as const,
  );
  return {
    kind: "registry",
    registry: observed(source, at, { path: "/r.json", sandboxes: new Map(entries), skipped: new Map(), dropped: [] }),
  };
}
const silent = (at: number): MonitorEvent => ({ kind: "registry", registry: unobserved("registry", at, "torn") });
const gone = (at: number): MonitorEvent => ({ kind: "registry", registry: absent("registry", at) });

const rosterAt = (events: readonly MonitorEvent[], now = 20): Roster =>
  projectRoster(observe(events), { now: second(now), all: false, onlyWatchedFolders: false });

function row(roster: Roster, id = "s1"): Session {
  const found = roster.sessions.find((each) => each.id === id);
  assert.ok(found !== undefined, JSON.stringify(roster.sessions));
  return found;
}

describe("a conversation that is recorded in two sandboxes", () => {
  it("has a row in each, whose keys stay when one of them departs or starts", () => {
    const keysOf = (a: object, b: object): readonly string[] =>
      rosterAt([registry(second(10), { a: [{ session_id: "s1", ...a }], b: [{ session_id: "s1", ...b }] })])
        .sessions.map(({ key, sandbox }) => `${sandbox} ${key}`)
        .sort();
    const before = keysOf({}, {});
    assert.equal(new Set(before.map((key) => key.slice(2))).size, 2);
    for (const change of [{ departed_at_ms: second(9) }, { started_at_ms: second(9) }]) {
      assert.deepEqual(keysOf(change, {}), before);
      assert.deepEqual(keysOf({}, change), before);
    }
  });
});

describe("a time in seconds", () => {
  const seconds = (at: number): number => second(at) / 1_000;
  it("tells that a session departed, and is shown as no date", () => {
    const entry = { session_id: "s1", started_at_ms: seconds(1), departed_at_ms: seconds(2) };
    const shown = row(rosterAt([registry(second(10), { a: [entry] })]));
    assert.equal(shown.liveness.how, "departed");
    assert.equal(shown.registry.departedAt, undefined);
    assert.equal(shown.endedAt, undefined);
    assert.doesNotMatch(JSON.stringify(shown), /1970/);
    assert.match(JSON.stringify(shown.evidence), /departed at a time that cannot be read/);
  });
  it("of a start after the departure lifts it all the same", () => {
    const entry = { session_id: "s1", started_at_ms: seconds(2), departed_at_ms: seconds(1) };
    const shown = row(rosterAt([registry(second(10), { a: [entry] })]));
    assert.equal(shown.liveness.kind, "unknown");
    assert.doesNotMatch(JSON.stringify(shown), /1970/);
  });
});

describe("what is read of a registry", () => {
  const factsOf = (text: string) => {
    const parsed = parseRegistry(text);
    assert.ok(parsed.kind === "parsed");
    return registryFacts("/r.json", parsed.document);
  };

  it("is bounded, what departed is left out first, and what is left out is counted", () => {
    const entry = (id: number) => ({ session_id: `s${id}`, ...(id % 2 === 0 ? {} : { departed_at_ms: second(1) }) });
    const sessions = Array.from({ length: limits.recordedSessions + 30 }, (_, id) => entry(id));
    const empty = Array.from({ length: limits.emptySandboxes + 3 }, (_, index) => [`empty-${index}`, []] as const);
    const { sandboxes, skipped } = factsOf(
      JSON.stringify({
        version: 1,
        sandboxes: { ...Object.fromEntries(empty), a: sessions.slice(20), b: sessions.slice(0, 20) },
      }),
    );
    const taken = [...sandboxes.values()].flat();
    assert.equal(taken.length, limits.recordedSessions);
    assert.equal(taken.filter(({ departed_at_ms: left }) => left === undefined).length, sessions.length / 2);
    assert.equal(sandboxes.size, limits.emptySandboxes + 2);
    assert.deepEqual([...skipped.values()], [30, 3]);
  });

  it("counts times that are none in milliseconds", () => {
    const entry = { session_id: "s1", started_at_ms: second(1) / 1_000, departed_at_ms: second(2) / 1_000 };
    const { sandboxes, skipped } = factsOf(JSON.stringify({ version: 1, sandboxes: { a: [entry] } }));
    assert.deepEqual([...skipped.keys()].sort(), [
      "an entry's departed_at_ms that cannot be read",
      "an entry's started_at_ms that cannot be read",
    ]);
    assert.equal(sandboxes.get("a")?.length, 1);
  });

  it("takes a blank field for one that was not told", () => {
    const { sandboxes } = factsOf('{"version":1,"sandboxes":{"a":[{"session_id":"s1","cwd":"","name":" \\n"}]}}');
    assert.deepEqual(
      sandboxes.get("a")?.map(({ cwd, name }) => [cwd, name]),
      [[undefined, undefined]],
    );
  });
});

const live = [recordRead(second(3), record()), look(second(18), facts())];

describe("a session that only the registry knows", () => {
  const events = [registry(second(10), { box: [{ session_id: "s1", cwd: "/app", name: "n" }] })];
  it("is an unknown row of its sandbox, whose state is unknown", () => {
    const roster = rosterAt(events);
    const { sandbox, cwd, startCwd, title, liveness, registry: recorded, sandboxDerived } = row(roster);
    assert.deepEqual([sandbox, cwd, startCwd, title, sandboxDerived], ["box", "/app", "/app", "n", undefined]);
    assert.deepEqual([liveness.kind, liveness.source, recorded], ["unknown", "registry", { recorded: true }]);
    assert.deepEqual(
      roster.sandboxes.map(({ name, adapter, state, stale }) => [name, adapter, state, stale]),
      [["box", "registry", "unknown", false]],
    );
  });
  it("stays, stale with its age and cause, while the registry cannot be read or is gone", () => {
    for (const later of [silent(second(15)), gone(second(15))]) {
      const roster = rosterAt([...events, later]);
      const { liveness, evidence } = row(roster);
      assert.deepEqual([liveness.stale, liveness.asOf], [true, new Date(second(10)).toISOString()]);
      assert.ok(
        evidence.some(({ source, says }) => source === "registry" && /unreadable since .*: (torn|gone)/.test(says)),
      );
      assert.equal(roster.sandboxes[0]?.stale, true);
    }
  });
  it("stays over a restart until the registry can be read and lacks it", () => {
    const known = row(rosterAt(events));
    const restarted = (...next: readonly MonitorEvent[]): number => {
      const monitor = { ...newMonitor(kernelHost), remembered: new Map([[known.key, known]]) };
      const both = [recordListing(second(10), []), transcriptListing(second(10), [])];
      const options = { now: second(20), all: false, onlyWatchedFolders: false };
      return projectRoster(observeAll(monitor, [...both, ...next]), options).sessions.length;
    };
    assert.equal(restarted(), 1);
    assert.equal(restarted(silent(second(15))), 1);
    assert.equal(restarted(registry(second(15), {})), 0);
  });
});

describe("a departure in the registry", () => {
  const departed = (at: number, fields: object = {}): MonitorEvent =>
    registry(second(10), { box: [{ session_id: "s1", departed_at_ms: second(at), ...fields }] });
  it("ends the session, with its time", () => {
    const ended = row(rosterAt([departed(5)]));
    assert.equal(rowWords(ended), "ended: departed, ended");
    assert.equal(ended.registry.departedAt, new Date(second(5)).toISOString());
    assert.equal(ended.endedAt, new Date(second(5)).toISOString());
  });
  it("is lifted by a later start, and not by an earlier one", () => {
    assert.equal(row(rosterAt([departed(5, { started_at_ms: second(6) })])).liveness.kind, "unknown");
    assert.equal(row(rosterAt([departed(5, { started_at_ms: second(4) })])).liveness.kind, "ended");
  });
  it("is refuted by a process that lives, also where its time lies ahead", () => {
    for (const at of [5, 500]) assert.equal(row(rosterAt([...live, departed(at)])).liveness.kind, "live");
  });
  it("is refuted by a transcript that goes on, and not by its last words", () => {
    const wrote = (at: number): MonitorEvent =>
      transcriptRead(second(400), "s1", transcriptFacts("s1", [lines.prompt(second(at))]));
    assert.equal(row(rosterAt([departed(5), wrote(300)], 401)).liveness.kind, "unknown");
    assert.equal(row(rosterAt([departed(5), wrote(7)], 401)).liveness.kind, "ended");
  });
});

describe("a registry beside other sources", () => {
  const elsewhere = [
    recordRead(second(3), record({ pid: 7, pidDomain: otherDomain })),
    look(second(18), facts({ pid: 20, namespace: "4026532250", namespacePid: 7 })),
  ];
  it("names the sandbox of a session that lives in another pid namespace", () => {
    const unnamed = row(rosterAt(elsewhere));
    assert.deepEqual([unnamed.sandbox, unnamed.sandboxDerived], ["pidns:4026532250", true]);
    const roster = rosterAt([...elsewhere, registry(second(10), { box: [{ session_id: "s1" }] })]);
    const named = row(roster);
    assert.deepEqual([named.sandbox, named.sandboxDerived, named.liveness.kind], ["box", undefined, "live"]);
    assert.ok(
      named.evidence.some(({ source, says }) => source === "registry" && says.includes("recorded in sandbox box")),
    );
    assert.deepEqual(
      roster.sandboxes.map(({ name, state }) => [name, state]),
      [["box", "running"]],
    );
  });
  it("names the sandbox of its neighbours in that namespace, unless two names are told", () => {
    const neighbours = [
      ...elsewhere,
      recordRead(second(3), record({ pid: 8, procStart: "600", sessionId: "s2", pidDomain: otherDomain })),
      look(second(18), facts({ pid: 21, startToken: "600", namespace: "4026532250", namespacePid: 8 })),
      recordRead(second(3), record({ pid: 9, procStart: "700", sessionId: "s3", pidDomain: otherDomain })),
      look(second(18), facts({ pid: 22, startToken: "700", namespace: "4026532250", namespacePid: 9 })),
    ];
    const named = rosterAt([...neighbours, registry(second(10), { box: [{ session_id: "s1" }] })]);
    assert.deepEqual(
      named.sessions.map(({ sandbox }) => sandbox),
      ["box", "box", "box"],
    );
    const two = { box: [{ session_id: "s1" }], other: [{ session_id: "s2" }] };
    assert.equal(row(rosterAt([...neighbours, registry(second(10), two)]), "s3").sandbox, "pidns:4026532250");
  });
  it("gives a conversation in two sandboxes two rows", () => {
    const both = { a: [{ session_id: "s1" }], b: [{ session_id: "s1" }] };
    assert.deepEqual(
      rosterAt([registry(second(10), both)])
        .sessions.map(({ sandbox }) => sandbox)
        .sort(),
      ["a", "b"],
    );
  });
  it("of our own speaks before that of another tool, which adds what it alone knows", () => {
    const roster = rosterAt([
      registry(second(10), { box: [{ session_id: "s1", cwd: "/theirs" }, { session_id: "s2" }] }, "registry:claudectl"),
      registry(second(10), { box: [{ session_id: "s1", cwd: "/ours" }] }),
    ]);
    assert.deepEqual([row(roster).cwd, row(roster, "s2").registry.recorded], ["/ours", true]);
  });
  it("fails without touching what others tell", () => {
    const roster = rosterAt([...live, silent(second(15)), recordListing(second(15), failure)]);
    assert.equal(row(roster).liveness.kind, "live");
  });
});
