import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { TurnEvent } from "../../../../agent/core/transcriptEvents.ts";
import { foldTurns, noTurns, type Turns } from "../../../../agent/core/turns.ts";
import { limits } from "../../../../base/limits.ts";

interface Shown {
  readonly phase: string;
  readonly open?: readonly string[];
  readonly background?: readonly string[];
}

const prompt = (at: number): TurnEvent => ({ kind: "prompt", at });
const sign = (at: number): TurnEvent => ({ kind: "sign", at });
const call = (id: string, at: number, tool = "Bash"): TurnEvent => ({ kind: "call", at, toolUseId: id, tool });
const result = (id: string, at: number): TurnEvent => ({ kind: "result", at, toolUseId: id });
const answered = (at: number): TurnEvent => ({ kind: "answered", at });
const ended = (at: number): TurnEvent => ({ kind: "turn-ended", at });
const interrupted = (at: number): TurnEvent => ({ kind: "interrupted", at });
const failed = (at: number): TurnEvent => ({ kind: "failed", at, why: "server", says: "500" });
const started = (id: string, at: number, task: "shell" | "subagent" = "shell"): TurnEvent => ({
  kind: "background-started",
  at,
  id,
  task,
});

function foldAll(events: readonly TurnEvent[]): Turns {
  return events.reduce(foldTurns, noTurns);
}

function phaseWords({ phase }: Turns): string {
  switch (phase.kind) {
    case "none":
      return "none";
    case "running":
      return `running since ${phase.since}`;
    case "ended":
      return `${phase.how} at ${phase.at}${phase.marked ? ", marked" : ""}`;
    case "failed":
      return `failed (${phase.why}) at ${phase.at}`;
  }
}

function check(events: readonly TurnEvent[], expected: Shown): void {
  const turns = foldAll(events);
  assert.equal(phaseWords(turns), expected.phase);
  assert.deepEqual([...turns.openCalls.keys()], expected.open ?? []);
  assert.deepEqual([...turns.background.keys()], expected.background ?? []);
}

describe("phases of a turn", () => {
  it("nothing read is no turn", () => check([], { phase: "none" }));
  it("a prompt begins a turn that runs until its end", () => {
    check([prompt(1)], { phase: "running since 1" });
    check([prompt(1), sign(2), sign(3)], { phase: "running since 1" });
    check([prompt(1), sign(2), ended(3)], { phase: "completed at 3, marked" });
  });
  it("a last message ends it where no mark follows, as in print mode", () => {
    check([prompt(1), sign(2), answered(2)], { phase: "completed at 2" });
    check([prompt(1), sign(2), answered(2), ended(3)], { phase: "completed at 3, marked" });
  });
  it("a last message ends nothing while a call is open", () => {
    check([prompt(1), call("a", 2), answered(3)], { phase: "running since 1", open: ["a"] });
  });
  it("an interrupt ends it and stays told apart", () => {
    check([prompt(1), call("a", 2), result("a", 3), interrupted(4)], { phase: "interrupted at 4, marked" });
    check([prompt(1), interrupted(2), ended(3)], { phase: "interrupted at 2, marked" });
  });
  it("B031: a failure stays a failure though a normal end follows", () => {
    check([prompt(1), failed(2), ended(3)], { phase: "failed (server) at 2" });
  });
  it("B032: a failure stays until a new turn", () => {
    check([prompt(1), failed(2), prompt(3)], { phase: "running since 3" });
  });
  it("a turn that goes on after its end, such as by a stop hook, runs again", () => {
    check([prompt(1), ended(2), sign(3)], { phase: "running since 3" });
  });
});

describe("open calls", () => {
  it("S08: parallel calls are open each for itself", () => {
    check([prompt(1), call("a", 2), call("b", 2), result("a", 3)], { phase: "running since 1", open: ["b"] });
    check([prompt(1), call("a", 2), call("b", 2), result("b", 3), result("a", 4)], { phase: "running since 1" });
  });
  it("S30: one of two answered leaves the other open though the file ends with a result", () => {
    check([prompt(1), call("a", 2), call("b", 3), result("b", 4)], { phase: "running since 1", open: ["a"] });
  });
  it("a result that stands before its call closes it", () => {
    check([prompt(1), result("a", 3), call("a", 2)], { phase: "running since 1" });
  });
  it("an orphan result is ignored: it begins no turn and closes no other call", () => {
    check([result("x", 1)], { phase: "none" });
    check([prompt(1), ended(2), result("x", 3)], { phase: "completed at 2, marked" });
    check([prompt(1), call("a", 2), result("x", 3)], { phase: "running since 1", open: ["a"] });
    assert.equal(foldAll([prompt(1), result("x", 9)]).lastSignAt, 1);
  });
  it("an answered call that stands in the file again stays answered", () => {
    check([prompt(1), call("a", 2), result("a", 3), call("a", 4)], { phase: "running since 1" });
  });
  it("a call told twice is one open turn", () => {
    check([prompt(1), call("a", 2), call("a", 3)], { phase: "running since 1", open: ["a"] });
  });
  it("a later turn settles what an earlier one left open", () => {
    check([prompt(1), call("a", 2), prompt(3)], { phase: "running since 3" });
    check([prompt(1), call("a", 2), ended(3)], { phase: "completed at 3, marked" });
    check([prompt(1), call("a", 2), interrupted(3)], { phase: "interrupted at 3, marked" });
    check([prompt(1), call("a", 2), failed(3)], { phase: "failed (server) at 3" });
  });
  it("calls beyond the limit are counted, not kept", () => {
    const calls = Array.from({ length: limits.openCallsPerTranscript + 2 }, (_, index) => call(`c${index}`, index));
    const turns = foldAll(calls);
    assert.equal(turns.openCalls.size, limits.openCallsPerTranscript);
    assert.equal(turns.callsNotTracked, 2);
  });
});

describe("background work", () => {
  it("outlives its turn, and the next", () => {
    check([prompt(1), started("s", 2), ended(3)], { phase: "completed at 3, marked", background: ["s"] });
    check([prompt(1), started("s", 2), ended(3), prompt(4)], { phase: "running since 4", background: ["s"] });
    check([prompt(1), started("s", 2), interrupted(3)], { phase: "interrupted at 3, marked", background: ["s"] });
  });
  it("ends with its own notification only", () => {
    const begun = [prompt(1), started("s", 2), started("t", 2, "subagent"), ended(3)];
    const phase = "completed at 3, marked";
    check([...begun, { kind: "background-ended", at: 4, id: "s" }], { phase, background: ["t"] });
    check([...begun, { kind: "background-ended", at: 4, id: "x" }], { phase, background: ["s", "t"] });
    check([...begun, { kind: "subagents-killed", at: 4 }], { phase, background: ["s"] });
  });
});

describe("order", () => {
  it("calls and results pair the same in either order, and any interleaving", () => {
    const ids = ["a", "b", "c", "d"];
    const event = fc.record({ id: fc.constantFrom(...ids), called: fc.boolean(), resulted: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(event, { selector: ({ id }) => id }), fc.infiniteStream(fc.nat()), (calls, keys) => {
        const events = calls.flatMap(({ id, called, resulted }) => [
          ...(called ? [call(id, 5)] : []),
          ...(resulted ? [result(id, 6)] : []),
        ]);
        const shuffled = events
          .map((item) => ({ item, key: keys.next().value as number }))
          .sort((x, y) => x.key - y.key)
          .map(({ item }) => item);
        const turns = foldAll([prompt(1), ...shuffled]);
        const open = calls.filter(({ called, resulted }) => called && !resulted).map(({ id }) => id);
        assert.deepEqual([...turns.openCalls.keys()].sort(), open.sort());
        assert.equal(phaseWords(turns), "running since 1");
      }),
    );
  });
});
