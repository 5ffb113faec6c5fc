// Real containers of Podman with sessions inside, seen by the agent through the Engine API and through the kernel.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { SnapshotSandbox } from "../../protocol/files/snapshot.ts";
import type { Roster, Sandbox, Session } from "../../protocol/roster.ts";
import { until } from "../support/claude/until.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import { PodmanWorld, podmanMissing, recordInside, settled } from "../support/sandboxes/podman.ts";

const deadlineMs = 30_000;
/** Of this run only: the agent also sees what else runs on this machine. */
const run = randomUUID().slice(8);
const id = (number: number): string => `0000000${number}${run}`;

describe("containers of Podman", { skip: podmanMissing(), timeout: 240_000 }, () => {
  let podman: PodmanWorld;
  let rollcall: RollcallWorld;
  let follower: Follower;

  before(async () => {
    podman = new PodmanWorld();
    await podman.serve();
    const empty = join(podman.root, "empty");
    mkdirSync(empty);
    rollcall = new RollcallWorld({
      configDirs: [],
      env: {
        CLAUDE_CONFIG_DIR: empty,
        CONTAINER_HOST: `unix://${podman.socket}`,
        ROLLCALL_SANDBOX_ADAPTERS: "podman,namespaces",
      },
    });
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [empty]);
  });

  after(async () => {
    follower.close();
    await rollcall.close();
    await podman.close();
  });

  const sandbox = (name: string, roster: Roster = follower.roster): Sandbox | undefined =>
    roster.sandboxes.find((each) => each.name === name);
  const session = (which: number, roster: Roster = follower.roster): Session | undefined =>
    roster.sessions.find((each) => each.id === id(which));

  test("stand with their state, and a session inside names its container, whoever looks", async () => {
    podman.runSession("one");
    podman.run("quiet");
    const pid = podman.pidOf("one");
    writeRecord(pid, recordInside(pid, id(1)));
    await follower.waitFor("the session's row", (roster) => session(1, roster)?.pid === pid, deadlineMs);
    await settled(pid);
    for (const roster of [follower.roster, await rollcall.roster("--once")]) {
      const row = session(1, roster);
      assert.deepEqual(
        [row?.sandbox, row?.sandboxDerived, row?.pid, row?.status.kind],
        ["one", undefined, pid, "working"],
      );
      assert.deepEqual(
        ["one", "quiet"].map((name) => [
          sandbox(name, roster)?.adapter,
          sandbox(name, roster)?.state,
          sandbox(name, roster)?.stale,
        ]),
        [
          ["podman", "running", false],
          ["podman", "running", false],
        ],
      );
      assert.equal(sandbox(`pidns:${podman.namespaceOf("one")}`, roster), undefined, "it is the container's");
    }
  });

  test("stand in the snapshot for other tools, with what their sessions used", async () => {
    const path = join(rollcall.dataDir, "sandboxes.json");
    const one = await until(
      "the snapshot",
      () => {
        if (!existsSync(path)) return undefined;
        const { sandboxes } = JSON.parse(readFileSync(path, "utf8")) as { sandboxes: Record<string, SnapshotSandbox> };
        return sandboxes["one"];
      },
      { deadlineMs },
    );
    const [row] = one.sessions;
    assert.deepEqual([one.is_current, row?.session_id, row?.pid], [true, id(1), podman.pidOf("one")]);
    assert.ok(
      typeof row?.cputime_secs === "number" && typeof row.mem_mb === "number" && row.mem_mb > 0,
      JSON.stringify(row),
    );
  });

  test("that pause, stop, start and go say so, and none of it is begun by looking", async () => {
    podman.run("changing");
    await follower.waitFor("it", () => sandbox("changing")?.state === "running", deadlineMs);
    podman.podman("pause", "changing");
    await follower.waitFor("its pause", () => sandbox("changing")?.state === "paused", deadlineMs);
    podman.podman("unpause", "changing");
    podman.podman("stop", "--time=0", "changing");
    await follower.waitFor("its stop", () => sandbox("changing")?.state === "stopped", deadlineMs);
    await rollcall.roster("--once");
    assert.equal(podman.podman("inspect", "--format", "{{.State.Status}}", "changing").trim(), "exited");
    podman.podman("rm", "changing");
    await follower.waitFor("its end", () => sandbox("changing") === undefined, deadlineMs);
  });

  test("of development are called by their folder", async () => {
    podman.run("nifty_name", { labels: { "devcontainer.local_folder": "/home/u/src/my app" } });
    await follower.waitFor("it", () => sandbox("nifty_name")?.title === "my app", deadlineMs);
  });

  test("stay with their age and cause while the engine is silent, and a restart of the agent keeps them", async () => {
    await podman.stopServing();
    await follower.waitFor("stale sandboxes", () => sandbox("quiet")?.stale === true, deadlineMs);
    assert.deepEqual(
      [sandbox("quiet")?.state, session(1)?.liveness.kind, session(1)?.sandbox],
      ["running", "live", "one"],
    );
    assert.match(sandbox("quiet")?.evidence[0]?.says ?? "", /not listed since .*engine\.sock/);
    await podman.serve();
    await follower.waitFor("a fresh list", () => sandbox("quiet")?.stale === false, deadlineMs);
  });
});

function writeRecord(pid: number, record: string): void {
  const sessions = `/proc/${pid}/root/root/.claude/sessions`;
  mkdirSync(sessions, { recursive: true });
  mkdirSync(`/proc/${pid}/root/root/.claude/projects`, { recursive: true });
  writeFileSync(join(sessions, "1.json"), record);
}
