import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mountIn, mountsBelowIn } from "../../../../base/node/mountTable.ts";

const line = (id: number, parent: number, point: string): string =>
  `${id} ${parent} 8:1 / ${point} rw,relatime shared:1 - ext4 /dev/sda1 rw`;

describe("the mount on which a path lies", () => {
  const check = (lines: readonly string[], path: string, mount: string | undefined): void =>
    assert.equal(mountIn(`${lines.join("\n")}\n`, path), mount);
  const root = line(22, 1, "/");

  it("is the nearest above it, and never one whose name only begins alike", () => {
    const lines = [root, line(30, 22, "/home"), line(31, 30, "/home/ann")];
    check(lines, "/home/ann/.claude", "31");
    check(lines, "/home/ann", "31");
    check(lines, "/home/anna/.claude", "30");
    check(lines, "/homes", "22");
  });
  it("is the last one where several were mounted on one another", () => {
    check([root, line(30, 22, "/mnt"), line(31, 30, "/mnt"), line(32, 31, "/mnt")], "/mnt/x", "32");
  });
  it("is the one that hides another below it", () => {
    check([root, line(30, 22, "/mnt/a"), line(31, 22, "/mnt")], "/mnt/a/x", "31");
  });
  it("is found by a name with blanks, and by a root that is its own parent", () => {
    check([line(1, 1, "/"), line(30, 1, String.raw`/mnt/my\040disk`)], "/mnt/my disk/x", "30");
  });
  it("is not told without a root", () => check(["nonsense", line(30, 22, "/mnt")], "/mnt/x", undefined));
});

describe("what is mounted below a folder", () => {
  it("is what lies below it, not the folder itself nor one whose name only begins alike", () => {
    const points = [
      "/",
      "/home",
      "/home/ann",
      "/home/ann/.claude/projects/-a",
      String.raw`/home/ann/x\040y`,
      "/home/anna",
    ];
    const table = points.map((point, index) => line(30 + index, 29 + index, point)).join("\n");
    assert.deepEqual(mountsBelowIn(table, "/home/ann"), ["/home/ann/.claude/projects/-a", "/home/ann/x y"]);
    assert.deepEqual(mountsBelowIn(table, "/home/ann/.claude/projects/-a"), []);
  });
});
