import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initialState, type RosterState } from "../../../../extension/core/rosterState.ts";
import { badgeOf, staleMessage, statusBarModel } from "../../../../extension/core/statusBarModel.ts";
import { allSources, gone, live, now, roster, session, silent } from "./rosters.ts";

const format = (time: number): string => new Date(time).toISOString().slice(11, 19);
const check = (state: RosterState, text: string): void => assert.equal(statusBarModel(state, now, format).text, text);

const asking = session("ask", { status: { kind: "needs-you", why: "permission", rule: "r" } });
const idle = session("idle", { status: { kind: "idle", rule: "r" } });
const withoutTable = allSources.map((source) =>
  source.id === "process-table" ? silent("process-table", 125_000) : source,
);

describe("the status bar", () => {
  it("counts what lives, works and needs you", () => {
    check(live(roster([session("a"), session("b"), idle, asking])), "$(person) 4 live · 2 working · 1 needs you");
    check(live(roster([idle])), "$(person) 1 live");
  });

  it("warns while a session needs you, and not otherwise", () => {
    assert.equal(statusBarModel(live(roster([asking])), now, format).warning, true);
    assert.equal(statusBarModel(live(roster([idle])), now, format).warning, false);
  });

  it("keeps the numbers and marks them stale, with the age, when the agent is gone", () => {
    check(gone(roster([idle]), 125_000), "$(warning) 1 live · stale 2 min");
  });

  it("marks the age of the oldest answer when a source is silent", () => {
    check(live(roster([idle], withoutTable)), "$(warning) 1 live · stale 2 min");
  });

  it("says that the numbers are incomplete when a source has never answered", () => {
    check(live(roster([idle], [silent("process-table")])), "$(warning) 1 live · incomplete");
  });

  it("tells none from cannot tell", () => {
    check(live(roster([])), "$(person) no sessions");
    check(live(roster([], withoutTable)), "$(warning) cannot tell · stale 2 min");
    check(gone(roster([]), 20_000), "$(warning) cannot tell · stale < 1 min");
    check(initialState(now, undefined), "$(sync~spin) connecting");
  });

  it("says in its tooltip per source what it last said and when", () => {
    const { tooltip } = statusBarModel(live(roster([idle], withoutTable)), now, format);
    assert.match(
      tooltip,
      /`process-table` \*\*does not answer\*\* since 11:57:55: EIO; its last answer is of 11:57:55/,
    );
    assert.match(tooltip, /`proc` answers, as of 12:00:00/);
  });

  it("says in its tooltip why the agent is gone", () => {
    const { tooltip } = statusBarModel(gone(roster([idle]), 125_000), now, format);
    assert.match(tooltip, /\*\*The agent is gone\*\* since 11:57:56: it closed the connection. Last heard 2 min ago/);
  });
});

describe("the badge", () => {
  it("counts sessions that need you", () => {
    assert.deepEqual(badgeOf(live(roster([asking, idle]))), { value: 1, tooltip: "1 session needs you" });
    assert.equal(badgeOf(live(roster([idle]))), undefined);
  });

  it("stays when the agent is gone", () => {
    assert.equal(badgeOf(gone(roster([asking]), 60_000))?.tooltip, "1 session needs you, as last heard");
  });
});

describe("the line above the tree", () => {
  it("is absent while all is fresh, and over an empty tree", () => {
    assert.equal(staleMessage(live(roster([idle])), now), undefined);
    assert.equal(staleMessage(gone(roster([]), 60_000), now), undefined);
  });

  it("says when the agent was last heard", () => {
    assert.match(staleMessage(gone(roster([idle]), 180_000), now) ?? "", /^Agent gone; last heard 3 min ago\./);
  });

  it("names the sources that are silent", () => {
    assert.equal(staleMessage(live(roster([idle], withoutTable)), now), "Stale: process-table does not answer.");
  });
});
