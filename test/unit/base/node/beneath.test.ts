import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:fs";
import { open, readFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { openBeneath, openFolderBeneath, openFolderIn, pathOf } from "../../../../base/node/beneath.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

interface Tree {
  /** What lies outside, and must not be reached. */
  readonly outside: string;
  readonly inside: string;
  readonly root: FileHandle;
}

async function tree(t: TestContext): Promise<Tree> {
  const folder = scratchFolder(t);
  const [outside, inside] = [join(folder, "outside"), join(folder, "inside")];
  for (const dir of [outside, join(inside, "home", "a")]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(outside, "secret"), "secret");
  writeFileSync(join(inside, "home", "a", "plain"), "plain");
  const root = await open(inside, constants.O_RDONLY | constants.O_DIRECTORY);
  t.after(() => root.close());
  return { outside, inside, root };
}

const linux = { skip: process.platform === "linux" ? false : "the kernel's folder of open files is Linux's" };

describe("what is opened below a folder that somebody hostile writes", linux, () => {
  it("is what lies there", async (t) => {
    const { root } = await tree(t);
    const file = await openBeneath(root, ["home", "a", "plain"], constants.O_RDONLY);
    assert.equal(await file.readFile("utf8"), "plain");
    await file.close();
  });
  it("is never reached through a link, be it the last name or one on the way", async (t) => {
    const { root, inside, outside } = await tree(t);
    symlinkSync(join(outside, "secret"), join(inside, "home", "file"));
    symlinkSync(outside, join(inside, "home", "folder"));
    symlinkSync("a", join(inside, "home", "near"));
    for (const names of [
      ["home", "file"],
      ["home", "folder", "secret"],
      ["home", "near", "plain"],
    ])
      await assert.rejects(openBeneath(root, names, constants.O_RDONLY), names.join("/"));
    await assert.rejects(openFolderBeneath(root, ["home", "folder"]));
  });
  it("is never above it", async (t) => {
    const { root } = await tree(t);
    for (const name of ["..", ".", "", "a/b", "a\0b"])
      await assert.rejects(openBeneath(root, ["home", name], constants.O_RDONLY), JSON.stringify(name));
  });
});

describe("a path as those see it whose root a folder is", linux, () => {
  it("has its links resolved there, absolute ones and those that climb too", async (t) => {
    const { root, inside } = await tree(t);
    symlinkSync("/home/a", join(inside, "absolute"));
    symlinkSync("../../../../../../home/a", join(inside, "climbs"));
    for (const path of ["/absolute", "/climbs", "/home/../home/a", "home//a/"]) {
      const folder = await openFolderIn(root, path);
      assert.equal(await readFile(join(pathOf(folder), "plain"), "utf8"), "plain", path);
      await folder.close();
    }
  });
  it("does not lead to a folder of this host that bears that name", async (t) => {
    const { root, inside, outside } = await tree(t);
    symlinkSync(outside, join(inside, "out"));
    await assert.rejects(openFolderIn(root, "/out"), { code: "ENOENT" });
  });
  it("that leads round and round is an error", async (t) => {
    const { root, inside } = await tree(t);
    symlinkSync("/round", join(inside, "round"));
    await assert.rejects(openFolderIn(root, "/round"), { kind: "too-many-links" });
  });
});
