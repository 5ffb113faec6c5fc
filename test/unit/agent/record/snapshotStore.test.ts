// The snapshot for other tools on real files: what was not observed keeps its rows and their own time.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { SnapshotStore } from "../../../../agent/record/snapshotStore.ts";
import { nodeScheduler } from "../../../../base/node/nodeScheduler.ts";
import type { Roster, Sandbox, Session } from "../../../../protocol/roster.ts";
import { until } from "../../../support/claude/until.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { facts, look, observe, record, recordRead, rowsAt, second } from "../core/builders.ts";
import { only } from "../core/rows.ts";

const live = only(rowsAt(observe([recordRead(second(1), record()), look(second(2), facts())]), second(3)));

function rosterOf(sessions: readonly Session[]): Roster {
  return {
    version: 1,
    observedAt: new Date(second(3)).toISOString(),
    sources: [],
    nodes: [],
    sandboxes: [],
    sessions: [...sessions],
    skipped: [],
  };
}

const inSandbox = (sandbox: string, asOf: number, stale = false): Session => ({
  ...live,
  id: `s-${sandbox}`,
  sandbox,
  liveness: { ...live.liveness, asOf: new Date(asOf).toISOString(), stale },
});

function world(t: TestContext): { readonly path: string; readonly store: SnapshotStore } {
  const folder = scratchFolder(t);
  const path = join(folder, "data", "sandboxes.json");
  const log = { info: () => undefined, warn: () => undefined };
  const paths = { snapshot: path, snapshotIsOurs: true, seenMarks: join(folder, "seen") };
  return { path, store: new SnapshotStore({ paths, scheduler: nodeScheduler, log, roster: () => rosterOf([]) }) };
}

interface Written {
  readonly writer: string;
  readonly sandboxes: Readonly<
    Record<string, { is_current: boolean; observed_at_ms: number; sessions: readonly { session_id: string }[] }>
  >;
}
const read = (path: string): Written => JSON.parse(readFileSync(path, "utf8")) as Written;

describe("the snapshot", () => {
  it("has what was seen to live in each sandbox", async (t) => {
    const { path, store } = world(t);
    assert.equal(await store.write(rosterOf([inSandbox("a", second(3)), live])), true);
    const { writer, sandboxes } = read(path);
    assert.deepEqual([writer, Object.keys(sandboxes)], ["rollcall", ["a"]]);
    assert.equal(sandboxes["a"]?.observed_at_ms, second(3));
    assert.deepEqual(
      sandboxes["a"].sessions.map(({ session_id }) => session_id),
      ["s-a"],
    );
  });

  it("is not written where no sandbox was ever observed", async (t) => {
    const { path, store } = world(t);
    assert.equal(await store.write(rosterOf([live])), false);
    assert.throws(() => readFileSync(path), { code: "ENOENT" });
  });

  it("keeps the rows of what was not observed, and their own time", async (t) => {
    const { path, store } = world(t);
    await store.write(rosterOf([inSandbox("a", second(3)), inSandbox("b", second(3))]));
    for (const rows of [
      [inSandbox("a", second(9)), inSandbox("b", second(9), true)],
      [inSandbox("a", second(9))],
      [],
    ]) {
      await store.write(rosterOf(rows));
      const { b } = read(path).sandboxes;
      assert.deepEqual([b?.is_current, b?.observed_at_ms, b?.sessions.length], [false, second(3), 1]);
    }
    assert.equal(read(path).sandboxes["a"]?.observed_at_ms, second(9));
  });

  it("has no rows of a sandbox that rests or answered from inside that nobody is there", async (t) => {
    const { path, store } = world(t);
    await store.write(rosterOf([inSandbox("a", second(3)), inSandbox("b", second(3)), inSandbox("c", second(3))]));
    const listed = (name: string, more: Partial<Sandbox>): Sandbox => ({
      name,
      adapter: "docker",
      stale: false,
      asOf: new Date(second(9)).toISOString(),
      state: "running",
      evidence: [],
      ...more,
    });
    const sandboxes = [
      listed("a", { state: "stopped" }),
      listed("b", { insideAsOf: new Date(second(8)).toISOString() }),
      listed("c", {}),
    ];
    await store.write({ ...rosterOf([]), sandboxes });
    const told = Object.entries(read(path).sandboxes).map(([name, { is_current, observed_at_ms, sessions }]) => [
      name,
      is_current,
      observed_at_ms,
      sessions.length,
    ]);
    assert.deepEqual(told, [
      ["a", true, second(9), 0],
      ["b", true, second(8), 0],
      ["c", false, second(3), 1],
    ]);
  });

  it("keeps all rows of a sandbox of which some are known from earlier only", async (t) => {
    const { path, store } = world(t);
    const other = { ...inSandbox("a", second(3)), id: "other" };
    await store.write(rosterOf([inSandbox("a", second(3)), other]));
    await store.write(
      rosterOf([inSandbox("a", second(9)), { ...other, liveness: { ...other.liveness, stale: true } }]),
    );
    const { a } = read(path).sandboxes;
    assert.deepEqual([a?.is_current, a?.observed_at_ms, a?.sessions.length], [false, second(3), 2]);
  });

  it("tells what a session's process used, where the kernel tells it", async (t) => {
    const { path } = world(t);
    const log = { info: () => undefined, warn: () => undefined };
    const paths = { snapshot: path, snapshotIsOurs: true, seenMarks: `${path}-seen` };
    const usageOf = () => ({ cputime_secs: 1.5, mem_mb: 20, has_child: true });
    const store = new SnapshotStore({ paths, scheduler: nodeScheduler, log, roster: () => rosterOf([]), usageOf });
    await store.write(rosterOf([inSandbox("a", second(3))]));
    const [session] = read(path).sandboxes["a"]?.sessions ?? [];
    assert.deepEqual({ ...session, ...usageOf() }, session);
  });

  it("leaves what nobody here knows, byte for byte", async (t) => {
    const { path, store } = world(t);
    await store.write(rosterOf([inSandbox("a", second(3))]));
    const theirs = '"theirs": {"big": 12345678901234567890},';
    writeFileSync(path, readFileSync(path, "utf8").replace('"version": 1,', `${theirs} "version": 1,`));
    await store.write(rosterOf([inSandbox("b", second(4))]));
    assert.ok(readFileSync(path, "utf8").includes(theirs));
  });

  it("that cannot be read is not written over", async (t) => {
    const { path, store } = world(t);
    await store.write(rosterOf([inSandbox("a", second(3))]));
    truncateSync(path, 50);
    const torn = readFileSync(path);
    await assert.rejects(store.write(rosterOf([inSandbox("b", second(4))])), { kind: "file-unreadable" });
    assert.deepEqual(readFileSync(path), torn);
    rmSync(path);
    await assert.rejects(store.write(rosterOf([inSandbox("b", second(4))])), { kind: "file-unreadable" });
  });

  it("of another version is not written", async (t) => {
    const { path, store } = world(t);
    await store.write(rosterOf([inSandbox("a", second(3))]));
    writeFileSync(path, readFileSync(path, "utf8").replace('"version": 1', '"version": 2'));
    await assert.rejects(store.write(rosterOf([inSandbox("b", second(4))])), { kind: "snapshot-version" });
  });
});

describe("the snapshot of a roster that changes all the time", () => {
  it("is written once for a burst of changes, and again only after a further one", async (t) => {
    const folder = scratchFolder(t);
    const path = join(folder, "data", "sandboxes.json");
    const due: (() => void)[] = [];
    const warned: string[] = [];
    const log = { info: () => undefined, warn: (what: string) => warned.push(what) };
    let rosters = 0;
    const store = new SnapshotStore({
      paths: { snapshot: path, snapshotIsOurs: true, seenMarks: join(folder, "seen") },
      scheduler: { now: () => second(4), after: (_ms, run) => (due.push(run), { cancel: () => undefined }) },
      log,
      roster: () => {
        rosters += 1;
        return rosterOf([inSandbox(`a${rosters}`, second(3))]);
      },
    });
    const ids = (): readonly string[] => Object.keys(read(path).sandboxes).sort();
    for (let change = 0; change < 100; change += 1) store.note();
    assert.equal(due.length, 1);
    assert.equal(rosters, 0, "nothing is derived before it is due");
    due.shift()?.();
    await until("the snapshot", () => existsSync(path) && ids().join() === "a1", { deadlineMs: 10_000 });
    assert.equal(due.length, 0);
    store.note();
    store.note();
    assert.equal(due.length, 1);
    due.shift()?.();
    await until("the next snapshot", () => ids().join() === "a1,a2", { deadlineMs: 10_000 });
    assert.equal(rosters, 2);
    assert.deepEqual(warned, []);
  });
});
