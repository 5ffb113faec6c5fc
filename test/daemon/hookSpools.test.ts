// Spools beside a running agent: a burst loses nothing, what is hostile harms no other row, and the registry follows what
// sessions tell of their ends.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { hookCommand } from "../../protocol/hookSpool.ts";
import type { Roster } from "../../protocol/roster.ts";
import { until } from "../support/claude/until.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const deadlineMs = 60_000;

describe("the spools of a running agent", { timeout: 240_000 }, () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-hooks-")));
  const configDir = join(home, ".claude");
  let rollcall: RollcallWorld;
  let follower: Follower;
  let spool: string;

  before(async () => {
    mkdirSync(join(configDir, "projects"), { recursive: true });
    rollcall = new RollcallWorld({ configDirs: [configDir] });
    spool = join(rollcall.dataDir, "spool", "host");
    assert.equal((await rollcall.run(["hooks", "install", "--yes"])).code, 0);
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [configDir]);
  });
  after(async () => {
    follower.close();
    await rollcall.close();
    rmSync(home, { recursive: true, force: true });
  });

  const payload = (sessionId: string, name: string, told: object = {}): string =>
    JSON.stringify({
      session_id: sessionId,
      transcript_path: join(configDir, "projects", "-app", `${sessionId}.jsonl`),
      cwd: "/app",
      hook_event_name: name,
      ...told,
    });
  /** As the coding agent runs it, by the command that was installed. */
  const runHook = (sessionId: string, name: string, told: object = {}, folder = spool): void => {
    const done = spawnSync("sh", ["-c", hookCommand(folder)], {
      input: payload(sessionId, name, told),
      env: { PATH: process.env["PATH"], CLAUDE_PID: "4000000" },
    });
    assert.deepEqual([done.status, String(done.stdout), String(done.stderr)], [0, "", ""]);
  };
  const statusOf = (roster: Roster, id: string): string | undefined => {
    const row = roster.sessions.find((each) => each.id === id);
    return row === undefined
      ? undefined
      : `${row.status.kind}${row.status.why === undefined ? "" : `: ${row.status.why}`}`;
  };
  const says = (id: string, status: string): Promise<number> =>
    follower.waitFor(`${id} is ${status}`, (roster) => statusOf(roster, id) === status, deadlineMs);
  const emptied = (): Promise<unknown> =>
    until("an empty spool", () => readdirSync(spool).length === 0, { deadlineMs });

  test("one event of a session that nothing else tells of is a row", async () => {
    runHook("first", "SessionStart", { source: "startup" });
    runHook("first", "UserPromptSubmit", { prompt_id: "p" });
    await says("first", "working");
    runHook("first", "PermissionRequest", { prompt_id: "p", tool_name: "Bash", tool_input: {} });
    await says("first", "needs-you: permission");
    assert.equal(statusOf(await rollcall.roster(), "first"), "needs-you: permission");
    assert.equal(statusOf(await rollcall.roster("--once"), "first"), "needs-you: permission");
    const { stdout } = await rollcall.run(["why", "first"]);
    assert.match(stdout, /hook-asks/);
  });

  test("of 10,000 events in a burst none is lost", async () => {
    const calls = 2_500;
    const session = (index: number): string => `burst-${index % 20}`;
    // Several writers at once, each event in a file of its own; no shell for each, which is measured elsewhere. Their
    // names are none that a hook of another test takes.
    const writer = `
      const { openSync, writeSync, closeSync } = require("node:fs");
      const [part] = process.argv.slice(1).map(Number);
      for (let index = part; index < ${calls}; index += 4)
        for (const [order, name] of ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"].entries()) {
          const told = { session_id: "burst-" + (index % 20), hook_event_name: name, prompt_id: "p" + index, tool_name: "Bash",
            tool_use_id: "t" + index, transcript_path: ${JSON.stringify(join(configDir, "projects", "-app", "x.jsonl"))} };
          const file = openSync(${JSON.stringify(spool)} + "/burst-" + index + "." + order, "wx", 0o600);
          writeSync(file, "1 4000000 " + JSON.stringify(told) + "\\n");
          closeSync(file);
        }`;
    const writers = [0, 1, 2, 3].map(
      (part) =>
        new Promise<number | null>((resolve) =>
          spawn(process.execPath, ["-e", writer, String(part)], { stdio: "inherit" }).once("exit", resolve),
        ),
    );
    assert.deepEqual(await Promise.all(writers), [0, 0, 0, 0]);
    await emptied();
    const facts = JSON.parse(readFileSync(join(rollcall.dataDir, "hook-facts.json"), "utf8")) as {
      spools: [{ sessions: { sessionId: string; calls: [string, { since?: number; resultAt?: number }][] }[] }];
    };
    // Each session keeps the newest 200 of its 125 calls, so that all of them are there with both their times.
    const burst = facts.spools[0].sessions.filter(({ sessionId }) => sessionId.startsWith("burst-"));
    const whole = burst.flatMap(({ calls: of }) =>
      of.filter(([, call]) => call.since !== undefined && call.resultAt !== undefined),
    );
    assert.equal(burst.length, 20);
    assert.equal(new Set(whole.map(([id]) => id)).size, calls);
    const { skipped } = await rollcall.roster();
    assert.deepEqual(
      skipped.filter(({ source }) => source === "hooks"),
      [],
    );
    for (let index = 0; index < 20; index += 1) await says(session(index), "waiting");
  });

  test("what is hostile is counted, and costs no row anything", async () => {
    writeFileSync(join(home, "outside"), "as it was");
    symlinkSync(join(home, "outside"), join(spool, "link.0"));
    symlinkSync("/dev/zero", join(spool, "zero.0"));
    spawnSync("mkfifo", [join(spool, "pipe.0")]);
    writeFileSync(join(spool, "bytes.0"), Buffer.from([0x31, 0x20, 0x31, 0x0a, 0xff, 0x0a]));
    for (let index = 0; index < 3_000; index += 1) writeFileSync(join(spool, `junk.${index}`), "junk\n");
    runHook("after", "UserPromptSubmit", { prompt_id: "p" });
    await says("after", "working");
    await emptied();
    const { skipped, sources } = await rollcall.roster();
    const counts = new Map(skipped.filter(({ source }) => source === "hooks").map(({ why, count }) => [why, count]));
    assert.equal(counts.get("a link in a file's place"), 2);
    assert.equal(counts.get("a named pipe in a file's place"), 1);
    assert.equal(counts.get("a payload that is not UTF-8"), 1);
    assert.equal(counts.get("a file that no hook of ours wrote"), 3_000);
    assert.equal(readFileSync(join(home, "outside"), "utf8"), "as it was");
    assert.equal(sources.find(({ id }) => id === "hooks")?.state, "observed");
    assert.equal(statusOf(follower.roster, "first"), "needs-you: permission");
  });

  test("R07 the registry forgets what its user ended, and marks other ends departed until a later start", async () => {
    for (const id of ["kept", "left"]) await rollcall.run(["registry", "put", "box", "--session", id]);
    const box = join(rollcall.dataDir, "spool", "box");
    mkdirSync(box, { mode: 0o700 });
    for (const id of ["kept", "left"]) runHook(id, "SessionStart", { source: "startup" }, box);
    runHook("left", "SessionEnd", { reason: "prompt_input_exit" }, box);
    runHook("kept", "SessionEnd", { reason: "other" }, box);
    const recorded = async (): Promise<string> => {
      const { stdout } = await rollcall.run(["registry", "show", "--json"]);
      const { sandboxes } = JSON.parse(stdout) as { sandboxes: { sessions: { id: string; departedAt?: string }[] }[] };
      return sandboxes
        .flatMap(({ sessions }) =>
          sessions.map(({ id, departedAt }) => `${id}${departedAt === undefined ? "" : " departed"}`),
        )
        .join();
    };
    const becomes = async (expected: string): Promise<void> => {
      const end = performance.now() + deadlineMs;
      while ((await recorded()) !== expected && performance.now() < end);
      assert.equal(await recorded(), expected);
    };
    await becomes("kept departed");
    runHook("kept", "SessionStart", { source: "resume" }, box);
    await becomes("kept");
  });

  test("an agent that is killed after it read events, and before it wrote them down, loses none", async () => {
    await rollcall.run(["agent", "stop"]);
    follower.close();
    const stopped = await rollcall.startAgent();
    runHook("killed", "UserPromptSubmit", { prompt_id: "p" });
    const facts = join(rollcall.dataDir, "hook-facts.json");
    await rollcall.stopAgent(stopped, "SIGKILL");
    assert.ok(existsSync(facts));
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [configDir]);
    await says("killed", "working");
    await says("first", "needs-you: permission");
  });
});
