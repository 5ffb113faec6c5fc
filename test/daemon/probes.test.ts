// Probes into real containers: what proves itself makes rows also where this kernel shows nothing of it; what does not is
// refused and counted, and what was known stays with its age.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import type { Roster, Sandbox, Session } from "../../protocol/roster.ts";
import { until } from "../support/claude/until.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import { misroutingProxy } from "../support/sandboxes/misroutingProxy.ts";
import { PodmanWorld, podmanMissing, recordInside, settled } from "../support/sandboxes/podman.ts";

const deadlineMs = 60_000;
const run = randomUUID().slice(8);
const id = (number: number): string => `0000000${number}${run}`;

/** What stands as the shell of a container that answers wrongly; the question is its `"$@"`. */
const shells = {
  half: 'busybox sh "$@" | busybox head -n 4',
  "old-format": `busybox sh "$@" | busybox sed 's/^rollcall-probe 1/rollcall-probe 0/'`,
  twice: 'busybox sh "$@"; busybox sh "$@"',
  stale: 'busybox sh -c "$2" rollcall 00000000-0000-4000-8000-000000000000',
  silent: "busybox sleep 60",
  large: "busybox yes",
  garbage: "busybox echo sh: not found",
  "other-space": `busybox sh "$@" | busybox sed 's/pid:\\[[0-9]*\\]/pid:[4026500000]/'`,
} as const;

const refusedAs: Readonly<Record<keyof typeof shells, RegExp>> = {
  half: /half an answer/,
  "old-format": /another format/,
  twice: /answered twice/,
  stale: /another question/,
  silent: /without an answer/,
  large: /too large/,
  garbage: /answer is none/,
  "other-space": /landed in another sandbox/,
};

describe("probes into containers", { skip: podmanMissing(), timeout: 240_000 }, () => {
  let podman: PodmanWorld;
  let rollcall: RollcallWorld;
  const empty = (): string => join(podman.root, "empty");
  const mode = (): string => join(podman.root, "turncoat");

  before(async () => {
    podman = new PodmanWorld();
    await podman.serve();
    mkdirSync(empty());
    mkdirSync(mode());
    const worldOf = (socket: string): RollcallWorld =>
      new RollcallWorld({
        configDirs: [],
        env: { CLAUDE_CONFIG_DIR: empty(), CONTAINER_HOST: `unix://${socket}`, ROLLCALL_SANDBOX_ADAPTERS: "podman" },
      });
    rollcall = worldOf(podman.socket);
    podman.runSession("honest");
    writeRecord(podman.pidOf("honest"), id(1));
    podman.run("elsewhere");
    podman.runSession("turncoat", {
      args: [`--volume=${mode()}:/mode`, shell("turncoat", `[ -e /mode/on ] && exit 3; exec busybox sh "$@"`)],
    });
    writeRecord(podman.pidOf("turncoat"), id(2));
    await settled(podman.pidOf("honest"));
  });

  after(async () => {
    await rollcall.close();
    await podman.close();
  });

  const shell = (name: string, script: string): string => {
    const path = join(podman.root, `shell-${name}`);
    writeFileSync(path, `#!/bin/busybox sh\nexport PATH=/bin\n${script}\n`, { mode: 0o755 });
    return `--volume=${path}:/bin/sh:ro`;
  };
  const refusals = (roster: Roster, name: string): readonly string[] =>
    roster.skipped.flatMap(({ source, path, why, count }) =>
      source === "sandboxes:podman" && path === name && why.startsWith("refused: ") && count > 0 ? [why] : [],
    );

  test("show a session of which this kernel shows nothing, by what its sandbox proved", async () => {
    const elsewhere = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    const roster = await rollcall.rosterIn("bwrap", elsewhere, "--once");
    const row = session(roster, 1);
    assert.deepEqual(
      [row?.sandbox, row?.liveness.kind, row?.liveness.source, row?.liveness.stale, row?.status.kind, row?.cwd],
      ["honest", "live", "sandboxes:podman", false, "working", "/root"],
    );
    assert.equal(row?.configDir, "podman:honest:/root/.claude");
    assert.match(row.evidence[0]?.says ?? "", /process 1 in honest runs, start \d+, as a probe inside found/);
    assert.deepEqual(refusals(roster, "honest"), []);
  });

  test("stand beside the kernel's word, in one row", async () => {
    const roster = await rollcall.roster("--once");
    const rows = roster.sessions.filter((each) => each.id === id(1));
    assert.deepEqual(
      rows.map(({ sandbox, liveness, pid }) => [sandbox, liveness.source, pid]),
      [["honest", "proc", podman.pidOf("honest")]],
    );
    assert.ok(
      rows[0]?.evidence.some(
        ({ source, says }) => source === "sandboxes:podman" && says.includes("as a probe inside found"),
      ),
    );
    assert.match(
      sandbox(roster, "honest")
        ?.evidence.map(({ says }) => says)
        .join("\n") ?? "",
      /asked inside: 1 session found/,
    );
  });

  test("that answer wrongly in any way are refused and counted, and harm nobody", async () => {
    for (const [name, script] of Object.entries(shells)) podman.run(name, { args: [shell(name, script)] });
    podman.run("in-our-space", { args: ["--pid=host"] });
    const roster = await rollcall.roster("--once");
    for (const [name, why] of Object.entries(refusedAs)) assert.match(refusals(roster, name).join(), why, name);
    assert.match(refusals(roster, "in-our-space").join(), /this host's own pid namespace/);
    assert.match(
      roster.sources.find(({ id: source }) => source === "sandboxes:podman")?.cause ?? "",
      /not proven from inside/,
    );
    assert.equal(session(roster, 1)?.liveness.kind, "live");
    assert.equal(sandbox(roster, "half")?.state, "running");
    for (const name of [...Object.keys(shells), "in-our-space"]) podman.podman("rm", "--force", "--time=0", name);
  });

  test("bring hostile things from inside that harm no other row: ids of others, links, what is huge", async (t) => {
    podman.runSession("hostile");
    t.after(() => podman.podman("rm", "--force", "--time=0", "hostile"));
    const pid = podman.pidOf("hostile");
    writeRecord(pid, id(1));
    const sessions = `/proc/${pid}/root/root/.claude/sessions`;
    symlinkSync("/proc/1/environ", join(sessions, "5.json"));
    writeFileSync(join(sessions, "6.json"), `{"pid":6,"x":"${"x".repeat(300_000)}"}`);
    writeFileSync(join(sessions, "7.json"), "\u0000\n rollcall-end\n");
    const elsewhere = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    const roster = await rollcall.rosterIn("bwrap", elsewhere, "--once");
    const rows = roster.sessions.filter((each) => each.id === id(1));
    assert.deepEqual(
      rows.map((row) => [row.sandbox, row.liveness.kind, row.liveness.stale]),
      [
        ["honest", "live", false],
        ["hostile", "live", false],
      ],
    );
    const over = roster.skipped.filter(({ path }) => path === "hostile").map(({ why, count }) => `${count} ${why}`);
    assert.deepEqual(over.sort(), [
      "1 a session record inside that is a link",
      "2 a session record inside that could not be read",
    ]);
  });

  test("that were led into another sandbox are refused", async (t) => {
    const proxy = await misroutingProxy(podman, { from: "honest", to: "elsewhere" });
    t.after(() => proxy.close());
    const misled = new RollcallWorld({
      configDirs: [],
      env: {
        CLAUDE_CONFIG_DIR: empty(),
        CONTAINER_HOST: `unix://${proxy.socket}`,
        ROLLCALL_SANDBOX_ADAPTERS: "podman",
      },
    });
    t.after(() => misled.close());
    const roster = await misled.roster("--once");
    assert.match(
      refusals(roster, "honest").join(),
      /landed in another sandbox/,
      JSON.stringify(sandbox(roster, "honest")),
    );
    assert.deepEqual(refusals(roster, "elsewhere"), []);
  });

  test("that fail later leave the rows as they were known, with their age", async (t) => {
    const world = new RollcallWorld({
      configDirs: [],
      env: {
        CLAUDE_CONFIG_DIR: empty(),
        CONTAINER_HOST: `unix://${podman.socket}`,
        ROLLCALL_SANDBOX_ADAPTERS: "podman",
      },
    });
    t.after(() => world.close());
    const inOwnSpace = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    await world.startAgent({}, ["bwrap", ...inOwnSpace]);
    const follower = await Follower.connect(world.socket, [empty()]);
    t.after(() => follower.close());
    await follower.waitFor("a proven row", (roster) => session(roster, 2)?.liveness.stale === false, deadlineMs);
    const client = await AgentClient.connect(
      world.socket,
      { name: "look", version: "0", configDirs: [] },
      () => undefined,
    );
    t.after(() => client.dispose());
    const look = (): Promise<Roster> => client.request("observe/refresh", {});
    const { asOf } = session(follower.roster, 2)?.liveness ?? {};
    writeFileSync(join(mode(), "on"), "");
    // As long as a look that was asked for has to rest after one.
    await until("a refusal", async () => refusals(await look(), "turncoat").length > 0, { deadlineMs, everyMs: 500 });
    await follower.waitFor("a refusal", (roster) => refusals(roster, "turncoat").length > 0, deadlineMs);
    const row = session(follower.roster, 2);
    assert.deepEqual([row?.liveness.kind, row?.liveness.stale, row?.sandbox], ["live", true, "turncoat"]);
    assert.ok(Date.parse(row?.liveness.asOf ?? "") >= Date.parse(asOf ?? ""));
    podman.podman("stop", "--time=0", "turncoat");
    await follower.waitFor("its end", (roster) => session(roster, 2)?.liveness.kind === "ended", deadlineMs);
    assert.equal(podman.podman("inspect", "--format", "{{.State.Status}}", "turncoat").trim(), "exited");
  });
});

function session(roster: Roster, which: number): Session | undefined {
  return roster.sessions.find((each) => each.id === id(which));
}

function sandbox(roster: Roster, name: string): Sandbox | undefined {
  return roster.sandboxes.find((each) => each.name === name);
}

function writeRecord(pid: number, sessionId: string): void {
  const folder = `/proc/${pid}/root/root/.claude`;
  for (const each of ["sessions", "projects"]) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, "sessions", "1.json"), recordInside(pid, sessionId));
}
