// A real session in a sandbox whose records the host does not see, with our hooks in its settings: its row follows what the
// hooks tell, from its start to its end, and with Rollcall gone its terminal shows nothing of them.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { startSession, type RealSession } from "../support/claude/realSession.ts";
import { until } from "../support/claude/until.ts";
import { createClaudeWorld, type ClaudeWorld } from "../support/claude/world.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const deadlineMs = 30_000;

describe("a real session in a sandbox with our hooks", { timeout: 240_000 }, () => {
  let world: ClaudeWorld;
  let rollcall: RollcallWorld;
  let follower: Follower;
  let session: RealSession;

  before(async () => {
    world = await createClaudeWorld();
    rollcall = new RollcallWorld({ configDirs: [world.configDir] });
    const { code, stderr } = await rollcall.run(["hooks", "install", "--yes"]);
    assert.equal(code, 0, stderr);
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [world.configDir]);
    session = await startSession(world, { isSandboxed: true });
  });

  after(async () => {
    follower.close();
    session.terminal.kill("SIGKILL");
    await session.terminal.exited;
    await rollcall.close();
    await world.close();
  });

  const rowOf = (roster: Roster): Session | undefined => roster.sessions.find(({ id }) => id === session.sessionId());
  const says = async (what: string, fits: (row: Session) => boolean): Promise<Session> => {
    await follower.waitFor(
      what,
      (roster) => {
        const row = rowOf(roster);
        return row !== undefined && fits(row);
      },
      deadlineMs,
    );
    return rowOf(follower.roster) as Session;
  };
  const asksBy = (row: Session): boolean => row.status.kind === "needs-you" && row.status.rule === "hook-asks";

  test("its permission, and the answer to it", async () => {
    await session.prompt("run-bash");
    await session.waitForStatus("waiting", "permission prompt");
    const row = await says("it asks", asksBy);
    assert.equal(row.status.why, "permission");
    assert.equal(row.liveness.kind, "live");
    assert.ok(row.evidence.some(({ source, says: words }) => source === "hooks" && words.includes("asks for Bash")));
    await session.approve();
    await session.turnEnded();
    await says("its turn ended", ({ status }) => status.kind === "waiting");
  });

  test("its permission, and the denial of it", async () => {
    await session.prompt("run-bash again");
    await session.waitForStatus("waiting", "permission prompt");
    await says("it asks", asksBy);
    await session.deny();
    await says("it was denied", ({ status }) => status.kind === "waiting");
  });

  test("its question", async () => {
    await session.prompt("ask-question");
    await session.waitForStatus("waiting", "input needed");
    const row = await says("it asks", ({ status }) => status.kind === "needs-you");
    assert.equal(row.status.why, "question");
    await session.answerQuestion();
    await session.turnEnded();
    await says("it was answered", ({ status }) => status.kind === "waiting");
  });

  test("Escape in the middle of an answer", async () => {
    await session.prompt("stream-held");
    await world.api.waitForHeld("stream-held");
    await says("it works", ({ status }) => status.kind === "working");
    await session.terminal.waitForScreen(/❯ stream-held(?![\s\S]*❯ stream-held)[\s\S]*The first line/);
    await session.escape();
    await says("it was interrupted", ({ status }) => status.kind === "waiting");
  });

  test("an error of the API", async () => {
    await session.prompt("fail-429");
    await session.turnEnded();
    await says("its error", ({ status }) => status.kind === "error" && status.why === "limit");
  });

  test("the stop of a turn after it", async () => {
    await session.prompt("say-hello");
    await session.turnEnded();
    await says("its end", ({ status }) => status.kind === "waiting");
  });

  test("what was folded is removed from the spool", async () => {
    const spool = join(rollcall.dataDir, "spool", "host");
    await until("an empty spool", () => readdirSync(spool).length === 0, { deadlineMs });
    const facts = readFileSync(join(rollcall.dataDir, "hook-facts.json"), "utf8");
    assert.ok(facts.includes(session.sessionId()));
    assert.ok(
      !facts.includes("say-hello") && !facts.includes("made-by-bash"),
      "what prompts and tools say is not kept",
    );
  });

  test("a look without the agent says the same", async () => {
    const row = rowOf(await rollcall.roster("--once"));
    assert.equal(row?.status.kind, "waiting");
    assert.ok(row.evidence.some(({ source }) => source === "hooks"));
  });

  test("its exit", async () => {
    await session.exit();
    const row = await says("its end", ({ status }) => status.kind === "ended");
    assert.equal(row.liveness.how, "exited");
  });

  test("with Rollcall gone, its terminal and its transcript show nothing of the hooks", async () => {
    session = await startSession(world, { isSandboxed: true });
    await says("it lives", ({ liveness, pid }) => liveness.kind === "live" && pid !== undefined);
    rmSync(join(rollcall.dataDir, "spool"), { recursive: true, force: true });
    await session.prompt("run-bash");
    await session.waitForStatus("waiting", "permission prompt");
    await session.approve();
    await session.turnEnded();
    assert.doesNotMatch(session.terminal.screen(), /hook/i);
    const told = session.transcript().filter((line) => JSON.stringify(line).includes("hook_"));
    const faults = told.filter((line) => line["subtype"] !== "stop_hook_summary" || line["hasOutput"] !== false);
    assert.deepEqual(faults, [], "the agent notes that it ran a hook, and nothing that it said");
    assert.equal(existsSync(join(rollcall.dataDir, "spool")), false);
  });

  test("its death by kill -9", async () => {
    await session.kill9();
    await says("its end", ({ status }) => status.kind === "ended");
  });
});

describe("a real session in a sandbox with a spool of its own", { timeout: 120_000 }, () => {
  test("has its sandbox' name from the spool, and the registry follows its end", async () => {
    const world = await createClaudeWorld();
    const rollcall = new RollcallWorld({ configDirs: [world.configDir] });
    let session: RealSession | undefined;
    let follower: Follower | undefined;
    try {
      const { code, stderr } = await rollcall.run(["hooks", "install", "--yes"], { SANDBOX_NAME: "box-1" });
      assert.equal(code, 0, stderr);
      await rollcall.startAgent();
      follower = await Follower.connect(rollcall.socket, [world.configDir]);
      session = await startSession(world, { isSandboxed: true });
      const id = session.sessionId();
      const row = (roster: Roster): Session | undefined => roster.sessions.find((each) => each.id === id);
      await follower.waitFor("its name", (roster) => row(roster)?.sandbox === "box-1", deadlineMs);
      await rollcall.run(["registry", "put", "box-1", "--session", id]);
      await follower.waitFor("its record", (roster) => row(roster)?.registry.recorded === true, deadlineMs);
      await session.exit();
      await follower.waitFor(
        "forgotten, as its user ended it",
        (roster) => row(roster)?.registry.recorded === false,
        deadlineMs,
      );
      assert.equal(row(follower.roster)?.liveness.how, "exited");
    } finally {
      follower?.close();
      session?.terminal.kill("SIGKILL");
      await session?.terminal.exited;
      await rollcall.close();
      await world.close();
    }
  });
});
