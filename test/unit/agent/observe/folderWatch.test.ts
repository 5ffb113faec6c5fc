// File events as hints where to look: they come for every kind of change, and tell folder and name.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { FolderWatch } from "../../../../agent/observe/folderWatch.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { until } from "../../../support/claude/until.ts";

const withinMs = 5_000;

class Watched {
  readonly folder: string;
  private readonly watch: FolderWatch;
  private hints: string[] = [];

  private constructor(t: TestContext, folder: string, depth: number) {
    this.folder = folder;
    this.watch = new FolderWatch(folder, {
      depth,
      onChange: (where, name) => this.hints.push(join(where, name).slice(folder.length)),
      onFault: (error) => assert.fail(String(error)),
    });
    t.after(() => this.watch.dispose());
  }

  static async of(
    t: TestContext,
    depth: number,
    prepare: (folder: string) => void = () => undefined,
  ): Promise<Watched> {
    const folder = scratchFolder(t);
    prepare(folder);
    const watched = new Watched(t, folder, depth);
    await watched.hinted("the watch is ready", "");
    return watched;
  }

  get folderCount(): number {
    return this.watch.folderCount;
  }

  /** Resolves once this path, as seen from the folder, was hinted at; forgets what came before. */
  async hinted(what: string, path: string): Promise<void> {
    await until(what, () => this.hints.includes(path), { deadlineMs: withinMs, seen: () => this.hints });
    this.hints = [];
  }

  stop(): Promise<void> {
    return this.watch.dispose();
  }

  get heard(): readonly string[] {
    return this.hints;
  }
}

describe("a watched folder", () => {
  it("tells of a file that appears, grows, is written in place, replaced and removed", async (t) => {
    const watched = await Watched.of(t, 0);
    const file = join(watched.folder, "7.json");
    writeFileSync(file, "a");
    await watched.hinted("it appeared", "/7.json");
    appendFileSync(file, "b");
    await watched.hinted("it grew", "/7.json");
    writeFileSync(file, "ab");
    await watched.hinted("it was written in place", "/7.json");
    writeFileSync(join(watched.folder, "new"), "c");
    await watched.hinted("the new one", "/new");
    renameSync(join(watched.folder, "new"), file);
    await watched.hinted("it was replaced", "/7.json");
    rmSync(file);
    await watched.hinted("it was removed", "/7.json");
  });

  it("tells of a subfolder that appears, and of what happens in it, where subfolders are watched too", async (t) => {
    const watched = await Watched.of(t, 1, (folder) => mkdirSync(join(folder, "old")));
    writeFileSync(join(watched.folder, "old", "a.jsonl"), "");
    await watched.hinted("in the old folder", "/old/a.jsonl");
    mkdirSync(join(watched.folder, "new"));
    await watched.hinted("the new folder", "/new");
    await until("it is watched", () => watched.folderCount >= 3, { deadlineMs: withinMs });
    await until(
      "in the new folder",
      () => {
        appendFileSync(join(watched.folder, "new", "b.jsonl"), "x");
        return watched.heard.includes("/new/b.jsonl");
      },
      { deadlineMs: withinMs, everyMs: 50 },
    );
  });

  it("costs a watch for each folder, none for files", async (t) => {
    const watched = await Watched.of(t, 1, (folder) => {
      mkdirSync(join(folder, "app"));
      for (let index = 0; index < 100; index += 1) writeFileSync(join(folder, "app", `${index}.jsonl`), "");
    });
    assert.ok(watched.folderCount <= 3, String(watched.folderCount));
  });

  it("is silent once it was disposed of", async (t) => {
    const watched = await Watched.of(t, 0);
    await watched.stop();
    const other = await Watched.of(t, 0, () => undefined);
    writeFileSync(join(watched.folder, "7.json"), "a");
    writeFileSync(join(other.folder, "later"), "a");
    await other.hinted("a later event elsewhere", "/later");
    assert.deepEqual(watched.heard, []);
  });
});
