import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limitReset } from "../../../../agent/core/limitReset.ts";

const at = Date.parse("2026-11-30T17:00:00Z");
const check = (says: string, expected: string | undefined): void => {
  const until = limitReset(says, at);
  assert.equal(until === undefined ? undefined : new Date(until).toISOString(), expected, says);
};

describe("B033: until when a limit holds", () => {
  it("is read from the words, in the zone that they name", () => {
    check("You've hit your session limit · resets 8pm (UTC)", "2026-11-30T20:00:00.000Z");
    check("limit · resets 3:45am (Europe/Berlin)", "2026-12-01T02:45:00.000Z");
    check("limit · resets Dec 2, 5pm (America/New_York)", "2026-12-02T22:00:00.000Z");
    check("limit · resets Jan 3 at 12am (UTC)", "2027-01-03T00:00:00.000Z");
    check("usage limit reached|1796070000", new Date(1_796_070_000_000).toISOString());
  });
  it("is not known without a zone, or from words that say something else", () => {
    for (const says of ["resets 8pm", "resets soon (UTC)", "resets 25:00 (UTC)", "resets 8pm (Nowhere/None)", ""])
      check(says, undefined);
  });
});
