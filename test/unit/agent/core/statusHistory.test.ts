import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldStatusHistory, type StatusHistories } from "../../../../agent/core/statusHistory.ts";
import { limits } from "../../../../base/limits.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { session } from "../../extension/core/rosters.ts";

const none: StatusHistories = new Map();
const asked: Partial<Session> = {
  status: { kind: "needs-you", why: "permission", rule: "record-waits-for-permission" },
  evidence: [
    { source: "proc", says: "it lives", at: "2026-03-01T12:00:00.000Z", asOf: "2026-03-01T12:00:00.000Z" },
    {
      source: "rule",
      says: "record-waits-for-permission: the record waits for a permission",
      at: "2026-03-01T12:00:00.000Z",
      asOf: "2026-03-01T12:00:00.000Z",
    },
  ],
};
const rules = (histories: StatusHistories, key: string): string[] =>
  (histories.get(key)?.changes ?? []).map(({ rule }) => rule);

describe("the history of a session's status", () => {
  const works = session("a");
  const asks = session("a", asked);

  it("holds each change with its rule, oldest first", () => {
    const histories = foldStatusHistory(foldStatusHistory(none, [works], 1_000), [asks], 2_000);
    assert.deepEqual(rules(histories, works.key), ["call-open", "record-waits-for-permission"]);
    const last = histories.get(works.key)?.changes.at(-1);
    assert.equal(last?.says, "the record waits for a permission");
    assert.equal(last.at, "1970-01-01T00:00:02.000Z");
    assert.equal(last.why, "permission");
  });

  it("takes a row that only got older, or whose title changed, for no change", () => {
    const histories = foldStatusHistory(none, [works], 1_000);
    const older = session("a", { title: "Another", liveness: { ...works.liveness, stale: true } });
    assert.equal(foldStatusHistory(histories, [older], 2_000), histories);
  });

  it("takes another liveness for a change, whatever the status", () => {
    const killed = session("a", { liveness: { ...works.liveness, kind: "ended", how: "killed" } });
    const histories = foldStatusHistory(foldStatusHistory(none, [works], 1_000), [killed], 2_000);
    assert.deepEqual(histories.get(works.key)?.changes.at(-1)?.liveness, { kind: "ended", how: "killed" });
  });

  it("keeps the newest changes of a session, and counts the others", () => {
    let histories = none;
    for (let change = 0; change < limits.statusChangesPerSession + 4; change += 1)
      histories = foldStatusHistory(histories, [change % 2 === 0 ? works : asks], change);
    const history = histories.get(works.key);
    assert.equal(history?.changes.length, limits.statusChangesPerSession);
    assert.equal(history.dropped, 4);
    assert.equal(history.changes.at(-1)?.rule, "record-waits-for-permission");
  });

  it("forgets the sessions that changed longest ago when there are too many", () => {
    const sessions = Array.from({ length: limits.statusHistories }, (_, index) => session(`s${index}`));
    const full = foldStatusHistory(none, sessions, 1_000);
    const moved = foldStatusHistory(full, [session("s0", asked), session("late")], 2_000);
    assert.equal(moved.size, limits.statusHistories);
    assert.deepEqual(rules(moved, session("s0").key), ["call-open", "record-waits-for-permission"]);
    assert.equal(moved.has(session("s1").key), false);
    assert.ok(moved.has(session("late").key));
  });

  it("keeps what it holds of a row that left the roster", () => {
    const histories = foldStatusHistory(none, [works], 1_000);
    assert.deepEqual(rules(foldStatusHistory(histories, [session("b")], 2_000), works.key), ["call-open"]);
  });
});
