// What real sessions write, as the agent's roster and `ls --json` tell it: a plan, subagents with a permission of their
// own, a monitor, API errors, a compaction, `/clear`, a fork and a resume of a killed session.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { startSession, type RealSession } from "../support/claude/realSession.ts";
import { createClaudeWorld, type ClaudeWorld } from "../support/claude/world.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const withinMs = 15_000;

describe("what real sessions write", { timeout: 240_000 }, () => {
  let world: ClaudeWorld;
  let rollcall: RollcallWorld;
  let follower: Follower;
  let session: RealSession;
  let id = "";
  const started: RealSession[] = [];

  const launch = async (start: Parameters<typeof startSession>[1] = {}): Promise<RealSession> => {
    const launched = await startSession(world, start);
    started.push(launched);
    return launched;
  };
  /** The follower's roster comes to say so, and `ls --json` says the same. */
  const told = async (what: string, of: string, says: (row: Session) => boolean): Promise<Session> => {
    const fits = ({ sessions }: Roster): boolean => {
      const rows = sessions.filter((row) => row.id === of);
      return rows.length === 1 && says(rows[0] as Session);
    };
    const until = performance.now() + withinMs;
    for (;;) {
      await follower.waitFor(what, fits, withinMs);
      const roster = await rollcall.roster();
      if (fits(roster)) return roster.sessions.find((row) => row.id === of) as Session;
      // Between two turns a session may wait for a moment, and the next began while the command ran.
      if (performance.now() > until) assert.fail(`${what}: ${JSON.stringify(roster.sessions)}`);
    }
  };

  before(async () => {
    world = await createClaudeWorld();
    rollcall = new RollcallWorld({ configDirs: [world.configDir] });
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [world.configDir]);
    session = await launch();
    id = session.sessionId();
  });

  after(async () => {
    follower.close();
    for (const each of started) {
      each.terminal.kill("SIGKILL");
      await each.terminal.exited;
    }
    await rollcall.close();
    await world.close();
  });

  test("a subagent that works has its row, and its session works", async () => {
    await session.prompt("background-agent");
    await world.api.waitForHeld("subagent-held");
    const row = await told("a subagent runs", id, ({ subagents }) =>
      subagents.some(({ title }) => title === "Held subagent"),
    );
    assert.ok(["working", "background"].includes(row.status.kind), row.status.kind);
    world.api.release("subagent-held");
    await told("it ended", id, ({ subagents, status }) => subagents.length === 0 && status.kind === "waiting");
  });

  test("a subagent's permission shows on its session, its call below the subagent", async () => {
    await session.prompt("asking-agent");
    await session.waitForStatus("waiting", "permission prompt");
    await told("permission", id, ({ status, subagents, openTurns }) => {
      const calls = subagents.flatMap((subagent) =>
        subagent.openTurns.map(({ tool, agentId }) => [tool, agentId === subagent.id]),
      );
      return status.why === "permission" && openTurns.length === 0 && JSON.stringify(calls) === '[["Bash",true]]';
    });
    await session.approve();
    await told("answered", id, ({ subagents, status }) => subagents.length === 0 && status.kind === "waiting");
  });

  test("API errors say of which kind, until the next turn", async () => {
    for (const [prompt, why] of [
      ["fail-401", "login"],
      ["fail-429", "limit"],
      ["fail-500", "server"],
      ["fail-400", "other"],
    ] as const) {
      await session.prompt(prompt);
      await told(prompt, id, ({ status }) => status.kind === "error" && status.why === why);
    }
    await session.prompt("say-hello");
    await told("a turn later", id, ({ status }) => status.kind === "waiting");
  });

  test("a compaction leaves the same session in the same row", async () => {
    session.terminal.type("/compact");
    await session.terminal.waitForScreen(/❯.*\/compact/);
    session.terminal.press("enter");
    await session.waitForLine("the boundary", (line) => line["subtype"] === "compact_boundary");
    const row = await told(
      "after it",
      id,
      ({ liveness, status }) => liveness.kind === "live" && status.kind === "waiting",
    );
    assert.deepEqual(row.openTurns, []);
  });

  test("/clear: the old conversation is rotated, the new one lives under the same process", async () => {
    const old = id;
    id = await session.clear();
    await told("the new one", id, ({ liveness, pid }) => liveness.kind === "live" && pid === session.pid);
    await told("the old one", old, ({ liveness }) => liveness.kind === "ended" && liveness.how === "rotated");
  });

  test("killed with a call open, forked, resumed: the call is abandoned, and open in neither", async () => {
    await session.prompt("run-bash");
    await session.waitForStatus("waiting", "permission prompt");
    await told("the call", id, ({ openTurns }) => openTurns.some(({ abandoned }) => !abandoned));
    await session.kill9();
    await told(
      "abandoned",
      id,
      ({ openTurns, status }) => status.kind === "ended" && openTurns.every(({ abandoned }) => abandoned),
    );
    const fork = await launch({ resume: id, args: ["--fork-session"] });
    const forkId = fork.sessionId();
    assert.notEqual(forkId, id);
    await fork.prompt("say-hello");
    await told(
      "the fork",
      forkId,
      ({ status, openTurns, pid }) => status.kind === "waiting" && openTurns.length === 0 && pid === fork.pid,
    );
    await told("what it was forked from", id, ({ liveness }) => liveness.kind === "ended");
    await fork.exit();
    const resumed = await launch({ resume: id });
    assert.equal(resumed.sessionId(), id);
    await told(
      "resumed",
      id,
      ({ liveness, pid, openTurns }) =>
        liveness.kind === "live" && pid === resumed.pid && openTurns.every(({ abandoned }) => abandoned),
    );
    await resumed.exit();
  });

  test("a plan waits for its person", async () => {
    const planning = await launch({ permissionMode: "plan" });
    const planId = planning.sessionId();
    await planning.prompt("make-plan");
    await planning.waitForStatus("waiting");
    await told(
      "the plan",
      planId,
      ({ status, openTurns }) => status.why === "plan" && openTurns[0]?.tool === "ExitPlanMode",
    );
    await planning.kill9();
    await told("its end", planId, ({ liveness }) => liveness.how === "killed");
  });
});
