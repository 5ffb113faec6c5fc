import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffDelayMs } from "../../../base/backoff.ts";
import { coarseAge, coarseAgo, coarseSpan } from "../../../base/coarseAge.ts";
import { DisposableList } from "../../../base/disposable.ts";
import { Emitter } from "../../../base/emitter.ts";
import { describeError, errorCode, isRollcallError, rollcallError } from "../../../base/errors.ts";

const minute = 60_000;

describe("backoff", () => {
  const check = (attempt: number, random: number, expected: number): void =>
    assert.equal(backoffDelayMs({ firstMs: 100, ceilingMs: 1_000 }, attempt, random), expected);
  it("doubles up to its ceiling, and is never longer", () => {
    check(0, 1, 100);
    check(3, 1, 800);
    check(4, 1, 1_000);
    check(10_000, 1, 1_000);
  });
  it("spreads over its last quarter", () => check(0, 0, 75));
});

describe("coarse ages", () => {
  const check = (ageMs: number, expected: readonly [string, string, string]): void =>
    assert.deepEqual([coarseAge(ageMs), coarseAgo(ageMs), coarseSpan(ageMs)], expected);
  it("B104: change by the minute at most", () => {
    check(59_999, ["just now", "just now", "< 1 min"]);
    check(minute, ["1 min", "1 min ago", "1 min"]);
    check(3 * 60 * minute, ["3 h", "3 h ago", "3 h"]);
    check(50 * 60 * minute, ["2 d", "2 d ago", "2 d"]);
  });
  it("below zero, of another clock, count as none", () => check(-5, ["just now", "just now", "< 1 min"]));
});

describe("errors", () => {
  it("carry their kind, one sentence and their cause", () => {
    const cause = new Error("below");
    const error = rollcallError("no-agent", "no agent answers; start one", cause);
    assert.deepEqual(
      [isRollcallError(error), error.kind, error.message, error.cause],
      [true, "no-agent", "no agent answers; start one", cause],
    );
    assert.equal(isRollcallError(cause), false);
  });
  it("of any origin have words and perhaps a code", () => {
    assert.equal(describeError(new RangeError("")), "RangeError");
    assert.equal(describeError("text"), "text");
    assert.equal(errorCode(Object.assign(new Error(), { code: "ENOENT" })), "ENOENT");
    for (const none of [undefined, null, 7, {}, { code: 5 }]) assert.equal(errorCode(none), undefined);
  });
});

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
