// Writes that could not be done, on real files: kept, in their order, carried out when the file can be read again, or
// not, where something newer was said. And what a restore puts in the place of a file that cannot be read.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { toldEntry } from "../../../../agent/core/registryEntry.ts";
import { IntentReplays } from "../../../../agent/record/intentReplays.ts";
import { RegistryStore } from "../../../../agent/record/registryStore.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const entry = (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  toldEntry(
    Object.entries({ session_id: id, ...fields }).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );

class World {
  readonly folder: string;
  readonly path: string;
  at = Date.parse("2026-11-30T18:00:00Z");
  lastStart: number | undefined;
  whole = "";

  constructor(t: TestContext) {
    this.folder = scratchFolder(t);
    this.path = join(this.folder, "data", "sandbox-sessions.json");
    mkdirSync(join(this.folder, "data"));
  }

  get store(): RegistryStore {
    const paths = {
      registry: this.path,
      registryIsOurs: true,
      seenMarks: join(this.folder, "seen"),
      journal: join(this.folder, "journal"),
    };
    return new RegistryStore({ paths, now: () => (this.at += 1_000), lastStart: () => this.lastStart });
  }

  tear(): void {
    this.whole = readFileSync(this.path, "utf8");
    writeFileSync(this.path, this.whole.slice(0, 40));
  }

  mend(): void {
    writeFileSync(this.path, this.whole);
  }

  /** Ids as they stand, a departed one with a mark. */
  async ids(): Promise<readonly string[]> {
    const load = await this.store.tryLoad();
    assert.ok(load.kind === "read");
    return [...load.value.slices.values()].flatMap(({ entries }) =>
      entries.map(({ fields }) => `${fields.session_id}${fields.departed_at_ms === undefined ? "" : "†"}`),
    );
  }

  async outcomes(): Promise<readonly string[]> {
    const { settled } = await this.store.journal.read();
    return settled.map(({ n, how }) => `#${n} ${how}`);
  }
}

describe("a write that could not be done", () => {
  it("is kept under a number, and goes before the next one, in order", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    world.tear();
    await assert.rejects(world.store.put("a", entry("s-2")), { kind: "file-unreadable", message: /kept as intent #1/ });
    await assert.rejects(world.store.markSessionDeparted("s-2", "a"), { message: /kept as intent #2/ });
    world.mend();
    await world.store.put("a", entry("s-3"));
    assert.deepEqual(await world.ids(), ["s-1", "s-2†", "s-3"]);
    assert.deepEqual(await world.outcomes(), ["#1 applied", "#2 applied"]);
  });

  it("is not carried out once it was cancelled", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    world.tear();
    await assert.rejects(world.store.forgetSession("s-1", "a"));
    assert.equal((await world.store.journal.cancelIntent(1))?.n, 1);
    assert.equal(await world.store.journal.cancelIntent(1), undefined);
    world.mend();
    await world.store.put("a", entry("s-2"));
    assert.deepEqual(await world.ids(), ["s-1", "s-2"]);
  });

  it("is not carried out where its session was seen to start since, in the file or by itself", async (t) => {
    for (const where of ["file", "process"] as const) {
      const world = new World(t);
      await world.store.put("a", entry("s-1", { started_at_ms: 1_000 }));
      world.tear();
      await assert.rejects(world.store.forgetSession("s-1", "a"));
      await assert.rejects(world.store.markSessionDeparted("s-1", "a"));
      const later = world.at + 60_000;
      if (where === "process") world.lastStart = later;
      else world.whole = world.whole.replace("1000", String(later));
      world.mend();
      await world.store.applyKept();
      assert.deepEqual(await world.ids(), ["s-1"], where);
      assert.ok((await world.outcomes()).includes("#1 superseded"), where);
      rmSync(world.folder, { recursive: true });
    }
  });

  it("does not bring a session back that departed since", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    world.tear();
    await assert.rejects(world.store.put("a", entry("s-1", { cwd: "/x" })));
    const stamp = world.at + 60_000;
    world.whole = world.whole.replace('"session_id": "s-1"', `"session_id": "s-1", "departed_at_ms": ${stamp}`);
    world.mend();
    await world.store.applyKept();
    assert.deepEqual(await world.ids(), ["s-1†"]);
  });

  it("is carried out by an agent that reads the file whole again", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    const { store } = world;
    const said: string[] = [];
    new IntentReplays({
      store,
      scheduler: { now: () => world.at },
      log: { info: (line) => said.push(line), warn: (line) => said.push(line) },
    });
    world.tear();
    await assert.rejects(store.put("a", entry("s-2")));
    world.mend();
    await store.tryLoad();
    // The replay stands in the store's own line.
    await store.applyKept();
    assert.deepEqual(await world.ids(), ["s-1", "s-2"]);
    assert.deepEqual(await world.outcomes(), ["#1 applied"]);
  });

  it("is refused where so many wait already, and says so", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    world.tear();
    const { journal } = world.store;
    for (let n = 0; n < limits.keptIntents; n += 1)
      await journal.keepIntent({ kind: "forget", id: "s-x", sandbox: "a" }, world.at, "torn");
    await assert.rejects(world.store.put("a", entry("s-2")), {
      message: /could not be kept either: 1000 intents wait/,
    });
  });
});

describe("what another writer dropped", () => {
  async function dropped(t: TestContext): Promise<World> {
    const world = new World(t);
    await world.store.put("a", entry("s-1", { name: "first", big: 1 }));
    await world.store.put("a", entry("s-2"));
    const load = await world.store.tryLoad();
    assert.ok(load.kind === "read");
    writeFileSync(world.path, '{"version":1,"sandboxes":{"a":[{"session_id":"s-2","theirs":12345678901234567890}]}}');
    await world.store.tryLoad();
    return world;
  }

  it("can be forgotten, and is not brought back then", async (t) => {
    const world = await dropped(t);
    const written = await world.store.forgetSession("s-1", undefined);
    assert.deepEqual([written.changed, written.removed], [true, 1]);
    assert.deepEqual((await world.store.restore({})).restored, []);
  });

  it("comes back as it was, beside what stands there now", async (t) => {
    const world = await dropped(t);
    const { restored } = await world.store.restore({});
    assert.deepEqual(restored, [{ sandbox: "a", id: "s-1" }]);
    const text = readFileSync(world.path, "utf8");
    assert.match(text, /"theirs":12345678901234567890/);
    assert.match(text, /"name":\s*"first"/);
    assert.deepEqual((await world.store.restore({ generation: 2 })).restored, []);
  });

  it("loses nothing that was recorded where it is told of again", async (t) => {
    const world = await dropped(t);
    await world.store.put("a", entry("s-1", { cwd: "/x", name: "" }));
    assert.match(readFileSync(world.path, "utf8"), /"name":\s*"first"[^]*"cwd":\s*"\/x"/);
  });

  it("and what was forgotten is found by its id, with its last text", async (t) => {
    const world = await dropped(t);
    await world.store.forgetSession("s-2", "a");
    assert.deepEqual(
      (await world.store.journal.lastEntries("s-2", undefined)).map(({ sandbox, members }) => [
        sandbox,
        members.length,
      ]),
      [["a", 2]],
    );
    assert.deepEqual((await world.store.restore({ sessions: ["s-2"] })).restored, [{ sandbox: "a", id: "s-2" }]);
    await assert.rejects(world.store.restore({ sessions: ["s-9"] }), { kind: "restore-unknown" });
  });
});

describe("a restore over a registry that cannot be read", () => {
  it("keeps what stood there aside, and carries out what waited", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-1"));
    world.tear();
    const torn = readFileSync(world.path, "utf8");
    await assert.rejects(world.store.put("a", entry("s-2")));
    await assert.rejects(world.store.restore({ sandbox: "a" }), { kind: "restore-only-whole" });
    const { restored, aside } = await world.store.restore({});
    assert.deepEqual(restored, [{ sandbox: "a", id: "s-1" }]);
    assert.equal(readFileSync(aside ?? "", "utf8"), torn);
    assert.deepEqual(await world.ids(), ["s-1", "s-2"]);
    assert.deepEqual([...(await world.store.journal.read()).dropped.keys()], []);
  });
});
