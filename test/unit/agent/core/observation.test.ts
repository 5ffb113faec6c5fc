import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { neverKnown, retain } from "../../../../agent/core/observation.ts";
import { absent, observed, unobserved, type Known, type Observation } from "../../../../protocol/observation.ts";

const none: Known<string> = { kind: "none", asOf: 10 };
const current: Known<string> = { kind: "current", value: "old", asOf: 10 };
const stale: Known<string> = { kind: "stale", value: "old", asOf: 10, since: 20, cause: "EIO" };
const seen = (at: number): Observation<string> => observed("proc", at, "new");
const gone = (at: number): Observation<string> => absent("proc", at);
const failed = (at: number, cause = "timed out"): Observation<string> => unobserved("proc", at, cause);

function check(
  previous: Known<string>,
  next: Observation<string>,
  expected: Known<string>,
  options?: { readonly goneIsAnAnswer: boolean },
): void {
  assert.deepEqual(retain(previous, next, options), expected);
}

describe("retain", () => {
  it("an answer makes anything current", () => {
    for (const previous of [neverKnown, none, current]) {
      check(previous, seen(30), { kind: "current", value: "new", asOf: 30 });
    }
    check(stale, seen(30), { kind: "current", value: "new", asOf: 30 });
  });
  it("a source failure degrades to the previous answer with its age, and never empties", () => {
    check(current, failed(30), { kind: "stale", value: "old", asOf: 10, since: 30, cause: "timed out" });
  });
  it("further failures keep since when it is stale and tell the newest cause", () => {
    check(stale, failed(30), { kind: "stale", value: "old", asOf: 10, since: 20, cause: "timed out" });
  });
  it("a failure of something never seen leaves it never seen, not empty", () => {
    check(neverKnown, failed(30), neverKnown);
  });
  it("a failure after an answer of none keeps that answer", () => {
    check(none, failed(30), none);
  });
  it("absent at first sight is an answer: there is nothing", () => {
    check(neverKnown, gone(30), { kind: "none", asOf: 30 });
    check(none, gone(30), { kind: "none", asOf: 30 });
  });
  it("gone after having been seen is not absent, it is stale", () => {
    const cause = "gone after having been seen";
    check(current, gone(30), { kind: "stale", value: "old", asOf: 10, since: 30, cause });
    check(stale, gone(30), { kind: "stale", value: "old", asOf: 10, since: 20, cause });
  });
  it("gone after having been seen is an answer where the owner says so", () => {
    check(current, gone(30), { kind: "none", asOf: 30 }, { goneIsAnAnswer: true });
    check(stale, gone(30), { kind: "none", asOf: 30 }, { goneIsAnAnswer: true });
    check(current, gone(30), { ...stale, since: 30, cause: "gone after having been seen" }, { goneIsAnAnswer: false });
  });
  it("a late answer, older than what is known, changes nothing", () => {
    for (const previous of [none, current, stale]) {
      for (const late of [seen(9), gone(9), failed(9)]) check(previous, late, previous);
    }
  });
  it("an answer from before the source fell silent does not end the silence", () => {
    check(stale, seen(15), { ...stale, value: "new", asOf: 15 });
    check(stale, failed(15, "an older cause"), stale);
  });
});
