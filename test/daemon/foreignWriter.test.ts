// The registry against a foreign writer that reads torn files and writes back what it understood, for a few seconds;
// `npm run soak` does it for minutes, in every way in which a writer can lose something.
import assert from "node:assert/strict";
import { test } from "node:test";
import { duel } from "../support/rollcall/registryDuel.ts";

test("a foreign writer in place, as fast as it can: no session is lost, one command brings the file back", async () => {
  const { recorded, foreignRounds } = await duel({ seconds: 4, seed: 20_261_130, ways: ["in-place"] });
  assert.ok(recorded > 0 && foreignRounds > 100, `${recorded} recorded, ${foreignRounds} rounds`);
});

test("one that also renames, truncates and deletes, over kills of the agent: the same", async () => {
  const ways = ["in-place", "rename", "truncate", "delete"];
  const { kills } = await duel({ seconds: 5, seed: 7, ways, killEveryMs: 2_000 });
  assert.ok(kills > 0);
});
