import assert from "node:assert/strict";
import { it } from "node:test";
import { amount } from "../../../base/amount.ts";

it("says one of it, and many of it", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => amount(count, "session")),
    ["0 sessions", "1 session", "2 sessions"],
  );
  assert.equal(amount(2, "process", "processes"), "2 processes");
});
