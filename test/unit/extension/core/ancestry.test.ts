import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ancestryOf, parentFromStat, parentsFromPs } from "../../../../extension/core/ancestry.ts";
import { hostPidOf, nearestTerminal } from "../../../../extension/core/terminalMatch.ts";
import { at, ended, session } from "./rosters.ts";

describe("a process' ancestors", () => {
  it("are read from /proc, also where the name holds blanks and parentheses", () => {
    assert.equal(parentFromStat("42 (a) b) R) S 7 42 42 0 -1"), 7);
    assert.equal(parentFromStat("42 (node"), undefined);
  });

  it("are read from ps", () => {
    assert.deepEqual(
      [...parentsFromPs("    1     0\n   42     7\nnonsense\n")],
      [
        [1, 0],
        [42, 7],
      ],
    );
  });

  it("end at the first process, at one that cannot be told, and in a ring", async () => {
    const parents = new Map([
      [42, 7],
      [7, 1],
      [8, 9],
      [9, 8],
    ]);
    assert.deepEqual(await ancestryOf(42, (pid) => parents.get(pid)), [42, 7]);
    assert.deepEqual(await ancestryOf(8, (pid) => parents.get(pid)), [8, 9]);
    assert.deepEqual(await ancestryOf(5, () => undefined), [5]);
  });
});

describe("a session's terminal", () => {
  it("is looked for only by a process that this host was seen to run", () => {
    assert.equal(hostPidOf(session("a")), 4242);
    assert.equal(hostPidOf(ended("a", 0)), undefined);
    const byRecord = { kind: "live", source: "pid-records", asOf: at(0), stale: false } as const;
    assert.equal(hostPidOf(session("a", { liveness: byRecord })), undefined);
  });

  it("is that of the nearest ancestor", () => {
    assert.equal(nearestTerminal([42, 7, 3], [3, undefined, 7]), 2);
    assert.equal(nearestTerminal([42], [42]), 0);
  });

  it("is none of this window's when no shell is an ancestor", () => {
    assert.equal(nearestTerminal([42, 7], [undefined, 8]), undefined);
  });
});
