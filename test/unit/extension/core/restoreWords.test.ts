// What is asked before a restore and said after it, and which rows offer one.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isInWave, isRestorable } from "../../../../protocol/restorable.ts";
import {
  restoreQuestion,
  restoreSummary,
  type RestoredSession,
  type RestoreResult,
} from "../../../../extension/core/restoreWords.ts";
import type { RestoreItem } from "../../../../protocol/restore.ts";
import { at, session } from "./rosters.ts";

const note = "the sandbox box cannot be entered from here";

function resume(title: string, notes: readonly string[] = []): RestoreItem {
  const outcome = {
    kind: "resume",
    argv: ["claude"],
    cwd: "/app",
    env: {},
    inSandbox: null,
    notes: [...notes],
  } as const;
  return {
    key: title,
    id: title,
    sandbox: "box",
    title,
    outcome: { ...outcome, argv: [...outcome.argv], notes: [...notes] },
  };
}

function refused(title: string, settled = false): RestoreItem {
  const outcome = {
    kind: "refused",
    why: settled ? "live" : "folder-gone",
    says: "says",
    next: "next",
    settled,
  } as const;
  return { key: title, id: title, sandbox: "box", title, outcome };
}

function became(title: string, result: RestoreResult): RestoredSession {
  return { item: resume(title), result };
}

describe("before a restore", () => {
  it("one session as it was needs no question, one that leaves its sandbox does", () => {
    assert.equal(restoreQuestion([resume("a")]), undefined);
    assert.equal(restoreQuestion([refused("a")]), undefined);
    const asked = restoreQuestion([resume("a", [note])]);
    assert.equal(asked?.question, 'Restore "a"?');
    assert.match(asked.detail, /^The sandbox box cannot be entered from here\.$/m);
  });

  it("a wave says how many, which, what else is to know once, and that others cannot be", () => {
    const items = [...Array.from({ length: 12 }, (_, index) => resume(`t${index}`, [note])), refused("x")];
    const asked = restoreQuestion(items);
    assert.equal(asked?.question, "Restore 12 sessions?");
    assert.match(asked.detail, /• t9\n• and 2 more/);
    assert.equal(asked.detail.split("cannot be entered").length, 2);
    assert.match(asked.detail, /1 other cannot be restored now/);
  });
});

describe("after a restore", () => {
  it("says what became of one", () => {
    const says = (result: RestoreResult): string => restoreSummary([became("a", result)]).message;
    assert.equal(says({ kind: "live" }), '"a" in box: restored, and lives.');
    assert.match(says({ kind: "unseen", waitedMs: 90_000 }), /its terminal is open; it was not seen live within 90 s/);
    assert.match(says({ kind: "ended", exitCode: 1 }), /ended with exit code 1 before it was seen live/);
  });

  it("counts what became of many, and warns where something is left to do", () => {
    const fine = restoreSummary([
      became("a", { kind: "live" }),
      { item: refused("b", true), result: outcomeOf("b", true) },
    ]);
    assert.deepEqual([fine.severity, fine.message], ["info", "Sessions: 1 restored, 1 with nothing to restore."]);
    const summary = restoreSummary([
      became("a", { kind: "live" }),
      became("b", { kind: "cancelled" }),
      became("c", { kind: "failed", cause: "no terminal" }),
      { item: refused("d"), result: outcomeOf("d") },
    ]);
    assert.deepEqual(
      [summary.severity, summary.message],
      ["warning", "Sessions: 1 restored, 1 not begun, 1 refused, 1 failed."],
    );
    assert.equal(summary.lines.length, 4);
    assert.equal(summary.lines[3], '"d" in box: says; next');
  });

  it("says that there was nothing", () => {
    assert.equal(restoreSummary([]).message, "Nothing is recorded that could be restored.");
  });

  function outcomeOf(title: string, settled = false): RestoreResult {
    const { outcome } = refused(title, settled);
    if (outcome.kind !== "refused") throw new Error("it is refused");
    return outcome;
  }
});

describe("rows that offer a restore", () => {
  const recorded = {
    registry: { recorded: true },
    liveness: { kind: "unknown", source: "registry", asOf: at(0), stale: false },
  } as const;

  it("are those that are recorded or have a transcript, and neither run nor left", () => {
    assert.ok(isRestorable(session("a", recorded)));
    assert.ok(isRestorable(session("a", { ...recorded, registry: { recorded: false }, transcript: "/t.jsonl" })));
    assert.ok(!isRestorable(session("a", { ...recorded, registry: { recorded: false } })));
    assert.ok(!isRestorable(session("a", { registry: { recorded: true } })));
    assert.ok(!isRestorable(session("a", { ...recorded, registry: { recorded: true, departedAt: at(0) } })));
    assert.ok(!isRestorable(session("proc:1:2:3", recorded)));
  });

  it("and in a wave only what is recorded", () => {
    assert.ok(isInWave(session("a", recorded)));
    assert.ok(!isInWave(session("a", { ...recorded, registry: { recorded: false }, transcript: "/t.jsonl" })));
  });
});
