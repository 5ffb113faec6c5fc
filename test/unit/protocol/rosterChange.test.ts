import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  rosterChangeSchema,
  rosterSchema,
  type Roster,
  type Session,
  type SourceState,
} from "../../../protocol/roster.ts";
import { applyRosterChange, diffRosters } from "../../../protocol/rosterChange.ts";

const time = (seconds: number): string => new Date(1_796_000_000_000 + seconds * 1_000).toISOString();

function session(id: string, fields: Partial<Session> = {}): Session {
  return {
    key: `/c#${id}`,
    id,
    sandbox: null,
    configDir: "/c",
    cwd: "/a",
    startCwd: "/a",
    title: id,
    agent: "claude-code",
    liveness: { kind: "live", source: "proc", asOf: time(0), stale: false },
    status: { kind: "idle", rule: "record-idle" },
    openTurns: [],
    background: [],
    subagents: [],
    registry: { recorded: false },
    evidence: [{ source: "proc", says: "runs", at: time(0), asOf: time(0) }],
    ...fields,
  };
}
const source = (fields: Partial<SourceState> = {}): SourceState => ({
  id: "proc",
  state: "observed",
  at: time(0),
  asOf: time(0),
  ...fields,
});

function roster(fields: Partial<Roster> = {}): Roster {
  return rosterSchema.parse({
    version: 1,
    observedAt: time(0),
    sources: [source()],
    nodes: [],
    sandboxes: [],
    sessions: [session("a"), session("b")],
    skipped: [],
    ...fields,
  });
}

const before = roster();

function checkSame(after: Partial<Roster>): void {
  assert.equal(diffRosters(before, roster({ ...after, observedAt: time(9) })), undefined);
}

function checkChange(after: Partial<Roster>, expected: object): void {
  const change = diffRosters(before, roster({ ...after, observedAt: time(9) }));
  const { upsert, remove, sources, ...rest } = rosterChangeSchema.parse(change);
  assert.deepEqual(
    { upsert: upsert.map(({ id }) => id), remove, sources: sources.length, rest: Object.keys(rest) },
    {
      upsert: [],
      remove: [],
      sources: 0,
      rest: ["observedAt"],
      ...expected,
    },
  );
}

describe("what is a difference", () => {
  it("B104: a source that was asked again, a row that was only seen again, are none", () => {
    checkSame({ sources: [source({ at: time(9), asOf: time(9) })] });
    const again = session("a", {
      liveness: { kind: "live", source: "proc", asOf: time(9), stale: false },
      evidence: [{ source: "proc", says: "runs", at: time(9), asOf: time(9) }],
    });
    checkSame({ sessions: [again, session("b")] });
  });
  it("only the rows that changed are sent, and the keys of those that left", () => {
    checkChange({ sessions: [session("a"), session("b", { title: "new" })] }, { upsert: ["b"] });
    checkChange({ sessions: [session("a"), session("b"), session("c")] }, { upsert: ["c"] });
    checkChange({ sessions: [session("b")] }, { remove: ["/c#a"] });
  });
  it("is a row that has a field more or less", () => {
    const marked = session("b", { folderGone: true });
    checkChange({ sessions: [session("a"), marked] }, { upsert: ["b"] });
    const change = diffRosters(roster({ sessions: [session("a"), marked] }), before);
    assert.deepEqual(
      change?.upsert.map(({ id }) => id),
      ["b"],
    );
  });
  it("what the evidence says is a difference", () => {
    checkChange({ sessions: [session("a", { evidence: [] }), session("b")] }, { upsert: ["a"] });
  });
  it("a row that became stale, and the age of a stale row, are differences", () => {
    const stale = (asOf: string): Session =>
      session("a", { liveness: { kind: "live", source: "proc", asOf, stale: true } });
    checkChange({ sessions: [stale(time(0)), session("b")] }, { upsert: ["a"] });
    const from = roster({ sessions: [stale(time(0))] });
    assert.equal(diffRosters(from, roster({ sessions: [stale(time(0))], observedAt: time(9) })), undefined);
    assert.equal(diffRosters(from, roster({ sessions: [stale(time(5))] }))?.upsert.length, 1);
  });
  it("a source that fell silent or answers again is one, and is sent with all sources", () => {
    checkChange({ sources: [source({ state: "unobserved", since: time(3), cause: "EIO" })] }, { sources: 1 });
    checkChange({ sources: [source(), source({ id: "process-table" })] }, { sources: 2 });
  });
  it("sandboxes and what was read over stand there whole when they changed", () => {
    checkChange({ skipped: [{ source: "proc", count: 1, why: "torn" }] }, { rest: ["observedAt", "skipped"] });
    const sandbox = {
      name: "x",
      adapter: "proc",
      stale: false,
      asOf: time(0),
      evidence: [],
      state: "running" as const,
    };
    checkChange({ sandboxes: [sandbox] }, { rest: ["observedAt", "sandboxes"] });
  });
});

describe("applying", () => {
  const id = fc.constantFrom("a", "b", "c", "d");
  const sessions = fc
    .uniqueArray(
      fc.record({
        id,
        title: fc.constantFrom("x", "y"),
        stale: fc.boolean(),
        at: fc.nat(5),
        cwd: fc.constantFrom("/a", null),
      }),
      { selector: (row) => row.id },
    )
    .map((rows) =>
      rows
        .map((row) =>
          session(row.id, {
            title: row.title,
            cwd: row.cwd,
            liveness: { kind: "live", source: "proc", asOf: time(row.at), stale: row.stale },
            evidence: [{ source: "proc", says: row.title, at: time(row.at), asOf: time(row.at) }],
          }),
        )
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  const rosters = fc
    .record({
      sessions,
      sources: fc.array(
        fc.constantFrom(source(), source({ id: "process-table", state: "unobserved", since: time(1), cause: "EIO" })),
        { maxLength: 2 },
      ),
      skipped: fc.array(
        fc.record({ source: fc.constant("proc"), count: fc.integer({ min: 1, max: 3 }), why: fc.constant("torn") }),
        { maxLength: 2 },
      ),
      observedAt: fc.nat(9).map(time),
    })
    .filter((fields) => fields.sources.length > 0)
    .map(roster);

  it("a difference to the roster before it shows the content of the one after it", () => {
    fc.assert(
      fc.property(rosters, rosters, (from, to) => {
        const change = diffRosters(from, to);
        const applied = change === undefined ? from : applyRosterChange(from, rosterChangeSchema.parse(change));
        rosterSchema.parse(applied);
        assert.equal(diffRosters(applied, to), undefined);
        assert.equal(diffRosters(to, applied), undefined);
        assert.deepEqual(
          applied.sessions.map(({ key }) => key),
          to.sessions.map(({ key }) => key),
        );
        if (change !== undefined) assert.equal(applied.observedAt, to.observedAt);
      }),
    );
  });
  it("leaves the roster that it was given as it was", () => {
    const copy = structuredClone(before);
    const change = diffRosters(before, roster({ sessions: [session("b", { title: "new" })], observedAt: time(9) }));
    assert.ok(change !== undefined);
    applyRosterChange(before, change);
    assert.deepEqual(before, copy);
  });
});
