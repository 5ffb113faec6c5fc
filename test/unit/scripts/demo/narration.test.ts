// What the demo's terminal tells, and when.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beats, nothingTold, tell } from "../../../../scripts/demo/narration.ts";
import type { Roster } from "../../../../protocol/roster.ts";
import { titles } from "../../../../scripts/demo/story.ts";
import { roster, session } from "../../extension/core/rosters.ts";

const asking = roster([
  session("1", { title: titles.permission, status: { kind: "needs-you", why: "permission", rule: "r" } }),
]);
const nobody: Roster = roster([]);

describe("the demo's narration", () => {
  it("tells a beat when the roster shows it, once in a round", () => {
    const first = tell(nothingTold, asking, { round: 0, second: 5 });
    assert.equal(first.lines.length, 1);
    assert.match(first.lines[0] ?? "", /^1\. “Migrate the billing tables” needs your permission/);
    assert.deepEqual(tell(first.told, asking, { round: 0, second: 6 }).lines, []);
  });

  it("promises nothing that the roster does not show", () => {
    assert.deepEqual(tell(nothingTold, nobody, { round: 0, second: 119 }).lines, []);
  });

  it("begins again in the next round", () => {
    const first = tell(nothingTold, asking, { round: 0, second: 5 });
    const early = tell(first.told, asking, { round: 1, second: 0 });
    assert.deepEqual(early.lines, ["The story begins again (round 2)."]);
    assert.match(tell(early.told, asking, { round: 1, second: 5 }).lines[0] ?? "", /^1\. “Migrate/);
  });

  it("keeps the story's order", () => {
    const seconds = beats.map(({ from }) => from);
    assert.deepEqual(
      seconds,
      [...seconds].sort((a, b) => a - b),
    );
  });
});
