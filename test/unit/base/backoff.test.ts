import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffDelayMs } from "../../../base/backoff.ts";

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
