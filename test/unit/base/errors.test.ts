import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeError, errorCode, isRollcallError, rollcallError } from "../../../base/errors.ts";

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
