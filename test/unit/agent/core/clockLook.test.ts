// When rows are derived though nothing was heard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clockTickMs, comparedAgain, isDueByClock, neverCompared } from "../../../../agent/core/clockLook.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import type { Roster } from "../../../../protocol/roster.ts";
import { observe, proc, second } from "./builders.ts";

const monitor = observe([proc(second(0), "answers")]);
const told = projectRoster(monitor, { now: second(1), all: false, onlyWatchedFolders: false });
const withRows = (count: number): Roster => ({ ...told, sessions: Array.from({ length: count }, () => ({}) as never) });
const changed = comparedAgain(neverCompared, second(1), { upsert: [] });
const quietOnce = comparedAgain(changed, second(1), undefined);
const resting = comparedAgain(quietOnce, second(1), undefined);

describe("the clock's look at the rows", () => {
  it("comes every 2 s for few rows and every 15 s for hundreds", () => {
    assert.deepEqual(
      [0, 40, 100, 500].map((count) => clockTickMs(withRows(count))),
      [2_000, 2_000, 5_000, 15_000],
    );
  });

  it("is due at each tick as long as time changes something", () => {
    for (const compared of [neverCompared, changed, quietOnce])
      assert.ok(isDueByClock(compared, withRows(500), monitor, second(1)));
  });

  it("rests up to a minute once time changed nothing, with few rows not at all", () => {
    assert.equal(isDueByClock(resting, withRows(500), monitor, second(8)), false);
    const later = observe([proc(second(0), "answers"), proc(second(60), "answers")]);
    assert.equal(isDueByClock(resting, withRows(500), later, second(60)), false);
    assert.equal(isDueByClock(resting, withRows(500), later, second(61)), true);
    assert.equal(isDueByClock(resting, withRows(16), monitor, second(3)), true);
  });

  it("does not wait where a source fell silent", () => {
    assert.equal(isDueByClock(resting, withRows(500), monitor, second(9)), false);
    assert.equal(isDueByClock(resting, withRows(500), monitor, second(10)), true);
  });

  it("is due again at each tick after something was told", () => {
    assert.ok(isDueByClock(comparedAgain(resting, second(2), { upsert: [] }), withRows(500), monitor, second(3)));
  });
});
