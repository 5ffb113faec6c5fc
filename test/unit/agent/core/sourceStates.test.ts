import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proc, second } from "./builders.ts";
import { iso, rosterOf } from "./rows.ts";

describe("sources", () => {
  const stateAt = (now: number): unknown => {
    const [source] = rosterOf([proc(second(1), "answers")], now).sources;
    return [source?.state, source?.asOf, source?.since, source?.cause];
  };
  it("that did not answer for three of their periods are unobserved, with their last answer", () => {
    assert.deepEqual(stateAt(second(10)), ["observed", iso(second(1)), undefined, undefined]);
    assert.deepEqual(stateAt(second(11)), [
      "unobserved",
      iso(second(1)),
      iso(second(1)),
      "no answer for three of its periods",
    ]);
  });
});
