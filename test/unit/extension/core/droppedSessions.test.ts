// Sessions that another writer dropped from the registry, as a person meets them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dropWords, lastDropAt, restoredWords } from "../../../../extension/core/droppedSessions.ts";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import { at, live, now, roster, session } from "./rosters.ts";

describe("what another writer dropped", () => {
  const dropped = session("a", { registry: { recorded: true, droppedAt: at(60_000) } });

  it("is marked in its row, and offers to be brought back", () => {
    const { nodes } = buildTree(live(roster([dropped, session("b", { registry: { recorded: true } })])), now);
    const rows = [...nodes.values()].filter((node) => node.session !== undefined);
    assert.deepEqual(
      rows.map(({ description, context }) => [
        description.includes("dropped from registry"),
        / dropped( |$)/.test(context),
      ]),
      [
        [true, true],
        [false, false],
      ],
    );
  });

  it("is asked about by the time of its last drop", () => {
    assert.equal(lastDropAt(roster([session("b")])), undefined);
    const earlier = session("c", { registry: { recorded: true, droppedAt: at(90_000) } });
    assert.equal(lastDropAt(roster([earlier, dropped])), now - 60_000);
  });

  it("is told with its number and time, and what came back with where the rest is", () => {
    assert.equal(
      dropWords(41, "18:22:26"),
      "41 sessions were dropped from the registry by another writer at 18:22:26.",
    );
    assert.match(dropWords(1, "18:22:26"), /^1 session was dropped/);
    assert.match(restoredWords([1, 2], "/x.unreadable"), /^2 sessions brought back .* kept in \/x\.unreadable\.$/);
    assert.match(restoredWords([], undefined), /^Nothing was brought back/);
  });
});
