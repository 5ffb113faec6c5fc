// Sessions that are watched: nobody watching costs nothing, a burst is told as one, and what was known stays.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { SessionDetails } from "../../../agent/sessionDetails.ts";
import { noHistory } from "../../../agent/core/statusHistory.ts";
import { ClientWatches } from "../../../agent/serve/clientWatches.ts";
import { Emitter } from "../../../base/emitter.ts";
import { limits } from "../../../base/limits.ts";
import { nodeScheduler } from "../../../base/node/nodeScheduler.ts";
import type { Roster, RosterChange, Session } from "../../../protocol/roster.ts";
import type { SessionDetailChange } from "../../../protocol/sessionDetailChange.ts";
import { until } from "../../support/claude/until.ts";
import { scratchFolder } from "../../support/rollcall/scratch.ts";
import { roster, session } from "../extension/core/rosters.ts";

const soon = { deadlineMs: 10_000 };
const fail = (error: unknown): void => assert.fail(String(error));
const log = { info: fail, warn: fail, debug: fail };

class World {
  readonly transcript: string;
  readonly changes = new Emitter<RosterChange>(fail);
  readonly transcriptReads = new Emitter<string>(fail);
  readonly details: SessionDetails;
  told: Roster;
  all: Roster;
  /** How many listen to what moves. */
  hearers = 0;

  constructor(t: TestContext) {
    this.transcript = join(scratchFolder(t), "s1.jsonl");
    writeFileSync(this.transcript, prompt("one"));
    this.told = roster([this.row()]);
    this.all = this.told;
    this.details = new SessionDetails({
      source: {
        roster: () => this.told,
        rosterOfAll: async () => this.all,
        statusHistory: () => noHistory,
        changes: this.counted(this.changes),
        transcriptReads: this.counted(this.transcriptReads),
      },
      scheduler: nodeScheduler,
      log,
    });
  }

  private counted<T>(emitter: Emitter<T>): Pick<Emitter<T>, "on"> {
    return {
      on: (listener) => {
        this.hearers += 1;
        const heard = emitter.on(listener);
        return {
          dispose: () => {
            this.hearers -= 1;
            heard.dispose();
          },
        };
      },
    };
  }

  row(more: Partial<Session> = {}): Session {
    return session("s1", { transcript: this.transcript, ...more });
  }

  change(sessions: readonly Session[], remove: readonly string[] = []): void {
    this.told = roster(sessions);
    this.changes.fire({ observedAt: this.told.observedAt, upsert: [...sessions], remove: [...remove], sources: [] });
  }
}

const prompt = (text: string): string =>
  `${JSON.stringify({ type: "user", uuid: text, message: { content: text } })}\n`;
const { key } = session("s1");

describe("a session that somebody watches", () => {
  it("is read for its timeline, and again when its transcript was read", async (t) => {
    const world = new World(t);
    const told: SessionDetailChange[] = [];
    const watch = await world.details.watch(key, (change) => told.push(change));
    t.after(() => watch.dispose());
    assert.ok(watch.detail.timeline.state === "read" && watch.detail.timeline.items.length === 1);
    appendFileSync(world.transcript, prompt("two"));
    world.transcriptReads.fire(world.transcript);
    await until(
      "the new turn",
      () => told.some(({ timeline }) => timeline?.kind === "step" && timeline.order.length === 2),
      soon,
    );
  });

  it("tells what its subagents do, as soon as its row changes with them", async (t) => {
    const world = new World(t);
    const call = (id: string, name: string): string =>
      `${JSON.stringify({ type: "assistant", message: { content: [{ type: "tool_use", id, name }] } })}\n`;
    appendFileSync(world.transcript, call("t1", "Agent"));
    const told: SessionDetailChange[] = [];
    const watch = await world.details.watch(key, (change) => told.push(change));
    t.after(() => watch.dispose());
    const folder = join(world.transcript.replace(/\.jsonl$/, ""), "subagents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "agent-a.meta.json"), '{"toolUseId":"t1"}');
    writeFileSync(join(folder, "agent-a.jsonl"), call("s1", "Grep"));
    world.change([world.row({ title: "it has a subagent" })]);
    await until("the subagent's call", () => JSON.stringify(told).includes('"agentId":"a","tool":"Grep"'), soon);
  });

  it("tells a burst of changes as one", async (t) => {
    const world = new World(t);
    const told: SessionDetailChange[] = [];
    const watch = await world.details.watch(key, (change) => told.push(change));
    t.after(() => watch.dispose());
    told.length = 0;
    for (const title of ["a", "b", "c"]) world.change([world.row({ title })]);
    await until("a change", () => told.length > 0, soon);
    assert.deepEqual(
      told.map((change) => change.session?.title),
      ["c"],
    );
  });

  it("is looked at no more once nobody watches it", async (t) => {
    const world = new World(t);
    const watch = await world.details.watch(key, () => assert.fail("told after the end"));
    const another = await world.details.watch(key, () => assert.fail("told after the end"));
    watch.dispose();
    assert.equal(world.hearers, 2, "another still watches");
    another.dispose();
    assert.equal(world.hearers, 0);
    world.change([world.row({ title: "another" })]);
    world.transcriptReads.fire(world.transcript);
  });

  it("stays as last known when the roster holds it no more", async (t) => {
    const world = new World(t);
    const told: SessionDetailChange[] = [];
    const watch = await world.details.watch(key, (change) => told.push(change));
    t.after(() => watch.dispose());
    world.change([], [key]);
    await until("a mark", () => told.some(({ leftAt }) => typeof leftAt === "string"), soon);
    assert.ok(told.every((change) => change.session === undefined || change.session.title === "Title of s1"));
  });

  it("is found among the older ones too, and nobody knows any other", async (t) => {
    const world = new World(t);
    world.told = roster([]);
    const detail = await world.details.get(key);
    assert.equal(detail.session.id, "s1");
    await assert.rejects(world.details.get("nobody"), /knows no session nobody/);
  });
});

describe("the sessions that one client watches", () => {
  function watches(): { readonly client: ClientWatches; readonly open: Set<string>; close: () => void } {
    const open = new Set<string>();
    let close = (): void => undefined;
    const client = new ClientWatches(
      { tell: () => undefined, onClose: (listener) => (close = listener) },
      {
        watch: async (each) => {
          open.add(each);
          return { detail: { key: each } as never, dispose: () => open.delete(each) };
        },
      },
    );
    return { client, open, close: () => close() };
  }

  it("are bounded, and room comes back", async () => {
    const { client, open } = watches();
    for (let index = 0; index < limits.watchedSessionsPerClient; index += 1) await client.watch(`s${index}`);
    await assert.rejects(client.watch("one more"), /close a detail page/);
    client.unwatch("s0");
    await client.watch("one more");
    assert.equal(open.size, limits.watchedSessionsPerClient);
  });

  it("are let go of when the client leaves, also one that is still being opened", async () => {
    const { client, open, close } = watches();
    await client.watch("s0");
    const opening = client.watch("s1");
    close();
    await assert.rejects(opening, /watched no more/);
    assert.equal(open.size, 0);
  });
});
