// Cases of the history of one monitor, "liveness": what ends a row, what never may, and whose process it is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { caseHome, day, hour, minute, second, sessionId, type CaseHome } from "../support/rollcall/caseHome.ts";
import { since } from "../support/rollcall/shapes.ts";

const options = { concurrency: 4 };
/** Of a machine that nobody here can ask. */
const foreignDomain = "linux:ffffffffffffffffffffffffffffffff:pid:[4026530000]";

/** A `ps` that answers so, in front of the host's own. */
function fakePs(home: CaseHome, script: string): void {
  const folder = join(home.root, "fake");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "ps"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "ps"), 0o755);
  home.world.env["PATH"] = `${folder}:${home.world.env["PATH"] ?? ""}`;
}

describe("a look that failed", options, () => {
  for (const [what, script] of [
    ["fails", "exit 1"],
    ["answers nothing", "exit 0"],
    ["answers a part and fails", '/bin/ps "$@" | head -5; exit 3'],
    ["answers a part and says that all is well", '/bin/ps "$@" | head -5'],
    ["answers something else", "echo Starting daemon"],
    ["does not answer", "exec sleep 60"],
  ] as const)
    test(`L04 L05 L17 ends nobody: a process table that ${what}`, async (t) => {
      const home = caseHome(t);
      fakePs(home, script);
      home.session(sessionId(1), since(home.ago(minute), "busy"), (lines) => lines.prompt());
      home.start({ args: ["--resume", sessionId(2)] });
      const roster = await home.ls();
      assert.equal(roster.says(sessionId(1)), "live, working");
      assert.equal(roster.row(sessionId(2)).liveness.kind, "live");
      const table = roster.whole.sources.find(({ id }) => id === "process-table");
      assert.equal(table?.state, "unobserved");
      const blind = await home.lsWithoutProc();
      assert.notEqual(blind.row(sessionId(1)).liveness.kind, "ended");
    });

  test("L09 a process of another namespace is not dead because its pid is missing from ours", async (t) => {
    const home = caseHome(t);
    const process = home.start();
    for (const [index, pid] of [4_190_000, process.pid, 1].entries())
      home.recordFile(`${pid}`, {
        pid,
        sessionId: sessionId(index),
        procStart: process.startTicks,
        startedAt: home.ago(20 * minute),
        pidDomain: foreignDomain,
        ...since(home.ago(minute), "busy"),
      });
    const roster = await home.ls();
    for (const index of [0, 1, 2]) assert.equal(roster.row(sessionId(index)).liveness.kind, "unknown");
  });
});

describe("an end", options, () => {
  test("L06 L15 shows at once and stays to be seen, of a process that left nothing too", async (t) => {
    const home = caseHome(t);
    const recorded = home.session(sessionId(1), since(home.ago(minute), "busy"), (lines) => lines.prompt());
    const named = home.start({ args: ["--resume", sessionId(2)] });
    const bare = home.start();
    const follower = await home.follow();
    const life = (pid: number): string | undefined =>
      follower.roster.sessions.find((session) => session.pid === pid)?.liveness.kind;
    for (const { pid } of [recorded, named, bare]) await follower.waitFor("a row", () => life(pid) === "live", 15_000);
    for (const process of [recorded, named, bare]) {
      await process.kill();
      await follower.waitWithin("its end", () => life(process.pid) === "ended", 1_500);
    }
    for (const { pid } of [recorded, named, bare]) assert.equal(life(pid), "ended");
  });

  test("L07 a dead record stays where it is, as it is, and its session is one that ended, whatever it lacks", async (t) => {
    const home = caseHome(t);
    const shapes = [
      {},
      { cwd: "" },
      { cwd: undefined, name: undefined },
      { startedAt: undefined },
      { status: undefined },
    ];
    const files: string[] = [];
    for (const [index, fields] of shapes.entries()) {
      const process = home.start();
      files.push(home.record(process, sessionId(index), { ...since(home.ago(minute), "busy"), ...fields }));
      await process.kill();
    }
    const before = files.map((path) => readFileSync(path, "utf8"));
    const roster = await home.ls();
    for (const index of shapes.keys()) assert.equal(roster.says(sessionId(index)), "ended: killed, ended");
    assert.deepEqual(
      files.map((path) => readFileSync(path, "utf8")),
      before,
    );
  });

  test("L13 every row has a way out: what ended and was last touched a day ago is listed on request only", async (t) => {
    const home = caseHome(t, { aheadMs: 3 * day });
    const shapes = [
      {},
      { cwd: "" },
      { cwd: undefined, name: undefined },
      { startedAt: undefined },
      { status: undefined },
    ];
    for (const [index, fields] of shapes.entries()) {
      const process = home.start();
      home.record(process, sessionId(index), { ...since(home.ago(47 * hour), "busy"), ...fields });
      await process.kill();
    }
    home.transcript(sessionId(50), (lines) => lines.at(home.ago(47 * hour)).prompt());
    const ids = [...shapes.keys(), 50].map((index) => sessionId(index));
    assert.deepEqual((await home.ls()).ids, []);
    const all = await home.ls("--all");
    assert.deepEqual(all.ids, ids);
    assert.equal(all.says(sessionId(0)), "ended: killed, ended");
  });

  test("L28 a conversation that is resumed lives again, though its dead record is still there", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const first = home.start();
    home.record(first, id, since(home.ago(30 * minute), "busy"));
    await first.kill();
    assert.equal((await home.ls()).says(id), "ended: killed, ended");
    const again = home.start({ args: ["--resume", id] });
    home.record(again, id, since(home.ago(minute), "idle"));
    const roster = await home.ls();
    assert.equal(roster.row(id).liveness.kind, "live");
    assert.equal(roster.row(id).pid, again.pid);
  });

  test("L14 L27 L29 R09 one process is one live row: /clear ends the row before, at the time of the first rotation", async (t) => {
    const home = caseHome(t);
    const ids = [1, 2, 3].map(sessionId) as [string, string, string];
    const process = home.start();
    home.record(process, ids[0], since(home.ago(minute), "idle"));
    home.transcript(ids[0], (lines) => lines.prompt().says().turnEnds());
    const follower = await home.follow();
    const row = (id: string): (typeof follower.roster.sessions)[number] | undefined =>
      follower.roster.sessions.find((session) => session.id === id);
    const byRecord = (id: string): boolean =>
      row(id)?.evidence.some(({ source }) => source.startsWith("pid-records")) === true;
    await follower.waitFor(
      "the first, by its record",
      () => row(ids[0])?.liveness.kind === "live" && byRecord(ids[0]),
      10_000,
    );
    home.record(process, ids[1], since(home.now, "idle"));
    await follower.waitFor("the second", () => row(ids[1])?.liveness.kind === "live", 10_000);
    const ended = row(ids[0]);
    assert.equal(ended?.liveness.how, "rotated", JSON.stringify(follower.roster.sessions));
    home.record(process, ids[2], since(home.now, "busy"));
    await follower.waitFor("the third", () => row(ids[2])?.liveness.kind === "live", 10_000);
    assert.equal(row(ids[0])?.endedAt, ended.endedAt);
    assert.deepEqual(
      follower.roster.sessions
        .filter(({ pid, liveness }) => pid === process.pid && liveness.kind === "live")
        .map(({ id }) => id),
      [ids[2]],
    );
  });
});

describe("whose process it is", options, () => {
  test("L11 a record of another namespace takes no process of ours, though its pid is the same", async (t) => {
    const home = caseHome(t);
    const ours = home.start({ args: ["--resume", sessionId(1)] });
    home.recordFile(ours.pid, {
      pid: ours.pid,
      sessionId: sessionId(2),
      cwd: home.cwd,
      procStart: "123",
      pidDomain: foreignDomain,
      ...since(home.ago(minute), "busy"),
    });
    const roster = await home.ls();
    assert.equal(roster.row(sessionId(1)).pid, ours.pid);
    assert.equal(roster.row(sessionId(1)).liveness.kind, "live");
    assert.equal(roster.row(sessionId(2)).liveness.kind, "unknown");
    assert.equal(roster.row(sessionId(1)).sandbox, null);
  });

  test("L21 a namespace without a name is shown by its number and marked as derived, never named after a host", async (t) => {
    const home = caseHome(t);
    const inside = await home.startInNamespace();
    home.record(inside, sessionId(1), since(home.ago(minute), "busy"));
    const roster = await home.ls();
    const row = roster.row(sessionId(1));
    assert.equal(row.sandbox, `pidns:${inside.namespace}`);
    assert.equal(row.sandboxDerived, true);
    assert.equal(roster.whole.sandboxes.find(({ name }) => name === row.sandbox)?.derived, true);
  });

  test("L30 the agent's own helpers are no sessions", async (t) => {
    const home = caseHome(t);
    const helpers = [
      ["daemon", "run", "--origin", "transient"],
      [
        "bg-pty-host",
        "--bg-pty-host",
        "/tmp/cc/spare/1.sock",
        "200",
        "50",
        "--",
        "/x/claude",
        "--bg-spare",
        "/tmp/cc/1.sock",
      ],
      ["bg-spare", "--bg-spare", "/tmp/cc/1.sock"],
      ["agents", "--json"],
      ["mcp", "serve"],
      ["--version"],
      ["update"],
    ];
    for (const args of helpers) home.start({ args, argv0: "claude" });
    const spare = home.start({ args: ["bg-spare", "--bg-spare", "/tmp/cc/2.sock"] });
    home.record(spare, sessionId(1), { kind: "bg", spare: true });
    const prompts = [["daemon of the night, run"], ["-p", "explain --bg-spare"], ["tell me of mcp"]].map(
      (args) => home.start({ args }).pid,
    );
    const roster = await home.ls();
    assert.deepEqual(roster.sessions.map(({ pid }) => pid ?? 0).sort(), prompts.sort());
  });

  test("L34 times of another clock prove nothing: what lies ahead is shown as now and answers no prompt", async (t) => {
    const home = caseHome(t);
    const ahead = home.now + 3 * hour;
    const process = home.start();
    home.record(process, sessionId(1), since(home.ago(minute), "waiting", "permission prompt"));
    home.transcript(sessionId(1), (lines) =>
      lines
        .at(home.ago(2 * minute))
        .prompt()
        .calls("Bash", "t1")
        .at(ahead)
        .prompt(),
    );
    const inside = await home.startInNamespace();
    home.record(inside, sessionId(2), { ...since(ahead, "waiting", "permission prompt"), startedAt: ahead });
    home.transcript(sessionId(2), (lines) => lines.at(ahead).prompt().calls("Bash", "t1"));
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "live, needs-you: permission");
    assert.equal(roster.says(sessionId(2)), "live, needs-you: permission");
    for (const { status, openTurns, liveness } of roster.sessions)
      for (const time of [status.since, liveness.asOf, ...openTurns.map((turn) => turn.since)])
        assert.ok(time === undefined || Date.parse(time) <= Date.parse(roster.whole.observedAt) + second);
  });
});

describe("to look", options, () => {
  test("L23 changes nothing, wakes nothing: every file of the agent is as it was", async (t) => {
    const home = caseHome(t);
    home.session(sessionId(1), since(home.ago(minute), "busy"), (lines) => lines.prompt());
    const dead = home.session(sessionId(2), since(home.ago(minute), "busy"), (lines) => lines.prompt());
    await dead.kill();
    home.recordFile(77, "{torn");
    const tree = (): unknown =>
      readdirSync(home.configDir, { recursive: true, withFileTypes: true })
        .map(
          (entry) =>
            join(entry.parentPath, entry.name) +
            (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "hex") : ""),
        )
        .sort();
    const before = tree();
    await home.ls("--all");
    assert.deepEqual(tree(), before);
  });

  test("L24 takes nothing from the input of whoever asks", async (t) => {
    const home = caseHome(t);
    const script = '"$0" "$1" ls --once --json > /dev/null; cat';
    const [node, bundle] = home.world.cli;
    const { stdout } = spawnSync("sh", ["-c", script, node, bundle], { env: home.world.env, input: "kept\n" });
    assert.equal(stdout.toString(), "kept\n");
    await Promise.resolve();
  });
});
