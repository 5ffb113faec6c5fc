import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hookActs } from "../../../../agent/core/hookActs.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { registryEntrySchema } from "../../../../protocol/files/registryEntrySchema.ts";
import type { HookEvent } from "../../../../protocol/files/hookEvent.ts";
import { observed } from "../../../../protocol/observation.ts";
import { facts, look, observe, record, recordRead, rowsAt, second } from "./builders.ts";
import { end, prompt, spooled, start } from "./hookEvents.ts";

function registry(sandboxes: Readonly<Record<string, readonly object[]>>): MonitorEvent {
  const entries = Object.entries(sandboxes).map(
    ([name, list]) => [name, list.map((entry) => registryEntrySchema.parse(entry))] as const,
  );
  return {
    kind: "registry",
    registry: observed("registry", second(0), {
      path: "/r",
      sandboxes: new Map(entries),
      skipped: new Map(),
      dropped: [],
    }),
  };
}

interface Given {
  readonly events: readonly HookEvent[];
  readonly spool?: string;
  readonly recorded?: Readonly<Record<string, readonly object[]>>;
  readonly others?: readonly MonitorEvent[];
  readonly now?: number;
}

function acts({
  events,
  spool = "box",
  recorded = { box: [{ session_id: "s1" }] },
  others = [],
  now = 10,
}: Given): readonly string[] {
  const monitor = observe([registry(recorded), ...others, spooled(events, spool)]);
  return hookActs(monitor, rowsAt(monitor, second(now), true), second(now)).map(
    ({ kind, session, sandbox }) => `${kind} ${session} in ${sandbox}`,
  );
}

describe("what the registry follows of hooks", () => {
  it("R07 forgets only what its user ended, and marks every other end departed", () => {
    for (const reason of ["prompt_input_exit", "logout"])
      assert.deepEqual(acts({ events: [start(0), end(5, reason)] }), ["forget s1 in box"], reason);
    for (const reason of ["other", "bypass_permissions_disabled", "something new"])
      assert.deepEqual(acts({ events: [start(0), end(5, reason)] }), ["depart s1 in box"], reason);
  });

  it("L27 does nothing at `/clear`, which is no end", () => {
    assert.deepEqual(acts({ events: [start(0), end(5, "clear")] }), []);
  });

  it("L28 lifts a departure with a later start, and with no earlier one", () => {
    const departed = { box: [{ session_id: "s1", departed_at_ms: second(3) }] };
    assert.deepEqual(acts({ events: [start(5, "resume")], recorded: departed }), ["lift s1 in box"]);
    assert.deepEqual(acts({ events: [start(1)], recorded: departed }), []);
    assert.deepEqual(acts({ events: [start(0), end(2, "other"), start(5, "resume")], recorded: departed }), [
      "lift s1 in box",
    ]);
  });

  it("L29 leaves a first departure as it is", () => {
    const departed = { box: [{ session_id: "s1", departed_at_ms: second(3) }] };
    assert.deepEqual(acts({ events: [start(0), end(3, "other"), end(6, "other")], recorded: departed }), []);
  });

  it("R04 writes nothing of a session that is not recorded, or where the sandbox cannot be told", () => {
    assert.deepEqual(acts({ events: [start(0), end(5)], recorded: {} }), []);
    const two = { box: [{ session_id: "s1" }], other: [{ session_id: "s1" }] };
    assert.deepEqual(acts({ events: [start(0), end(5)], recorded: two, spool: "host" }), []);
    assert.deepEqual(acts({ events: [start(0), end(5)], recorded: two, spool: "box" }), ["forget s1 in box"]);
    assert.deepEqual(acts({ events: [start(0), end(5)], spool: "host" }), ["forget s1 in box"]);
  });

  it("writes nothing on the word of another sandbox' spool", () => {
    assert.deepEqual(acts({ events: [start(0), end(5)], spool: "evil" }), []);
  });

  it("waits where a process is seen, and writes nothing where that lives on", () => {
    const lives = (at: number): readonly MonitorEvent[] => [recordRead(second(1), record()), look(second(at), facts())];
    const told = [start(0), end(5)];
    assert.deepEqual(acts({ events: told, spool: "host", others: lives(7), now: 8 }), []);
    assert.deepEqual(acts({ events: told, spool: "host", others: lives(40), now: 40 }), []);
    const gone = [...lives(4), look(second(7), "gone")];
    assert.deepEqual(acts({ events: told, spool: "host", others: gone, now: 8 }), ["forget s1 in box"]);
  });

  it("writes nothing of an end before what was recorded since, or where the session went on", () => {
    const later = { box: [{ session_id: "s1", started_at_ms: second(9) }] };
    assert.deepEqual(acts({ events: [start(0), end(5)], recorded: later }), []);
    assert.deepEqual(acts({ events: [start(0), end(5), prompt(60)], now: 61 }), []);
  });
});
