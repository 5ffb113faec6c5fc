import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initialState, reduceRoster } from "../../../../extension/core/rosterState.ts";
import { firstLookMs, welcomeOf } from "../../../../extension/core/welcomeModel.ts";
import { allSources, gone, live, now, observed, roster, session, silent } from "./rosters.ts";

describe("what an empty tree means", () => {
  it("is `none` only when every source answered", () => {
    assert.equal(welcomeOf(live(roster([])), now), "none");
  });

  it("is `none` when sources answer that nothing is there", () => {
    const absent = allSources.map((source) => ({ ...source, state: "absent" as const }));
    assert.equal(welcomeOf(live(roster([], absent)), now), "none");
  });

  for (const { id } of allSources) {
    it(`is not told while ${id} does not answer`, () => {
      const sources = allSources.map((source) => (source.id === id ? silent(id, 60_000) : source));
      assert.equal(welcomeOf(live(roster([], sources)), now), "cannot-tell");
    });
  }

  it("is not told by sources that were not asked yet: at first that is connecting, then it cannot be told", () => {
    const state = live(roster([], [observed("proc")]));
    assert.equal(welcomeOf(state, now), "connecting");
    assert.equal(welcomeOf(state, now + firstLookMs), "cannot-tell");
  });

  it("is connecting while a source has not answered for the first time, but not for long", () => {
    const state = live(roster([], [...allSources.slice(1), silent("process-table")]));
    assert.equal(welcomeOf(state, now), "connecting");
    assert.equal(welcomeOf(state, now + firstLookMs), "cannot-tell");
  });

  it("cannot be told while the agent is gone, even if the last roster was empty", () => {
    assert.equal(welcomeOf(gone(roster([]), 60_000), now), "cannot-tell");
  });

  it("cannot be told after a first attempt failed", () => {
    const failed = { kind: "failed", at: now, cause: "no", nextAttemptAt: undefined } as const;
    assert.equal(welcomeOf(reduceRoster(initialState(now, undefined), failed), now), "cannot-tell");
  });

  it("is connecting at the start", () => {
    assert.equal(welcomeOf(initialState(now, undefined), now), "connecting");
  });

  it("does not come up while there are rows, whatever their age", () => {
    assert.equal(welcomeOf(gone(roster([session("a")]), 86_400_000), now), "sessions");
  });
});
