// The registry's journal on real files: every content that was seen is in it with its bytes, what another writer left
// out is kept, and what a crash tears of it costs no more than its last line.
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { keepGeneration } from "../../../../base/node/generations.ts";
import { limits } from "../../../../base/limits.ts";
import { parseRegistry } from "../../../../agent/core/registryDocument.ts";
import { RegistryJournal } from "../../../../agent/record/journal.ts";
import { RegistryStore } from "../../../../agent/record/registryStore.ts";
import { toldEntry } from "../../../../agent/core/registryEntry.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const entry = (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  toldEntry(
    Object.entries({ session_id: id, ...fields }).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );

class World {
  readonly folder: string;
  readonly path: string;
  at = Date.parse("2026-11-30T18:00:00Z");

  constructor(t: TestContext) {
    this.folder = scratchFolder(t);
    this.path = join(this.folder, "data", "sandbox-sessions.json");
    mkdirSync(join(this.folder, "data"));
  }

  /** As another process has it: nothing of the last one is in memory. */
  get store(): RegistryStore {
    const paths = {
      registry: this.path,
      registryIsOurs: true,
      seenMarks: join(this.folder, "seen"),
      journal: join(this.folder, "journal"),
    };
    return new RegistryStore({ paths, now: () => (this.at += 1_000) });
  }

  /** What a fresh process finds after one look at the file. */
  async look(): Promise<RegistryJournal> {
    const { store } = this;
    await store.tryLoad();
    await store.journal.read();
    assert.equal(store.journal.fault, undefined);
    return store.journal;
  }

  /** What a fresh process finds that comes on a file that it cannot read. */
  async miss(): Promise<RegistryJournal> {
    const { journal } = this.store;
    await journal.missed();
    await journal.read();
    return journal;
  }

  /** Another program's content, by sandbox. */
  theirs(sandboxes: Readonly<Record<string, readonly string[]>>): void {
    const slices: Record<string, unknown> = {};
    for (const [name, ids] of Object.entries(sandboxes)) slices[name] = ids.map((id) => ({ session_id: id }));
    writeFileSync(this.path, `${JSON.stringify({ version: 1, sandboxes: slices }, null, 2)}\n`);
  }

  get logFile(): string {
    return join(this.journalFolder, "log");
  }

  get journalFolder(): string {
    const folder = join(this.folder, "journal");
    return join(folder, readdirSync(folder)[0] ?? "none");
  }
}

const droppedIn = (journal: RegistryJournal): readonly string[] =>
  [...journal.state.dropped.values()].map(({ id }) => id);
const history = (journal: RegistryJournal): readonly unknown[] =>
  journal.state.generations.map(({ n, by, added, changed, gone }) => [n, by, added.count, changed.count, gone.count]);

describe("the journal of a registry", { concurrency: 4 }, () => {
  it("has every content that was seen, whose it was, and its bytes", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    await world.store.put("a", entry("s-a", { cwd: "/work" }));
    world.theirs({ a: ["s-a"], b: ["s-b", "s-c"] });
    const text = readFileSync(world.path, "utf8");
    await world.look();
    await world.store.forgetSession("s-c", "b");
    const journal = await world.look();
    assert.deepEqual(history(journal), [
      [1, "rollcall", 1, 0, 0],
      [2, "rollcall", 0, 1, 0],
      [3, "another", 2, 1, 0],
      [4, "rollcall", 0, 0, 1],
    ]);
    const third = journal.generation(3);
    assert.ok(third !== undefined);
    assert.equal(await journal.textOf(third), text);
    assert.equal(third.bytes, text.length);
    assert.equal(journal.generation(4)?.act, "forget s-c in b");
    assert.deepEqual(droppedIn(journal), []);
  });

  it("keeps what another writer left out, at the time of the first look without it, until it is there again", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a", { name: "first", big: 1 }));
    await world.store.put("b", entry("s-b"));
    world.theirs({ b: ["s-b"] });
    const first = await world.look();
    const [dropped] = first.state.dropped.values();
    assert.deepEqual([dropped?.sandbox, dropped?.id], ["a", "s-a"]);
    assert.ok(dropped?.members.some(({ key, value }) => key === "name" && value === '"first"'));
    const at = dropped?.at;
    world.theirs({ b: ["s-b", "s-new"] });
    const second = await world.look();
    assert.deepEqual(
      [...second.state.dropped.values()].map((each) => [each.id, each.at]),
      [["s-a", at]],
    );
    await world.store.put("a", entry("s-a"));
    assert.deepEqual(droppedIn(await world.look()), []);
  });

  it("takes a write of ours for what it is, also where its process ended before it could say that it was done", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    await world.store.put("a", entry("s-b"));
    const { store } = world;
    const load = await store.tryLoad();
    assert.ok(load.kind === "read");
    const text = load.text.replace(/,\s*\{\s*"session_id": "s-b"\s*\}/, "");
    await store.journal.announce(text, {
      act: "forget s-b",
      intents: [],
      forgets: [{ id: "s-b", sandbox: undefined }],
    });
    writeFileSync(`${world.path}.new`, text);
    renameSync(`${world.path}.new`, world.path);
    const journal = await world.look();
    assert.deepEqual(history(journal).at(-1), [3, "rollcall", 0, 0, 1]);
    assert.deepEqual(droppedIn(journal), []);
  });

  it("knows of a write of ours that another writer tore before it could be read back", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    const { open } = fsPromises;
    t.after(() => {
      fsPromises.open = open;
      syncBuiltinESMExports();
    });
    let isTheirTurn = true;
    // The folder is synced right after the rename.
    fsPromises.open = (path, ...more) => {
      if (path === join(world.folder, "data") && isTheirTurn) {
        isTheirTurn = false;
        writeFileSync(world.path, "torn");
      }
      return open(path, ...more);
    };
    syncBuiltinESMExports();
    await assert.rejects(world.store.put("b", entry("s-b")), /was written and cannot be read back/);
    world.theirs({ a: ["s-a"] });
    assert.deepEqual(droppedIn(await world.look()), ["s-b"]);
  });

  it("calls a drop what a merge of ours took over from another writer", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    await world.store.put("a", entry("s-b"));
    const { store } = world;
    const load = await store.tryLoad();
    assert.ok(load.kind === "read");
    const text = load.text.replace(/,\s*\{\s*"session_id": "s-b"\s*\}/, "");
    await store.journal.announce(text, { act: "put s-a into a", intents: [], forgets: [] });
    writeFileSync(world.path, text);
    assert.deepEqual(droppedIn(await world.look()), ["s-b"]);
  });

  it("takes an old content of ours that another writer put back for another writer's", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    const old = readFileSync(world.path);
    await world.store.put("a", entry("s-b"));
    writeFileSync(world.path, old);
    const journal = await world.look();
    assert.deepEqual(history(journal).at(-1), [3, "another", 0, 0, 1]);
    assert.deepEqual(droppedIn(journal), ["s-b"]);
  });

  it("is not misled by a look that was overtaken by a write", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    const late = world.store;
    const load = await late.tryLoad();
    assert.ok(load.kind === "read");
    await world.store.put("a", entry("s-b"));
    assert.equal(await late.journal.keep(world.path, load), "overtaken");
    assert.deepEqual(droppedIn(await world.look()), []);
  });

  for (const [torn, tear] of [
    ["cut in its last line", (file: string) => truncateSync(file, statSync(file).size - 5)],
    ["with half a line more", (file: string) => appendFileSync(file, '0123456789abcdef {"v":1,"kind":"gen')],
    ["with a line that is none", (file: string) => appendFileSync(file, `0123456789abcdef {"v":1}\n`)],
  ] as const)
    it(`${torn}, says what the lines before say, and goes on`, async (t) => {
      const world = new World(t);
      for (const id of ["s-a", "s-b", "s-c"]) await world.store.put("a", entry(id));
      tear(world.logFile);
      const journal = await world.look();
      assert.deepEqual(
        [...(journal.generation(2)?.added.first ?? [])].map(({ id }) => id),
        ["s-b"],
      );
      await world.store.put("a", entry("s-d"));
      const after = await world.look();
      const numbers = after.state.generations.map(({ n }) => n);
      assert.deepEqual(numbers, [...new Set(numbers)]);
      assert.deepEqual(droppedIn(after), []);
      assert.equal(after.state.generations.at(-1)?.sessions, 4);
    });

  it("is bounded: the oldest go with their bytes, what was dropped stays", async (t) => {
    const world = new World(t);
    world.theirs({ a: ["s-first", "s-0"] });
    await world.look();
    const { store } = world;
    for (let count = 1; count < limits.journalGenerations + 60; count += 1) {
      world.theirs({ a: [`s-${count}`, "s-stays"] });
      await store.tryLoad();
    }
    const journal = await world.look();
    const { generations } = journal.state;
    assert.ok(generations.length <= limits.journalGenerations + 50, String(generations.length));
    assert.ok((generations[0]?.n ?? 0) > 1);
    const files = readdirSync(join(world.journalFolder, "contents"));
    assert.equal(files.length, generations.length);
    assert.ok(journal.state.dropped.has(JSON.stringify(["a", "s-first"])));
    const [oldest] = generations;
    assert.ok(oldest !== undefined && (await journal.textOf(oldest)) !== undefined);
  });

  it("takes up the generations beside the file, of which nothing is known to be dropped", async (t) => {
    const world = new World(t);
    for (const [index, ids] of [["s-a", "s-b"], ["s-a"]].entries()) {
      world.theirs({ a: ids });
      await keepGeneration(world.path, { at: Date.parse("2026-11-30T17:00:00Z") + index, token: `0123456${index}` });
      rmSync(world.path);
    }
    world.theirs({ a: ["s-c"] });
    const journal = await world.look();
    assert.deepEqual(history(journal), [
      [1, "found", 2, 0, 0],
      [2, "found", 0, 0, 1],
      [3, "found", 1, 0, 1],
    ]);
    assert.deepEqual(droppedIn(journal), []);
    world.theirs({ a: [] });
    assert.deepEqual(droppedIn(await world.look()), ["s-c"]);
  });

  it("that cannot be written costs no drop that this process sees, and is written when it can be", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    await world.store.put("a", entry("s-b"));
    const { store } = world;
    await store.tryLoad();
    const away = `${world.journalFolder}.away`;
    const folder = world.journalFolder;
    renameSync(folder, away);
    writeFileSync(folder, "a file in its place");
    world.theirs({ a: ["s-b"] });
    await store.tryLoad();
    assert.match(store.journal.fault ?? "", /could not be read or written/);
    assert.deepEqual(droppedIn(store.journal), ["s-a"]);
    await assert.rejects(store.put("a", entry("s-c")), { kind: "journal-not-written" });
    rmSync(folder);
    renameSync(away, folder);
    await store.tryLoad();
    assert.equal(store.journal.fault, undefined);
    assert.deepEqual(droppedIn(await world.look()), ["s-a"]);
  });

  it("tells a torn registry's first reader what was last whole", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    writeFileSync(world.path, "torn");
    const { journal } = world.store;
    const newest = await journal.newest(world.path, parseRegistry);
    assert.deepEqual([...(newest?.value.slices.keys() ?? [])], ["a"]);
  });
});

describe("a registry whose content is gone", { concurrency: 4 }, () => {
  const ways: readonly (readonly [string, (file: string) => void])[] = [
    ["deleted", (file) => rmSync(file)],
    ["emptied", (file) => truncateSync(file, 0)],
    ["cut", (file) => truncateSync(file, 40)],
    ["replaced by another file", (file) => replaceBy(file, (other) => writeFileSync(other, "{}"))],
    ["replaced by a folder", (file) => replaceBy(file, (other) => mkdirSync(other))],
    ["replaced by a link", (file) => replaceBy(file, (other) => symlinkSync("/nonexistent", other))],
  ];
  for (const [how, lose] of ways)
    it(`${how}: what it had is dropped, once nobody can still be writing it, and is back with it`, async (t) => {
      const world = new World(t);
      world.at = Date.now();
      await world.store.put("a", entry("s-a"));
      await world.store.put("b", entry("s-b"));
      const whole = readFileSync(world.path);
      lose(world.path);
      world.at = Date.now() - 1_000;
      assert.deepEqual(droppedIn(await world.miss()), []);
      world.at = Date.now() + 5_000;
      assert.deepEqual(droppedIn(await world.miss()), ["s-a", "s-b"]);
      const [first] = (await world.miss()).state.dropped.values();
      assert.ok(first !== undefined && first.at <= world.at);
      rmSync(world.path, { recursive: true, force: true });
      writeFileSync(world.path, whole);
      const back = await world.look();
      assert.deepEqual(droppedIn(back), []);
      assert.equal(back.state.lost, undefined);
      world.theirs({ b: ["s-b"] });
      assert.deepEqual(droppedIn(await world.look()), ["s-a"]);
    });

  it("with its folder, or out of another folder of that name, is out of reach and not dropped", async (t) => {
    const world = new World(t);
    await world.store.put("a", entry("s-a"));
    world.at = Date.now() + 60_000;
    const folder = join(world.folder, "data");
    renameSync(folder, `${folder}.away`);
    assert.deepEqual(droppedIn(await world.miss()), []);
    mkdirSync(folder);
    assert.deepEqual(droppedIn(await world.miss()), []);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.away`, folder);
    rmSync(world.path);
    assert.deepEqual(droppedIn(await world.miss()), ["s-a"]);
  });

  it("is told to one who asks, once for all that was dropped within a minute", async (t) => {
    const world = new World(t);
    for (const id of ["s-1", "s-2", "s-3"]) await world.store.put("a", entry(id));
    assert.equal(await world.store.journal.tellOfDrops(), undefined);
    world.theirs({ a: ["s-1", "s-2"] });
    const first = await (await world.look()).tellOfDrops();
    assert.equal(first?.sessions, 1);
    const others = await Promise.all([world.store, world.store].map(({ journal }) => journal.tellOfDrops()));
    assert.deepEqual(others, [undefined, undefined]);
    world.theirs({ a: ["s-1"] });
    assert.equal(await (await world.look()).tellOfDrops(), undefined);
    world.at += 120_000;
    world.theirs({ a: [] });
    assert.equal((await (await world.look()).tellOfDrops())?.sessions, 1);
  });
});

function replaceBy(file: string, make: (other: string) => void): void {
  rmSync(file);
  make(file);
}
