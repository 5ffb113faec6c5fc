// Sessions in real pid namespaces: their records, which collide where they share a folder, and their processes as the
// host sees them. Each is told by the agent and by a look without one.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { SandboxWorld } from "../support/rollcall/sandbox.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const deadlineMs = 20_000;
const first = "aaaaaaaa-0000-4000-8000-000000000001";
const second = "bbbbbbbb-0000-4000-8000-000000000002";
const timeout = 120_000;

/** Sandboxes, and a Rollcall that watches the folder they share. */
class Scene {
  readonly sandboxes = new SandboxWorld();
  readonly rollcall: RollcallWorld;
  private readonly followers: Follower[] = [];

  constructor(t: TestContext, env: Readonly<Record<string, string>> = {}) {
    this.rollcall = new RollcallWorld({ configDirs: [this.sandboxes.configDir], env });
    t.after(async () => {
      for (const follower of this.followers) follower.close();
      try {
        await this.rollcall.close();
      } finally {
        await this.sandboxes.close();
      }
    });
  }

  /** An agent that watches from now on. */
  async follow(): Promise<Follower> {
    await this.rollcall.startAgent();
    const follower = await Follower.connect(this.rollcall.socket, [this.sandboxes.configDir]);
    this.followers.push(follower);
    return follower;
  }
}

/** "id in sandbox as pid: liveness, status", sorted. */
function rows(roster: Roster): string[] {
  return roster.sessions.map(words).sort();
}

function words(row: Session): string {
  return `${row.id} in ${row.sandbox ?? "host"} as ${row.pid}: ${row.liveness.kind}, ${row.status.kind}`;
}

describe("two sandboxes on one config folder whose sessions have the same pid there", { timeout }, () => {
  test("rows stay apart and right for an agent that watches all along, and for a look afterwards", async (t) => {
    const scene = new Scene(t);
    const { sandboxes, rollcall } = scene;
    const follower = await scene.follow();
    const a = await sandboxes.start();
    a.says(first, "idle");
    await follower.waitFor("the first session", (roster) => roster.sessions.some(({ id }) => id === first), deadlineMs);
    const b = await sandboxes.start();
    assert.equal(a.innerPid, b.innerPid, "the premise: one pid in two namespaces");
    b.says(second, "idle");
    b.writes(second, "the second one's", { ended: true });
    a.writes(first, "the first one's");
    // The first session's change lands in the second one's record.
    a.turns("busy");
    const expected = [
      `${first} in ${a.sandbox} as ${a.pid}: live, working`,
      `${second} in ${b.sandbox} as ${b.pid}: live, waiting`,
    ];
    await follower.waitFor("both apart", (roster) => rows(roster).join() === expected.join(), deadlineMs);
    await a.settled();
    assert.deepEqual(rows(await rollcall.roster()), expected, "by the agent");
    assert.deepEqual(rows(await rollcall.roster("--once")), expected, "by a look afterwards");
  });
});

describe("a /clear in one of two sandboxes whose sessions write one record", { timeout }, () => {
  test("T04 the new conversation is given to nobody by a look afterwards, and to its own by an agent that watched", async (t) => {
    const scene = new Scene(t);
    const { sandboxes, rollcall } = scene;
    const next = "cccccccc-0000-4000-8000-000000000003";
    const follower = await scene.follow();
    const a = await sandboxes.start();
    a.says(first, "idle");
    a.writes(first, "the first one's", { ended: true });
    await follower.waitFor("the first session", (roster) => roster.sessions.some(({ id }) => id === first), deadlineMs);
    const b = await sandboxes.start();
    b.says(second, "idle");
    await follower.waitFor(
      "the second session",
      (roster) => roster.sessions.some(({ id }) => id === second),
      deadlineMs,
    );
    b.writes(second, "the second one's", { ended: true });
    await b.settled();
    a.clears(first, next);

    const once = await rollcall.roster("--once");
    const owners = (roster: Roster, id: string): readonly (number | undefined)[] =>
      roster.sessions.flatMap((row) => (row.id === id && row.liveness.kind === "live" ? [row.pid] : []));
    assert.deepEqual(owners(once, next), [], "by a look afterwards");
    const living = once.sessions.filter(({ liveness }) => liveness.kind === "live").map(({ pid }) => pid ?? 0);
    assert.deepEqual(living.sort(), [a.pid, b.pid].sort(), "both live");

    a.writes(next, "after the clear", { origin: first });
    await follower.waitFor("the new conversation", (roster) => owners(roster, next)[0] === a.pid, deadlineMs);
    assert.deepEqual(owners(follower.roster, second), [b.pid]);
    assert.deepEqual(owners(await rollcall.roster("--once"), next), [], "its lines name the first one's");
  });
});

describe("a sandbox with a config folder of its own", { timeout }, () => {
  const ownHome = { HOME: "/rollcall-home", CLAUDE_CONFIG_DIR: "" };
  const privateHome = ["--tmpfs", "/rollcall-home"];

  test("is read through its own root, and what it said stays when it has ended", async (t) => {
    const scene = new Scene(t, { ROLLCALL_CONFIG_DIRS: "" });
    const { sandboxes, rollcall } = scene;
    const follower = await scene.follow();
    const a = await sandboxes.start({ mounts: privateHome, env: ownHome });
    const configDir = sandboxes.inside(a, "/rollcall-home/.claude");
    for (const folder of ["sessions", "projects"]) mkdirSync(join(configDir, folder), { recursive: true });
    a.says(first, "idle", {}, join(configDir, "sessions", `${a.innerPid}.json`));
    a.writes(first, "work", { configDir });
    const expected = `${first} in ${a.sandbox} as ${a.pid}: live, working`;
    await follower.waitFor("its row", (roster) => rows(roster).includes(expected), deadlineMs);
    const once = await rollcall.roster("--once");
    assert.ok(rows(once).includes(expected), rows(once).join());
    const row = once.sessions.find(({ id }) => id === first);
    assert.equal(row?.configDir, `${a.sandbox}:/rollcall-home/.claude`);
    await a.end();
    await follower.waitFor(
      "its end",
      ({ sessions }) => sessions.some(({ id, liveness }) => id === first && liveness.kind === "ended"),
      deadlineMs,
    );
    await follower.waitFor(
      "no source that nobody can ask any more",
      ({ sources }) => !sources.some(({ id }) => id.includes(a.sandbox)),
      deadlineMs,
    );
    const after = follower.roster.sessions.filter(({ id }) => id === first);
    assert.deepEqual(
      after.map(({ liveness, transcript }) => [liveness.kind, liveness.stale, transcript !== undefined]),
      [["ended", false, true]],
    );
  });

  test("which is a folder of the host under another name, is that folder: one row", async (t) => {
    const scene = new Scene(t);
    const { sandboxes, rollcall } = scene;
    const mounts = ["--tmpfs", "/rollcall-home", "--bind", sandboxes.configDir, "/rollcall-home/.claude"];
    const a = await sandboxes.start({ mounts, env: ownHome });
    a.says(first, "idle");
    a.writes(first, "work");
    assert.deepEqual(rows(await rollcall.roster("--once")), [`${first} in ${a.sandbox} as ${a.pid}: live, working`]);
    const row = (await rollcall.roster("--once")).sessions[0];
    assert.equal(row?.configDir, sandboxes.configDir);
  });
});

describe("a sandbox that is gone", { timeout }, () => {
  test("has no session that lives or may live: its record's pid is missing from its own namespace", async (t) => {
    const scene = new Scene(t);
    const { sandboxes, rollcall } = scene;
    for (const depth of [1, 2]) {
      const sandbox = await sandboxes.start({ depth });
      sandbox.says(first, "busy");
      sandbox.writes(first, "work");
      await sandbox.end();
      const row = (await rollcall.roster("--once")).sessions.find(({ id }) => id === first);
      assert.deepEqual([row?.liveness.kind, row?.liveness.how, row?.status.kind], ["ended", "killed", "ended"]);
    }
  });
});

describe("a session two pid namespaces deep", { timeout }, () => {
  test("is found by its innermost pid and namespace", async (t) => {
    const scene = new Scene(t);
    const { sandboxes, rollcall } = scene;
    const deep = await sandboxes.start({ depth: 2 });
    deep.says(first, "idle");
    assert.deepEqual(rows(await rollcall.roster("--once")), [
      `${first} in ${deep.sandbox} as ${deep.pid}: live, waiting`,
    ]);
  });
});
