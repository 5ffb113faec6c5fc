import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  initialState,
  lastRoster,
  reduceRoster,
  type RosterEvent,
  type RosterState,
} from "../../../../extension/core/rosterState.ts";
import { allSources, configDir, ended, gone, live, now, observed, roster, session, silent } from "./rosters.ts";

const ids = (state: RosterState): readonly string[] => (lastRoster(state)?.roster.sessions ?? []).map(({ id }) => id);
const connected = (told: ReturnType<typeof roster>): RosterEvent => ({
  kind: "connected",
  at: now,
  roster: told,
  configDirs: [configDir],
});
const failed: RosterEvent = { kind: "failed", at: now, cause: "no answer", nextAttemptAt: now + 300 };

describe("the last roster", () => {
  it("stays when the agent is gone, with the time it was heard", () => {
    const state = reduceRoster(live(roster([session("a")]), 60_000), failed);
    assert.equal(state.kind, "gone");
    assert.deepEqual(ids(state), ["a"]);
    assert.equal(lastRoster(state)?.heardAt, now - 60_000);
  });

  it("stays over any number of failed attempts, and since when it is gone stays too", () => {
    let state = gone(roster([session("a")]), 60_000);
    const { since } = state as Extract<RosterState, { kind: "gone" }>;
    for (let attempt = 0; attempt < 5; attempt++) {
      state = reduceRoster(state, { kind: "attempting", at: now });
      state = reduceRoster(state, { ...failed, cause: `attempt ${attempt}` });
    }
    assert.deepEqual(ids(state), ["a"]);
    assert.equal(state.kind === "gone" && state.since, since);
    assert.equal(state.kind === "gone" && state.cause, "attempt 4");
  });

  it("of an earlier window is shown while connecting, and after connecting failed", () => {
    const state = initialState(now, { roster: roster([session("a")]), heardAt: now - 3_600_000 });
    assert.deepEqual(ids(state), ["a"]);
    assert.deepEqual(ids(reduceRoster(state, failed)), ["a"]);
  });

  it("was never heard in a first run, which is not an empty one", () => {
    assert.equal(lastRoster(initialState(now, undefined)), undefined);
    assert.equal(lastRoster(reduceRoster(initialState(now, undefined), failed)), undefined);
  });

  it("counts as heard again when the agent answers", () => {
    const state = reduceRoster(live(roster([]), 60_000), { kind: "alive", at: now });
    assert.equal(lastRoster(state)?.heardAt, now);
  });

  it("takes changes while the agent is there, and none after", () => {
    const change = { observedAt: new Date(now).toISOString(), upsert: [session("b")], remove: [], sources: [] };
    const event: RosterEvent = { kind: "changed", at: now, change };
    assert.deepEqual(ids(reduceRoster(live(roster([session("a")])), event)), ["a", "b"]);
    assert.deepEqual(ids(reduceRoster(gone(roster([session("a")]), 9_000), event)), ["a"]);
  });
});

describe("a new agent's first roster", () => {
  const before = gone(roster([session("a")]), 60_000);

  it("removes a row when all sources answered without it", () => {
    assert.deepEqual(ids(reduceRoster(before, connected(roster([])))), []);
  });

  it("removes no row of a folder whose source has never answered", () => {
    const sources = [observed("process-table"), silent(`pid-records:${configDir}`), allSources[3] ?? observed("")];
    assert.deepEqual(ids(reduceRoster(before, connected(roster([], sources)))), ["a"]);
  });

  it("removes no row before its sources were asked at all", () => {
    assert.deepEqual(ids(reduceRoster(before, connected(roster([], [])))), ["a"]);
    assert.deepEqual(ids(reduceRoster(before, connected(roster([], [observed("proc")])))), ["a"]);
  });

  it("lets such a row go once its sources answered", () => {
    const warming = reduceRoster(before, connected(roster([], [])));
    const change = { observedAt: new Date(now).toISOString(), upsert: [], remove: [], sources: [...allSources] };
    assert.deepEqual(ids(reduceRoster(warming, { kind: "changed", at: now, change })), []);
  });

  it("shows a row once, when it is told of again", () => {
    const warming = reduceRoster(before, connected(roster([], [])));
    const change = { observedAt: new Date(now).toISOString(), upsert: [ended("a", 0)], remove: [], sources: [] };
    assert.deepEqual(ids(reduceRoster(warming, { kind: "changed", at: now, change })), ["a"]);
  });

  it("keeps rows that have not been answered when it is lost as well", () => {
    const warming = reduceRoster(before, connected(roster([session("b")], [])));
    assert.deepEqual(ids(reduceRoster(warming, failed)), ["b", "a"]);
  });

  it("drops rows of a folder that is watched no more, once the others answered", () => {
    const elsewhere = session("x", { configDir: "/elsewhere" });
    const state = reduceRoster(gone(roster([elsewhere]), 60_000), connected(roster([])));
    assert.deepEqual(ids(state), []);
  });
});
