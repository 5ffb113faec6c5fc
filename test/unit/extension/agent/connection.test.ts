import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Scheduler } from "../../../../base/clock.ts";
import { AgentConnection, heartbeatMs, type Agent } from "../../../../extension/agent/connection.ts";
import { lastRoster } from "../../../../extension/core/rosterState.ts";
import type { Roster, RosterChange } from "../../../../protocol/roster.ts";
import { configDir, now, roster, session } from "../core/rosters.ts";

/** A clock that moves when told to, and runs what is due. */
class Clock implements Scheduler {
  private time = now;
  private due: { at: number; run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(delayMs: number, run: () => void): { cancel(): void } {
    const timer = { at: this.time + delayMs, run };
    this.due.push(timer);
    return { cancel: () => (this.due = this.due.filter((other) => other !== timer)) };
  }

  async pass(ms: number): Promise<void> {
    this.time += ms;
    const ready = this.due.filter(({ at }) => at <= this.time);
    this.due = this.due.filter(({ at }) => at > this.time);
    for (const { run } of ready) run();
    await settled();
  }
}

/** Stands in for a connected agent; each answers as told. */
class StandIn implements Agent {
  readonly onSessionChange: Agent["onSessionChange"] = () => ({ dispose: () => undefined });

  healthy = true;
  disposed = false;
  told: Roster;
  private readonly closeListeners: (() => void)[] = [];

  constructor(told: Roster) {
    this.told = told;
  }

  request: Agent["request"] = (method) => {
    if (method === "agent/health" && !this.healthy) return Promise.reject(new Error("no answer within 5000 ms"));
    return Promise.resolve(this.told) as never;
  };

  onClose(listener: () => void): void {
    this.closeListeners.push(listener);
  }

  close(): void {
    for (const listener of this.closeListeners) listener();
  }

  dispose(): void {
    this.disposed = true;
  }
}

function makeHarness() {
  const clock = new Clock();
  const agents: StandIn[] = [];
  const harness = {
    clock,
    agents,
    refuses: undefined as string | undefined,
    told: roster([session("a")]),
    push: (_change: RosterChange): void => undefined,
    cause: (): string | undefined => (connection.state.kind === "gone" ? connection.state.cause : undefined),
    newest: (): StandIn => agents.at(-1) ?? assert.fail("no agent was connected"),
    ids: (): readonly string[] => (lastRoster(connection.state)?.roster.sessions ?? []).map(({ id }) => id),
  };
  const connection = new AgentConnection({
    connect: (_configDirs, onChange) => {
      if (harness.refuses !== undefined) return Promise.reject(new Error(harness.refuses));
      const agent = new StandIn(harness.told);
      agents.push(agent);
      harness.push = onChange;
      return Promise.resolve(agent);
    },
    configDirs: () => [configDir],
    last: undefined,
    scheduler: clock,
    random: () => 0,
    log: { info: () => undefined, warn: () => undefined },
  });
  return { harness, connection, clock };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the connection to the agent", () => {
  it("hears the roster and its changes", async () => {
    const { connection, harness } = makeHarness();
    await connection.reconnect();
    assert.equal(connection.state.kind, "live");
    harness.push({ observedAt: new Date(now).toISOString(), upsert: [session("b")], remove: [], sources: [] });
    assert.deepEqual(harness.ids(), ["a", "b"]);
  });

  it("keeps the roster when the agent closes, and is back within a second by itself", async () => {
    const { connection, harness, clock } = makeHarness();
    await connection.reconnect();
    harness.newest().close();
    assert.equal(connection.state.kind, "gone");
    assert.deepEqual(harness.ids(), ["a"]);
    await clock.pass(1_000);
    assert.equal(connection.state.kind, "live");
    assert.equal(harness.agents.length, 2);
  });

  it("takes an agent that answers no more for gone", async () => {
    const { connection, harness, clock } = makeHarness();
    await connection.reconnect();
    await clock.pass(heartbeatMs);
    assert.equal(connection.state.kind, "live");
    harness.newest().healthy = false;
    await clock.pass(heartbeatMs);
    assert.equal(harness.cause(), "no answer within 5000 ms");
    assert.equal(harness.newest().disposed, true);
  });

  it("waits longer after each failure, up to a ceiling, and says when it tries again", async () => {
    const { connection, harness, clock } = makeHarness();
    harness.refuses = "cannot be started";
    await connection.reconnect();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 10; attempt++) {
      const { state } = connection;
      assert.ok(state.kind === "gone" && state.nextAttemptAt !== undefined);
      const waitMs = state.nextAttemptAt - clock.now();
      waits.push(waitMs);
      await clock.pass(waitMs);
    }
    assert.deepEqual(waits.slice(0, 3), [225, 450, 900]);
    assert.equal(waits.at(-1), 22_500);
  });

  it("tries at once when a refresh is asked for, and says why it failed", async () => {
    const { connection, harness } = makeHarness();
    harness.refuses = "cannot be started";
    await connection.reconnect();
    await assert.rejects(connection.refresh(), /cannot be started/);
    harness.refuses = undefined;
    await connection.refresh();
    assert.equal(connection.state.kind, "live");
  });

  it("does not believe an agent that it has given up", async () => {
    const { connection, harness } = makeHarness();
    await connection.reconnect();
    const [first] = harness.agents;
    const pushOfFirst = harness.push;
    await connection.reconnect();
    first?.close();
    pushOfFirst({ observedAt: new Date(now).toISOString(), upsert: [], remove: [session("a").key], sources: [] });
    assert.equal(connection.state.kind, "live");
    assert.deepEqual(harness.ids(), ["a"]);
  });

  it("does nothing more once it was disposed", async () => {
    const { connection, harness, clock } = makeHarness();
    await connection.reconnect();
    connection.dispose();
    await clock.pass(60_000);
    assert.equal(harness.agents.length, 1);
    assert.equal(harness.newest().disposed, true);
  });
});
