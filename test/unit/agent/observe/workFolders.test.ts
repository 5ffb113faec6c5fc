import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { WorkFolders } from "../../../../agent/observe/workFolders.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

describe("the folders that sessions work in", () => {
  it("B076: those that are not there are told, and it is told when that changes", async (t) => {
    const root = scratchFolder(t);
    const [there, file] = [join(root, "there"), join(root, "file")];
    mkdirSync(there);
    writeFileSync(file, "");
    const asked = new Set([there, file, join(file, "below"), join(root, "never"), "relative"]);
    const folders = new WorkFolders();
    assert.equal(await folders.look(asked), true);
    assert.deepEqual([...folders.gone], [file, join(file, "below"), join(root, "never")]);
    assert.equal(await folders.look(asked), false);
    rmSync(there, { recursive: true });
    assert.equal(await folders.look(asked), true);
    assert.ok(folders.gone.has(there));
    mkdirSync(there);
    assert.equal(await folders.look(asked), true);
    assert.ok(!folders.gone.has(there));
  });

  it("B074: real paths are told of those that are named through a link, and stay while they cannot be asked", async (t) => {
    const root = scratchFolder(t);
    const [there, link] = [join(root, "there"), join(root, "link")];
    mkdirSync(join(there, "below"), { recursive: true });
    symlinkSync(there, link);
    const folders = new WorkFolders();
    const asked = new Set([there, link, join(link, "below")]);
    assert.equal(await folders.look(asked), true);
    const real = [
      [link, there],
      [join(link, "below"), join(there, "below")],
    ];
    assert.deepEqual([...folders.real], real);
    assert.equal(await folders.look(asked), false);
    rmSync(link);
    symlinkSync(link, link);
    await folders.look(asked);
    assert.deepEqual([...folders.real], real);
    rmSync(link);
    assert.equal(await folders.look(asked), true);
    assert.deepEqual([...folders.real], []);
  });

  it("one that cannot be looked at stays what it was", async (t) => {
    const root = scratchFolder(t);
    const loop = join(root, "loop");
    const folders = new WorkFolders();
    symlinkSync(loop, loop);
    await folders.look(new Set([loop]));
    assert.ok(!folders.gone.has(loop));
    rmSync(loop);
    await folders.look(new Set([loop]));
    assert.ok(folders.gone.has(loop));
    symlinkSync(loop, loop);
    await folders.look(new Set([loop]));
    assert.ok(folders.gone.has(loop));
  });
});
