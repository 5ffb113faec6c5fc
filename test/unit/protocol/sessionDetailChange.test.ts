import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { sessionDetailSchema, type SessionDetail } from "../../../protocol/sessionDetail.ts";
import {
  applyDetailChange,
  diffDetails,
  sessionDetailChangeSchema,
  type SessionDetailChange,
} from "../../../protocol/sessionDetailChange.ts";
import { at, session } from "../extension/core/rosters.ts";
import { anyDetail, detail, readTimeline, turn } from "./details.ts";

/** Over the wire, as both sides validate it. */
function sent(change: SessionDetailChange): SessionDetailChange {
  return sessionDetailChangeSchema.parse(JSON.parse(JSON.stringify(change)));
}

function applied(before: SessionDetail, after: SessionDetail): SessionDetail {
  const change = diffDetails(before, after);
  return change === undefined ? before : applyDetailChange(before, sent(change));
}

describe("a difference between two details", () => {
  it("makes the one into the other, whatever they are", () => {
    fc.assert(
      fc.property(anyDetail, anyDetail, (before, after) => {
        sessionDetailSchema.parse(after);
        assert.deepEqual(applied(before, after), after);
      }),
    );
  });

  it("is none where both say the same, though asked at another time", () => {
    const before = detail(readTimeline([turn("a")]));
    assert.equal(diffDetails(before, { ...before, observedAt: at(-5_000) }), undefined);
  });

  it("sends only the turns that changed", () => {
    const before = detail(readTimeline([turn("a", { end: "completed" }), turn("b")]));
    const after = detail(readTimeline([turn("a", { end: "completed" }), turn("b", { end: "completed" }), turn("c")]));
    const change = diffDetails(before, after);
    assert.ok(change?.timeline?.kind === "step");
    assert.deepEqual(
      change.timeline.upsert.map(({ id }) => id),
      ["b", "c"],
    );
    assert.equal(change.session, undefined);
  });

  it("says that a row is back in the roster", () => {
    const left = detail(readTimeline([]), { leftAt: at(1_000) });
    assert.equal(applied(left, detail(readTimeline([]))).leftAt, undefined);
  });

  it("of another session changes nothing", () => {
    const mine = detail(readTimeline([]));
    const other: SessionDetailChange = { key: "other", observedAt: at(0), session: session("other") };
    assert.equal(applyDetailChange(mine, other), mine);
  });
});
