import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent } from "../../../agent/core/monitorEvent.ts";
import { WatchedFolders } from "../../../agent/watchedFolders.ts";
import { limits, recentMs } from "../../../base/limits.ts";
import { scratchFolder } from "../../support/rollcall/scratch.ts";

const none: ReadonlySet<string> = new Set();
const notLinux = process.platform === "linux" ? false : "processes show their folders on Linux only";

class World {
  now = 1_000_000;
  readonly left: string[] = [];
  leftOut: readonly string[] = [];
  sandboxesLeftOut: ReadonlySet<string> = none;
  readonly folder: string;
  readonly root: string;
  readonly folders = new WatchedFolders({
    scheduler: { now: () => this.now, after: () => ({ cancel: () => undefined }) },
    log: { info: () => undefined, warn: () => undefined },
    emit: (events) => events.forEach((event) => this.hear(event)),
    interesting: () => none,
    sandboxFiles: () => undefined,
    releaseSandbox: async () => undefined,
    sandboxesLeftOut: () => this.sandboxesLeftOut,
  });

  constructor(t: TestContext) {
    this.root = scratchFolder(t);
    this.folder = join(this.root, "home", ".claude");
    mkdirSync(this.folder, { recursive: true });
    t.after(() => this.folders.stop());
  }

  private hear(event: MonitorEvent): void {
    if (event.kind === "folder-left") this.left.push(event.configDir);
    if (event.kind === "folders-left-out") this.leftOut = event.configDirs;
  }

  /** One round of looks later; returns whether the folder is still watched. */
  async after(seconds: number, used: ReadonlySet<string> = none): Promise<boolean> {
    this.now += seconds * 1_000;
    await this.folders.keep(used);
    return this.folders.names.includes(this.folder);
  }

  /** A process used it, and does so no more. */
  async used(folder = this.folder): Promise<void> {
    this.folders.add([folder], "process");
    await this.after(0, new Set([folder]));
  }

  remove(): void {
    rmSync(dirname(this.folder), { recursive: true });
  }
}

describe("a folder that a process named", { skip: notLinux }, () => {
  it("goes 30 s after it was found removed, when nothing lives there", async (t) => {
    const world = new World(t);
    await world.used();
    world.remove();
    assert.equal(await world.after(3, new Set([world.folder])), true);
    assert.equal(await world.after(100, new Set([world.folder])), true);
    assert.equal(await world.after(3), true);
    assert.equal(await world.after(29), true);
    assert.equal(await world.after(2), false);
    await world.folders.stop();
    assert.deepEqual(world.left, [world.folder]);
  });
  it("stays when it comes back in between", async (t) => {
    const world = new World(t);
    await world.used();
    world.remove();
    await world.after(3);
    mkdirSync(world.folder, { recursive: true });
    await world.after(20);
    world.remove();
    assert.equal(await world.after(20), true);
    assert.equal(await world.after(29), true);
    assert.equal(await world.after(2), false);
  });
  it("stays for a day where its sessions can be read, as those of any folder", async (t) => {
    const world = new World(t);
    await world.used();
    assert.equal(await world.after(recentMs / 1_000 - 1), true);
    assert.equal(await world.after(2), false);
  });
  it("stays while it cannot be reached", async (t) => {
    const world = new World(t);
    await world.used();
    // A file in the way of it says nothing about the folder.
    world.remove();
    writeFileSync(dirname(world.folder), "");
    assert.equal(await world.after(3), true);
    assert.equal(await world.after((10 * recentMs) / 1_000), true);
  });
  it("goes after a while when it never was there", async (t) => {
    const world = new World(t);
    world.remove();
    await world.used();
    assert.equal(await world.after(500), true);
    assert.equal(await world.after(101), false);
  });
});

describe("a removed folder that somebody asked for", () => {
  it("stays for the agent's own start", async (t) => {
    const world = new World(t);
    world.folders.add([world.folder], "start");
    await world.used();
    world.remove();
    await world.after(3);
    assert.equal(await world.after(1_000), true);
  });
  it("stays for a client, until it leaves", { skip: notLinux }, async (t) => {
    const world = new World(t);
    const client = {};
    world.folders.add([world.folder], client);
    await world.used();
    world.remove();
    await world.after(3);
    assert.equal(await world.after(1_000), true);
    world.folders.drop(client);
    await world.after(3);
    assert.equal(await world.after(31), false);
  });
});

describe("too many folders", () => {
  const many = Array.from({ length: limits.addedFolders }, (_, index) => `/nowhere/rollcall-${index}`);

  it("are told by name while somebody needs them", async (t) => {
    const world = new World(t);
    world.folders.add(many, "process");
    await world.used();
    assert.deepEqual(world.leftOut, [world.folder]);
    assert.equal(world.folders.names.length, limits.addedFolders);
    await world.after(3, new Set([...many, world.folder]));
    assert.deepEqual(world.leftOut, [world.folder]);
    await world.after(3, new Set(many));
    assert.deepEqual(world.leftOut, []);
  });
  it("leave room for one that is needed: the one that nobody needs for longest is left, and told", async (t) => {
    const world = new World(t);
    world.folders.add(many, "process");
    await world.after(1, new Set(many));
    await world.after(1, new Set(many.slice(2)));
    await world.after(1, new Set([...many.slice(2), many[0] ?? ""]));
    await world.after(1, new Set(many.slice(2)));
    world.folders.add([world.folder], "process");
    assert.equal(world.folders.names.includes(world.folder), true);
    assert.deepEqual(world.leftOut, [many[1]]);
  });
  it("are told of those that only sandboxes have", async (t) => {
    const world = new World(t);
    world.sandboxesLeftOut = new Set(["pidns:1:/root/.claude"]);
    await world.after(3);
    assert.deepEqual(world.leftOut, ["pidns:1:/root/.claude"]);
  });
});
