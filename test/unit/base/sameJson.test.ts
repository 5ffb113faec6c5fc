import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { sameJson } from "../../../base/sameJson.ts";

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, false, 0, 1, "", "a", "0"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("0", "a", "b"), fc.oneof(tie("value"), fc.constant(undefined)), { maxKeys: 3 }),
  ),
})).value;

/** As it would be written, with keys in one order. */
function written(json: unknown): string {
  return JSON.stringify(json, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

describe("two values are the same JSON", () => {
  it("where both would be written alike, and only there", () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        assert.equal(sameJson(one, other), written(one) === written(other));
        assert.ok(sameJson(one, structuredClone(one)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("whatever the order of their keys, and what is undefined is not there", () => {
    assert.ok(sameJson({ a: 1, b: [2] }, { b: [2], c: undefined, a: 1 }));
    assert.ok(!sameJson({ a: 1 }, { a: 1, b: null }), "one has a key more");
    assert.ok(!sameJson({ a: 1, b: null }, { a: 1 }), "one has a key less");
    assert.ok(!sameJson([], {}));
    assert.ok(!sameJson([1], [1, 2]));
  });
});
