// `ps` missing, failing, empty, short or hanging: no row vanishes or ends wrongly, the source is shown stale and
// since when, a session killed meanwhile ends, and all heals by itself. Again after a restart of the agent, and
// with what it remembered deleted.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { StandInWorld, type StandIn } from "../support/rollcall/standIn.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const realPs = ["/usr/bin/ps", "/bin/ps"].find((path) => existsSync(path));

/** What the stub on PATH does; `cause` is what the source then shows. */
const faults = [
  { name: "missing", script: undefined, cause: /ENOENT/ },
  { name: "failing", script: "echo broken >&2; exit 1", cause: /broken|exit code|failed/i },
  { name: "empty", script: "exit 0", cause: /empty table/ },
  { name: "short: only its first lines", script: `${realPs} "$@" | head -n 3`, cause: /short table/ },
  { name: "short: without the sessions", script: `${realPs} "$@" | grep -v claude`, cause: /short table/ },
  { name: "hanging", script: "sleep 600", cause: /no answer within/ },
] as const;

describe("the process table fails", { timeout: 300_000 }, () => {
  assert.ok(realPs !== undefined, "ps is not installed; install procps");
  let standIns: StandInWorld;
  let rollcall: RollcallWorld;
  let stubFolder: string;
  let follower: Follower | undefined;
  let agent: Awaited<ReturnType<RollcallWorld["startAgent"]>>;

  const setPs = (script: string | undefined): void => {
    const stub = join(stubFolder, "ps");
    if (script === undefined) return rmSync(stub, { force: true });
    writeFileSync(`${stub}.new`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${stub}.new`, 0o755);
    renameSync(`${stub}.new`, stub);
  };
  const heal = (): void => setPs(`exec ${realPs} "$@"`);
  const restartAgent = async (): Promise<void> => {
    follower?.close();
    await rollcall.stopAgent(agent);
    agent = await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [standIns.configDir]);
  };
  const current = (): Follower => {
    assert.ok(follower !== undefined);
    return follower;
  };

  before(async () => {
    standIns = new StandInWorld();
    stubFolder = join(standIns.root, "stub");
    mkdirSync(stubFolder);
    // The real one must not be found behind the stub; head and grep have to be.
    const tools = join(standIns.root, "tools");
    mkdirSync(tools);
    for (const tool of ["head", "grep", "sleep", "sh"]) writeTool(join(tools, tool), tool);
    rollcall = new RollcallWorld({ configDirs: [standIns.configDir], env: { PATH: `${stubFolder}:${tools}` } });
  });
  after(async () => {
    follower?.close();
    try {
      await rollcall.close();
    } finally {
      await standIns.close();
    }
  });

  for (const fault of faults) {
    test(`${fault.name}: rows stay, the source is stale, an end is seen, and it heals`, async () => {
      heal();
      if (follower === undefined) {
        agent = await rollcall.startAgent();
        follower = await Follower.connect(rollcall.socket, [standIns.configDir]);
      }
      const recorded = standIns.start(idFor(fault.name, 1), { status: "busy", name: `recorded ${fault.name}` });
      const killed = standIns.start(idFor(fault.name, 2), { status: "idle", name: `killed ${fault.name}` });
      const bare = standIns.start("", undefined);
      await current().waitFor(
        "all three live",
        (roster) => [recorded, killed, bare].every((each) => rowOf(roster, each)?.liveness.kind === "live"),
        20_000,
      );

      setPs(fault.script);
      const before = Date.now();
      await refresh(rollcall, standIns);
      await current().waitFor("the table is unobserved", (roster) => sourceOf(roster).state === "unobserved", 20_000);
      const source = sourceOf(current().roster);
      assert.match(source.cause ?? "", fault.cause);
      assert.ok(Date.parse(source.since ?? "") >= before, "since when");
      assert.ok(source.asOf !== undefined && Date.parse(source.asOf) <= before + 1_000, "its last answer");
      for (const each of [recorded, killed, bare]) assert.equal(rowOf(current().roster, each)?.liveness.kind, "live");

      await killed.kill();
      await current().waitWithin(
        "the killed one ended",
        (roster) => rowOf(roster, killed)?.liveness.kind === "ended",
        1_000,
      );
      assert.equal(rowOf(current().roster, killed)?.liveness.how, "killed");

      await restartAgent();
      assertStillSo("after a restart of the agent", current().roster, { recorded, killed, bare });

      await rollcall.stopAgent(agent);
      rmSync(join(rollcall.dataDir, "last-known.json"));
      await restartAgent();
      await current().waitFor("the bare process is found again", (roster) => rowOf(roster, bare) !== undefined, 20_000);
      assertStillSo("with its memory deleted", current().roster, { recorded, killed, bare });

      heal();
      await current().waitFor(
        "the table answers, by itself",
        (roster) => sourceOf(roster).state === "observed",
        20_000,
      );
      assertStillSo("healed", current().roster, { recorded, killed, bare });
    });
  }

  test("every fault was tried", () => {
    assert.ok((faults as readonly unknown[]).length >= 5);
  });
});

function assertStillSo(
  when: string,
  roster: Roster,
  sessions: { readonly recorded: StandIn; readonly killed: StandIn; readonly bare: StandIn },
): void {
  assert.equal(rowOf(roster, sessions.recorded)?.liveness.kind, "live", when);
  assert.equal(rowOf(roster, sessions.recorded)?.status.kind, "working", when);
  assert.equal(rowOf(roster, sessions.killed)?.liveness.kind, "ended", when);
  assert.equal(rowOf(roster, sessions.killed)?.liveness.how, "killed", when);
  assert.equal(rowOf(roster, sessions.bare)?.liveness.kind, "live", when);
}

/** A session without a record is known by its process. */
function rowOf(roster: Roster, session: StandIn): Session | undefined {
  return roster.sessions.find((row) => row.pid === session.pid && (session.id === "" || row.id === session.id));
}

function sourceOf(roster: Roster): Roster["sources"][number] {
  const source = roster.sources.find((each) => each.id === "process-table");
  assert.ok(source !== undefined);
  return source;
}

async function refresh(rollcall: RollcallWorld, standIns: StandInWorld): Promise<void> {
  const client = await AgentClient.connect(
    rollcall.socket,
    { name: "test", version: "0", configDirs: [standIns.configDir] },
    () => undefined,
  );
  await client.request("observe/refresh", {}, 20_000);
  client.dispose();
}

function idFor(name: string, index: number): string {
  const digits = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e8, index);
  return `${String(digits).padStart(8, "0")}-0000-4000-8000-00000000000${index}`;
}

function writeTool(path: string, tool: string): void {
  const real = [`/usr/bin/${tool}`, `/bin/${tool}`].find((candidate) => existsSync(candidate));
  assert.ok(real !== undefined, `${tool} is not installed`);
  writeFileSync(path, `#!/bin/sh\nexec ${real} "$@"\n`);
  chmodSync(path, 0o755);
}
