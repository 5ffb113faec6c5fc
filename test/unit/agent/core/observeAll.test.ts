import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMonitor, type Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { limits } from "../../../../base/limits.ts";
import {
  facts,
  failure,
  kernelHost,
  look,
  observe,
  proc,
  record,
  recordListing,
  recordRead,
  second,
  shown,
  table,
} from "./builders.ts";

function check(events: readonly MonitorEvent[], expected: Readonly<Record<string, string>>, now = second(10)): void {
  assert.deepEqual(shown(observe(events), now), expected);
}

describe("late answers", () => {
  it("a late look of a process never seen before does not outlive the pid's newer end", () => {
    check([recordRead(second(1), record()), look(second(5), "gone"), look(second(4), facts())], {
      s1: "ended: killed, ended",
    });
    check([look(second(5), facts({ startToken: "900" })), look(second(4), facts())], {
      "proc:4026531836:20:900": "live, unknown",
      "proc:4026531836:20:500": "ended, ended",
    });
  });
  it("a late look does not bring back the program that a process ran before", () => {
    const shell = facts({ role: { kind: "other" } });
    check([recordRead(second(1), record()), look(second(5), facts()), look(second(4), shell)], { s1: "live, idle" });
  });
  it("a table that is older than the last answered one says nothing", () => {
    const host = { ...kernelHost, kernelAnswers: false };
    const monitor = observe([table(second(5), []), table(second(4), [facts()])], host);
    assert.equal(monitor.processes.size, 0);
  });
});

describe("sources", () => {
  const checkSource = (events: readonly MonitorEvent[], expected: object): void => {
    const [source] = observeAll(newMonitor(kernelHost), events).sources.values();
    assert.partialDeepStrictEqual(source, expected);
  };
  it("tell their last attempt, their last answer, and since when they are silent", () => {
    checkSource([proc(second(1), "answers")], {
      last: "observed",
      at: second(1),
      answeredAt: second(1),
      failingSince: undefined,
    });
    checkSource([proc(second(1), "answers"), proc(second(2), failure), proc(second(3), failure)], {
      last: "unobserved",
      at: second(3),
      answeredAt: second(1),
      failingSince: second(2),
      cause: "EIO",
    });
    checkSource([proc(second(2), failure), proc(second(3), "answers")], {
      last: "observed",
      failingSince: undefined,
      cause: undefined,
    });
  });
  it("absent is an answer", () => {
    checkSource([recordListing(second(1), "absent")], { last: "absent", answeredAt: second(1) });
  });
  it("a late attempt changes nothing", () => {
    checkSource([proc(second(2), "answers"), proc(second(1), failure)], { last: "observed", at: second(2) });
  });
});

describe("memory", () => {
  it("is bounded: the processes that are gone longest go first, living ones never", () => {
    const count = limits.processesRemembered + 10;
    const born = Array.from({ length: count }, (_, index) => look(second(1), facts({ pid: index + 100 })));
    const gone = Array.from({ length: 20 }, (_, index) => look(second(2 + index), "gone", index + 100));
    const monitor: Monitor = observeAll(observeAll(newMonitor(kernelHost), born), gone);
    assert.equal(monitor.processes.size, limits.processesRemembered);
    assert.equal(monitor.processes.has("109:500" as never), false);
    assert.equal(monitor.processes.has("110:500" as never), true);
    const living = observe(Array.from({ length: count }, (_, index) => look(second(1), facts({ pid: index + 100 }))));
    assert.equal(living.processes.size, count);
  });
});
