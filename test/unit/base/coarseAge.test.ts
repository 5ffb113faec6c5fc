import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coarseAge, coarseAgo, coarseSpan } from "../../../base/coarseAge.ts";

describe("ages", () => {
  for (const [ageMs, expected] of [
    [-5_000, "just now"],
    [0, "just now"],
    [59_999, "just now"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [3_600_000, "1 h"],
    [86_399_999, "23 h"],
    [86_400_000, "1 d"],
  ] as const) {
    it(`of ${ageMs} ms are "${expected}"`, () => assert.equal(coarseAge(ageMs), expected));
  }

  it("stand in a sentence and after a word", () => {
    assert.deepEqual([coarseAgo(1_000), coarseAgo(60_000)], ["just now", "1 min ago"]);
    assert.deepEqual([coarseSpan(1_000), coarseSpan(60_000)], ["< 1 min", "1 min"]);
  });
});
