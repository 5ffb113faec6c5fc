// A file that another program writes too, with a real writer at the last moment.
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { guardedLoad } from "../../../../base/node/guardedLoad.ts";
import { guardedWrite, type WrittenFile } from "../../../../base/node/guardedWrite.ts";
import { SeenMarks } from "../../../../base/node/seenMarks.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

function fileIn(folder: string): WrittenFile<readonly string[]> {
  return {
    path: join(folder, "list.json"),
    what: "the list",
    folderIsOurs: true,
    marks: new SeenMarks(join(folder, "seen")),
    parse: (text) => ({ kind: "parsed", document: JSON.parse(text) as readonly string[] }),
    now: () => Date.now(),
  };
}
const add =
  (item: string) =>
  (list: readonly string[] | undefined): string | undefined =>
    list?.includes(item) === true ? undefined : JSON.stringify([...(list ?? []), item]);

/** Writes into the very file that stands there now, once another one has been put in its place. */
function writeAfterItsReplacement(t: TestContext, path: string, text: string): void {
  const fd = openSync(path, "r+");
  const { ino } = lstatSync(path);
  let done = false;
  t.after(() => {
    done = true;
    closeSync(fd);
  });
  const look = (): void => {
    if (done) return;
    if (lstatSync(path).ino === ino) {
      setImmediate(look);
      return;
    }
    ftruncateSync(fd, 0);
    writeSync(fd, text, 0);
  };
  setImmediate(look);
}

describe("a file that another program writes too", () => {
  it("has what that one wrote into it while it was being replaced, and our change", async (t) => {
    const file = fileIn(scratchFolder(t));
    writeFileSync(file.path, '["old"]');
    writeAfterItsReplacement(t, file.path, '["old","theirs"]');
    assert.equal(await guardedWrite(file, add("ours")), true);
    assert.deepEqual((JSON.parse(readFileSync(file.path, "utf8")) as string[]).sort(), ["old", "ours", "theirs"]);
  });
  it("keeps our change where what that one wrote is not whole", async (t) => {
    const file = fileIn(scratchFolder(t));
    writeFileSync(file.path, '["old"]');
    writeAfterItsReplacement(t, file.path, "\0");
    await guardedWrite(file, add("ours"));
    assert.deepEqual(JSON.parse(readFileSync(file.path, "utf8")), ["old", "ours"]);
  });
});

describe("a file that was seen where no mark of it can be made", () => {
  it("is read all the same, and is not taken for one that never was when it is gone", async (t) => {
    const folder = scratchFolder(t);
    const file = fileIn(folder);
    writeFileSync(join(folder, "seen"), "a file in the place of the marks' folder");
    writeFileSync(file.path, '["old"]');
    assert.equal((await guardedLoad(file)).kind, "read");
    rmSync(file.path);
    assert.equal((await guardedLoad(file)).kind, "unreadable");
  });
});
