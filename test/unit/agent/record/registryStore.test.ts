// The registry's store on real files: its three answers, and that no way of writing touches what cannot be read.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { toldEntry } from "../../../../agent/core/registryEntry.ts";
import { RegistryStore, type RegistryWritten } from "../../../../agent/record/registryStore.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const entry = (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  toldEntry(
    Object.entries({ session_id: id, ...fields }).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );

class World {
  readonly folder: string;
  readonly path: string;
  private readonly now: () => number;

  constructor(t: TestContext, now: () => number = () => Date.now()) {
    this.folder = scratchFolder(t);
    this.path = join(this.folder, "data", "sandbox-sessions.json");
    this.now = now;
  }

  /** As another process has it: nothing of the last one is in memory. */
  get store(): RegistryStore {
    const paths = {
      registry: this.path,
      registryIsOurs: true,
      seenMarks: join(this.folder, "seen"),
      journal: join(this.folder, "journal"),
    };
    return new RegistryStore({ paths, now: this.now });
  }

  async two(): Promise<Buffer> {
    await this.store.put("a", entry("s-a"));
    await this.store.put("b", entry("s-b"));
    return readFileSync(this.path);
  }

  async ids(): Promise<readonly string[]> {
    const load = await this.store.tryLoad();
    assert.ok(load.kind === "read", load.kind);
    return [...load.value.slices.values()].flatMap(({ entries }) => entries.map(({ fields }) => fields.session_id));
  }

  async causeNow(): Promise<string> {
    const load = await this.store.tryLoad();
    return load.kind === "unreadable" ? load.cause : load.kind;
  }
}

const writes: Readonly<Record<string, (store: RegistryStore) => Promise<RegistryWritten>>> = {
  put: (store) => store.put("a", entry("s-new")),
  replaceSandboxSlice: (store) => store.replaceSandboxSlice("a", [entry("s-new")], { mayBeEmpty: false }),
  "replaceSandboxSlice, empty by name": (store) => store.replaceSandboxSlice("a", [], { mayBeEmpty: true }),
  forgetSession: (store) => store.forgetSession("s-a", undefined),
  markSessionDeparted: (store) => store.markSessionDeparted("s-a", undefined),
};

/** What stands at a path, to its last byte. */
function standing(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "nothing";
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  return stats.isFile() ? readFileSync(file, "latin1") : `mode ${stats.mode}`;
}

const damages: readonly (readonly [string, RegExp, (file: string) => void])[] = [
  ["cut to half its bytes", /torn/, (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ["cut by its last brace", /torn/, (file) => truncateSync(file, statSync(file).size - 2)],
  ["zero bytes", /zero bytes/, (file) => truncateSync(file, 0)],
  ["only white space", /torn/, (file) => writeFileSync(file, " \n")],
  ["full of NUL bytes", /NUL/, (file) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
  ["not UTF-8", /UTF-8/, (file) => writeFileSync(file, Buffer.from([0x22, 0xff, 0x22]))],
  ["another shape: a list", /shape/, (file) => writeFileSync(file, "[]\n")],
  ["another shape: null", /shape/, (file) => writeFileSync(file, "null\n")],
  ["another shape: an empty object", /shape/, (file) => writeFileSync(file, "{}\n")],
  ["another shape: no list", /shape/, (file) => writeFileSync(file, '{"version":1,"sandboxes":{"b":{}}}\n')],
  ["a key twice", /twice/, (file) => writeFileSync(file, '{"version":1,"sandboxes":{"b":[],"b":[{}]}}\n')],
  ["larger than any registry", /over the limit/, (file) => truncateSync(file, limits.registryBytes + 1)],
  [
    "a folder in its place",
    /a folder in its place/,
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    "a link in its place, even to what it was",
    /a symbolic link in its place/,
    (file) => {
      renameSync(file, `${file}.moved`);
      symlinkSync(`${file}.moved`, file);
    },
  ],
  [
    "a link into nothing",
    /a symbolic link in its place/,
    (file) => {
      rmSync(file);
      symlinkSync("/nonexistent/r", file);
    },
  ],
  [
    "a named pipe in its place",
    /a named pipe in its place/,
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", [file]);
    },
  ],
  ["gone after it was seen", /gone after having been seen/, (file) => rmSync(file)],
  [
    "gone with its generations",
    /gone after having been seen/,
    (file) => {
      rmSync(file);
      rmSync(`${file}.generations`, { recursive: true });
    },
  ],
];

describe("a registry that cannot be read", { concurrency: 4 }, () => {
  for (const [index, [name, cause, damage]] of damages.entries()) {
    it(`${name}: no write touches it, and all is there once it can be read`, async (t) => {
      const world = new World(t);
      const whole = await world.two();
      damage(world.path);
      const damaged = standing(world.path);
      assert.match(await world.causeNow(), cause);
      const ways = Object.values(writes);
      for (const write of [ways[0], ways[1 + (index % (ways.length - 1))]]) {
        assert.ok(write !== undefined);
        await assert.rejects(write(world.store), { kind: "file-unreadable", message: cause });
        assert.equal(standing(world.path), damaged);
      }
      rmSync(world.path, { recursive: true, force: true });
      writeFileSync(world.path, whole);
      assert.deepEqual(await world.ids(), ["s-a", "s-b"]);
    });
  }

  for (const [name, write] of Object.entries(writes)) {
    it(`${name} fails where it is torn, and says so`, async (t) => {
      const world = new World(t);
      await world.two();
      truncateSync(world.path, 40);
      const damaged = standing(world.path);
      await assert.rejects(write(world.store), {
        kind: "file-unreadable",
        message: /cannot be read \(torn.*\), so nothing was written and it stays as it is; /,
      });
      assert.equal(standing(world.path), damaged);
    });
  }

  it("gone without a mark is still known by its generations", async (t) => {
    const world = new World(t);
    await world.two();
    rmSync(world.path);
    rmSync(join(world.folder, "seen"), { recursive: true });
    assert.match(await world.causeNow(), /gone after having been seen/);
  });

  it("that was only ever seen as a link or over the limit, and is gone, is no first run", async (t) => {
    for (const make of [
      (path: string) => symlinkSync("/nonexistent/r", path),
      (path: string) => {
        writeFileSync(path, "");
        truncateSync(path, limits.registryBytes + 1);
      },
    ]) {
      const world = new World(t);
      mkdirSync(join(world.folder, "data"));
      make(world.path);
      assert.match(await world.causeNow(), /link|limit/);
      rmSync(world.path);
      assert.match(await world.causeNow(), /gone after having been seen/);
    }
  });

  it("of another version is read, and never written", async (t) => {
    const world = new World(t);
    await world.two();
    writeFileSync(world.path, readFileSync(world.path, "utf8").replace('"version": 1', '"version": 2'));
    const before = standing(world.path);
    assert.deepEqual(await world.ids(), ["s-a", "s-b"]);
    for (const write of Object.values(writes)) {
      await assert.rejects(write(world.store), { kind: "registry-version" });
      assert.equal(standing(world.path), before);
    }
  });

  it("torn for a moment only is tried again", async (t) => {
    const world = new World(t);
    const whole = await world.two();
    truncateSync(world.path, 40);
    const timer = setTimeout(() => writeFileSync(world.path, whole), 30);
    const written = await world.store.put("a", entry("s-new"));
    clearTimeout(timer);
    assert.equal(written.added, 1);
    assert.deepEqual(await world.ids(), ["s-a", "s-new", "s-b"]);
  });
});

describe("a registry that was never written", () => {
  it("is absent, and its first write succeeds", async (t) => {
    const world = new World(t);
    assert.equal(await world.causeNow(), "absent");
    assert.deepEqual(await world.store.put("a", entry("s-a")), {
      changed: true,
      added: 1,
      updated: 0,
      departed: 0,
      removed: 0,
    });
    assert.equal(statSync(world.path).mode & 0o777, 0o600);
  });
});

/** Another program's write, in place or by renaming. */
function theirs(path: string, renames: boolean): void {
  const text = readFileSync(path, "utf8").replace('"s-b"', '"s-b", "theirs": 12345678901234567890');
  writeFileSync(renames ? `${path}.theirs` : path, text);
  if (renames) renameSync(`${path}.theirs`, path);
}

describe("a write of the registry", () => {
  it("keeps the file's mode and the old content as a generation, a bounded number", async (t) => {
    const world = new World(t);
    const before = await world.two();
    chmodSync(world.path, 0o640);
    await world.store.put("a", entry("s-new"));
    assert.equal(statSync(world.path).mode & 0o777, 0o640);
    const folder = `${world.path}.generations`;
    const newest = readdirSync(folder).sort().at(-1) ?? "";
    assert.deepEqual(readFileSync(join(folder, newest)), before);
    for (let count = 0; count < limits.registryGenerations + 3; count += 1)
      await world.store.put("a", entry(`s-${count}`));
    assert.equal(readdirSync(folder).length, limits.registryGenerations);
  });

  it("that changes nothing writes nothing", async (t) => {
    const world = new World(t);
    await world.two();
    utimesSync(world.path, 1_000, 1_000);
    const written = await world.store.replaceSandboxSlice("b", [entry("s-b")], { mayBeEmpty: false });
    assert.equal(written.changed, false);
    assert.equal(statSync(world.path).mtimeMs, 1_000_000);
  });

  it("merges once more where another program wrote after it was read, in place or by renaming", async (t) => {
    for (const renames of [false, true]) {
      // The clock is asked for the intent's time, and again between the read and the replacement.
      let asked = Number.NEGATIVE_INFINITY;
      const world: World = new World(t, () => {
        asked += 1;
        if (asked === 2) theirs(world.path, renames);
        return Date.now();
      });
      await world.two();
      asked = 0;
      await world.store.put("a", entry("s-new"));
      const after = readFileSync(world.path, "utf8");
      assert.match(after, /"theirs": 12345678901234567890/, String(renames));
      assert.match(after, /"s-new"/);
      rmSync(world.folder, { recursive: true });
    }
  });

  it("merges what another program renamed there while the old content was being kept", async (t) => {
    const world = new World(t);
    await world.two();
    const { link } = fsPromises;
    t.after(() => {
      fsPromises.link = link;
      syncBuiltinESMExports();
    });
    let isTheirTurn = true;
    fsPromises.link = async (from, to) => {
      await link(from, to);
      if (isTheirTurn) theirs(world.path, true);
      isTheirTurn = false;
    };
    syncBuiltinESMExports();
    await world.store.put("a", entry("s-new"));
    const after = readFileSync(world.path, "utf8");
    assert.match(after, /"theirs": 12345678901234567890/);
    assert.match(after, /"s-new"/);
  });

  it("takes a file that is just being replaced for one that moved on", async (t) => {
    const world = new World(t);
    await world.two();
    const { link } = fsPromises;
    t.after(() => {
      fsPromises.link = link;
      syncBuiltinESMExports();
    });
    let refusals = 1;
    // What the system says of a file that lost its name between look-up and link.
    fsPromises.link = (from, to) => {
      refusals -= 1;
      return refusals < 0 ? link(from, to) : Promise.reject(Object.assign(new Error("ENOENT"), { code: "ENOENT" }));
    };
    syncBuiltinESMExports();
    assert.equal((await world.store.put("a", entry("s-new"))).added, 1);
  });

  it("leaves no draft and no lock behind", async (t) => {
    const world = new World(t);
    await world.two();
    await Promise.all(Object.values(writes).map((write) => write(world.store).catch(() => undefined)));
    assert.deepEqual(readdirSync(join(world.folder, "data")).sort(), [
      "sandbox-sessions.json",
      "sandbox-sessions.json.generations",
    ]);
  });

  it("of many at once loses nothing", async (t) => {
    const world = new World(t);
    const ids = Array.from({ length: 12 }, (_, index) => `s-${index}`);
    await Promise.all(ids.map((id, index) => world.store.put(`sandbox-${index % 3}`, entry(id))));
    assert.deepEqual([...(await world.ids())].sort(), [...ids].sort());
    assert.equal(existsSync(`${world.path}.lock`), false);
  });
});
