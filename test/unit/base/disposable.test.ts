import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DisposableList } from "../../../base/disposable.ts";

describe("disposables", () => {
  it("are let go last in, first out, once, and late arrivals at once", () => {
    const gone: number[] = [];
    const list = new DisposableList();
    for (const index of [1, 2]) list.add({ dispose: () => gone.push(index) });
    list.dispose();
    list.dispose();
    list.add({ dispose: () => gone.push(3) });
    assert.deepEqual(gone, [2, 1, 3]);
  });
});
