import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Emitter } from "../../../base/emitter.ts";

describe("an emitter", () => {
  it("reaches every listener although one throws, and none that left", () => {
    const heard: string[] = [];
    const faults: unknown[] = [];
    const emitter = new Emitter<string>((error) => faults.push(error));
    emitter.on(() => {
      throw new Error("listener");
    });
    const second = emitter.on((value) => heard.push(value));
    emitter.fire("a");
    second.dispose();
    emitter.fire("b");
    assert.deepEqual([heard, faults.length], [["a"], 2]);
  });
});
