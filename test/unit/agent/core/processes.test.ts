import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { firstSeen, foldLife, type LifeSign, type ProcessFacts } from "../../../../agent/core/processes.ts";

const facts: ProcessFacts = {
  pid: 20,
  startToken: "500",
  startedAt: 1_000,
  ppid: 1,
  namespace: undefined,
  namespacePid: 20,
  role: { kind: "session", conversationId: undefined },
  cwd: undefined,
  configDir: undefined,
};
const alive = (at: number): LifeSign => ({ kind: "alive", at, source: "proc" });
const gone = (at: number): LifeSign => ({ kind: "gone", at, source: "proc", because: "no such process" });
const notInTable = (at: number, kernelAnswers = false): LifeSign => ({ kind: "not-in-table", at, kernelAnswers });
const unobserved = (at: number, cause = "EIO"): LifeSign => ({ kind: "unobserved", at, cause });

/** First seen at 10; then these signs. */
function check(signs: readonly LifeSign[], expected: string): void {
  const { life, unobserved: silence } = signs.reduce(foldLife, firstSeen(facts, 10_000, "proc"));
  const at = life.kind === "gone" ? life.at : life.asOf;
  const silent = silence === undefined ? "" : `, silent since ${silence.since / 1000}: ${silence.cause}`;
  assert.equal(`${life.kind} ${at / 1000}${silent}`, expected);
}

describe("the life of a process", () => {
  it("is confirmed by each look", () => check([alive(12_000)], "alive 12"));
  it("ends by the kernel's word", () => check([gone(12_000)], "gone 12"));
  it("the first end stands", () => check([gone(12_000), gone(13_000)], "gone 12"));
  it("a look that did not tell only marks it", () => {
    check([unobserved(12_000)], "alive 10, silent since 12: EIO");
    check([unobserved(12_000), unobserved(13_000, "EMFILE")], "alive 10, silent since 12: EMFILE");
    check([unobserved(12_000), alive(13_000)], "alive 13");
  });
  it("a look that did not tell brings no ended process back and ends none", () => {
    check([gone(12_000), unobserved(13_000)], "gone 12");
  });
  it("a stale process answer loses to a newer end", () => {
    check([gone(12_000), alive(11_000)], "gone 12");
    check([gone(12_000), alive(12_000)], "gone 12");
  });
  it("a late end, older than the life that was seen, loses", () => check([alive(12_000), gone(11_000)], "alive 12"));
  it("a late failure, older than the life that was seen, marks nothing", () => {
    check([alive(12_000), unobserved(11_000)], "alive 12");
  });
  it("a late look from before the silence does not end it", () => {
    check([unobserved(12_000), alive(11_000)], "alive 11, silent since 12: EIO");
  });
});

describe("a process table without it", () => {
  it("says nothing while the kernel can be asked", () => {
    check([notInTable(12_000, true), notInTable(20_000, true)], "alive 10");
  });
  it("makes it missing, and gone when a second one says the same three seconds later", () => {
    check([notInTable(12_000)], "missing 12");
    check([notInTable(12_000), notInTable(14_999)], "missing 14.999");
    check([notInTable(12_000), notInTable(15_000)], "gone 15");
    check([notInTable(12_000), notInTable(14_000), notInTable(15_000)], "gone 15");
  });
  it("is forgotten when it is seen in between", () => {
    check([notInTable(12_000), alive(13_000), notInTable(16_000)], "missing 16");
  });
  it("that is older than what is known says nothing", () => check([notInTable(9_000)], "alive 10"));
  it("a failed table between two does not confirm the first", () => {
    check([notInTable(12_000), unobserved(15_000)], "missing 12, silent since 15: EIO");
  });
});
