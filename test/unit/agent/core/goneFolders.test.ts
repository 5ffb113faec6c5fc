import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { facts, look, observe, otherDomain, record, recordRead, second } from "./builders.ts";

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
  it("of another namespace cannot be judged from here", () => {
    assert.deepEqual(rows(["/home/dev/app"], { pidDomain: otherDomain }), [undefined]);
  });
});
