import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goneAsRemembered } from "../../../../agent/core/goneFolders.ts";
import { fromMemory, toMemory } from "../../../../agent/core/memory.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { facts, kernelHost, look, observe, otherDomain, record, recordRead, second } from "./builders.ts";

const rows = (gone: readonly string[], fields: object = {}): readonly (boolean | undefined)[] => {
  const monitor = observe([recordRead(second(1), record(fields)), look(second(2), facts())]);
  const options = { now: second(3), all: true, onlyWatchedFolders: false, goneFolders: new Set(gone) };
  return projectRoster(monitor, options)
    .sessions.filter(({ id }) => id === "s1")
    .map(({ folderGone }) => folderGone);
};

describe("a folder that is gone", () => {
  it("B076: is a mark on its row, which lives on", () => {
    assert.deepEqual(rows(["/home/dev/app"]), [true]);
    assert.deepEqual(rows(["/home/dev/other"]), [undefined]);
  });
  it("of a process with mounts of its own cannot be judged from here, when it has ended either", () => {
    const process = facts({ hasOtherMounts: true });
    for (const last of [look(second(3), process), look(second(3), "gone", 20)]) {
      const monitor = observe([recordRead(second(1), record()), look(second(2), process), last]);
      const goneFolders = new Set(["/home/dev/app"]);
      const [row] = projectRoster(monitor, {
        now: second(4),
        all: true,
        onlyWatchedFolders: false,
        goneFolders,
      }).sessions;
      assert.equal(row?.id, "s1");
      assert.equal(row.folderGone, undefined);
    }
  });
  it("that was found gone by an earlier agent stays a mark until it is looked for, and is none when it is back", () => {
    const monitor = observe([recordRead(second(1), record()), look(second(2), facts())]);
    const options = { now: second(3), all: true, onlyWatchedFolders: false };
    const before = projectRoster(monitor, { ...options, goneFolders: new Set(["/home/dev/app"]) }).sessions;
    const remembered = fromMemory(kernelHost, { ...toMemory(monitor, before, second(3)), processes: [], claims: [] });
    const marks = (goneFolders: ReadonlySet<string>): unknown =>
      projectRoster(remembered, { ...options, goneFolders }).sessions.map(({ folderGone }) => folderGone);
    assert.deepEqual([...goneAsRemembered(before)], ["/home/dev/app"]);
    assert.deepEqual(marks(goneAsRemembered(before)), [true]);
    assert.deepEqual(marks(new Set()), [undefined]);
  });
  it("B074: the real path is told beside the text as written, where that is another, and of this host only", () => {
    const told = (fields: object): unknown => {
      const monitor = observe([recordRead(second(1), record(fields)), look(second(2), facts())]);
      const realFolders = new Map([["/home/dev/app", "/real/app"]]);
      const row = projectRoster(monitor, {
        now: second(3),
        all: true,
        onlyWatchedFolders: false,
        realFolders,
      }).sessions.find(({ id }) => id === "s1");
      return [row?.startCwd, row?.realStartCwd];
    };
    assert.deepEqual(told({}), ["/home/dev/app", "/real/app"]);
    assert.deepEqual(told({ cwd: "/elsewhere" }), ["/elsewhere", undefined]);
    assert.deepEqual(told({ pidDomain: otherDomain }), ["/home/dev/app", undefined]);
  });
  it("of another namespace cannot be judged from here", () => {
    assert.deepEqual(rows(["/home/dev/app"], { pidDomain: otherDomain }), [undefined]);
  });
});
