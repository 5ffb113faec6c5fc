// Cases of "liveness and identity of a process": which process a record or an argument vector speaks of, whether it
// lives, and what follows where nobody can tell.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { initialNamespace } from "../../agent/core/recordDomain.ts";
import { caseHome, hour, minute, sessionId, skippedAt, touch } from "../support/rollcall/caseHome.ts";
import { ownPidDomain } from "../support/rollcall/standIn.ts";

const options = { concurrency: 4 };

describe("a process that is gone", options, () => {
  test("B001 killed in the middle of a tool: ended, its open turn kept as abandoned, never as needing you", async (t) => {
    const home = caseHome(t, { aheadMs: 3 * hour });
    const left = [
      { tool: "Bash", record: { status: "busy" } },
      { tool: "Bash", record: { status: "waiting", waitingFor: "permission prompt" } },
      { tool: "AskUserQuestion", record: { status: "waiting", waitingFor: "input needed" } },
      { tool: "ExitPlanMode", record: { status: "waiting", waitingFor: "permission prompt" } },
      { tool: "Write", record: {} },
    ];
    for (const [index, { tool, record }] of left.entries()) {
      const process = home.session(sessionId(index), record, (lines) =>
        lines
          .at(home.ago(2 * hour))
          .prompt()
          .calls(tool, `toolu_${index}`)
          .calls("Read", `toolu_${index}b`),
      );
      await process.kill();
    }
    const noRecord = sessionId(99);
    home.transcript(noRecord, (lines) =>
      lines
        .at(home.ago(2 * hour))
        .prompt()
        .calls("Bash", "toolu_99"),
    );
    const roster = await home.ls();
    for (const [index, { tool }] of left.entries()) {
      assert.equal(roster.says(sessionId(index)), "ended: killed, ended");
      const open = roster.row(sessionId(index)).openTurns.map((turn) => [turn.tool, turn.abandoned]);
      assert.deepEqual(open, [
        [tool, true],
        ["Read", true],
      ]);
    }
    assert.equal(roster.says(noRecord), "unknown, unknown");
  });

  test("B003 L01 L31 a pid that another process has now is no life: the start, the boot and the host are compared too", async (t) => {
    const home = caseHome(t);
    const other = home.start({ program: "bin/postgres" });
    const agent = home.start();
    const own = ownPidDomain();
    // Only who sees every process of the host can say that a namespace has none.
    const gone = own.endsWith(`[${initialNamespace}]`) ? "ended: killed, ended" : "unknown, unknown";
    const shapes = [
      ["another program has the pid", other, { procStart: "1" }, "ended: killed, ended"],
      ["another agent has the pid", agent, { procStart: "1" }, "ended: killed, ended"],
      ["a start one tick off", agent, { procStart: String(Number(agent.startTicks) + 1) }, "ended: killed, ended"],
      ["begun before the host was", agent, { procStart: "1", startedAt: 1_000_000_000_000 }, "ended: killed, ended"],
      ["of another host's namespace", agent, { pidDomain: "linux:ffff:pid:[1]" }, "unknown, unknown"],
      ["of a namespace that is gone", agent, { pidDomain: own.replace(/\d+\]$/, "1]") }, gone],
      ["tells no start", agent, { procStart: undefined }, "unknown, working"],
      ["a start that is no number", agent, { procStart: { ticks: 1 } }, "unknown, working"],
    ] as const;
    const dirs: string[] = [];
    for (const [index, [, process, fields]] of shapes.entries()) {
      // One file name for each pid, so a config folder for each shape.
      const dir = join(home.root, `config-${index}`);
      mkdirSync(join(dir, "sessions"), { recursive: true });
      mkdirSync(join(dir, "projects"));
      dirs.push(dir);
      const from = home.record(process, sessionId(index), { status: "busy", ...fields });
      home.recordFile(process.pid, readFileSync(from), dir);
      rmSync(from);
    }
    home.world.env["ROLLCALL_CONFIG_DIRS"] = dirs.join(":");
    const roster = await home.ls();
    const told = shapes.map(([shape], index) => `${shape}: ${roster.says(sessionId(index))}`);
    assert.deepEqual(
      told,
      shapes.map(([shape, , , expected]) => `${shape}: ${expected}`),
    );
  });

  test("B003 a record of another host is not believed though pid, start and namespace number are those of a process here", async (t) => {
    const home = caseHome(t);
    const agent = home.start();
    const foreign = ownPidDomain().replace(/^linux:[^:]*/, "linux:ffffffffffffffffffffffffffffffff");
    home.record(agent, sessionId(1), { status: "busy", pidDomain: foreign });
    agent.recorded = false;
    const roster = await home.ls();
    assert.equal(roster.row(sessionId(1)).liveness.kind, "unknown");
  });

  test("B004 a record from before a rebuild whose low pid is a service now is of a session that ended", async (t) => {
    const home = caseHome(t);
    home.recordFile(1, {
      pid: 1,
      sessionId: sessionId(1),
      cwd: home.cwd,
      startedAt: home.ago(48 * hour),
      procStart: "987654321",
      pidDomain: ownPidDomain(),
      kind: "interactive",
      status: "busy",
      updatedAt: home.ago(minute),
    });
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "ended: killed, ended");
  });

  test("B005 a record that tells no start holds or is unknown, and is never taken for dead while its pid lives", async (t) => {
    const home = caseHome(t);
    const process = home.start();
    home.record(process, sessionId(1), { procStart: undefined, status: "busy" });
    const roster = await home.ls();
    assert.notEqual(roster.row(sessionId(1)).liveness.kind, "ended");
  });

  test("B019 entries that an upgrade left in the daemon's roster are no rows", async (t) => {
    const home = caseHome(t);
    mkdirSync(join(home.configDir, "daemon"));
    const worker = { sessionId: sessionId(1), pid: 4_000_000, procStart: "1", status: "login required" };
    writeFileSync(
      join(home.configDir, "daemon", "roster.json"),
      JSON.stringify({ version: 1, workers: { a: worker, b: { ...worker, sessionId: sessionId(2) } } }),
    );
    const dead = home.start();
    home.record(dead, sessionId(3), { kind: "bg", jobId: "3f", status: "busy" });
    await dead.kill();
    const roster = await home.ls();
    assert.deepEqual(roster.ids, [sessionId(3)]);
    assert.equal(roster.says(sessionId(3)), "ended: killed, ended");
  });

  test("B020 a lock that a dead process left beside a session keeps nobody from it", async (t) => {
    const home = caseHome(t);
    const path = home.transcript(sessionId(1), (lines) => lines.prompt().says().turnEnds());
    const folder = path.replace(/\.jsonl$/, "");
    mkdirSync(folder);
    writeFileSync(join(folder, "inuse.4000000.lock"), "");
    writeFileSync(join(home.configDir, "sessions", "inuse.4000000.lock"), "");
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "unknown, waiting");
    assert.deepEqual(skippedAt(roster), []);
  });
});

describe("a process that lives", options, () => {
  test("B002 busy stays busy however old its record is, for the process decides", async (t) => {
    const home = caseHome(t, { aheadMs: 9 * hour });
    const ages = [6 * minute, hour, 8 * hour];
    for (const [index, age] of ages.entries()) {
      const at = home.ago(age);
      const process = home.session(sessionId(index), { status: "busy", updatedAt: at, statusUpdatedAt: at }, (lines) =>
        lines.at(at).prompt(),
      );
      touch(join(home.configDir, "sessions", `${process.pid}.json`), home.ago(age));
    }
    const roster = await home.ls();
    for (const index of ages.keys()) {
      assert.equal(roster.says(sessionId(index)), "live, working");
      assert.equal(roster.row(sessionId(index)).liveness.stale, false);
    }
  });

  test("B008 without session records the sessions are those of the transcripts, their life unknown", async (t) => {
    for (const shape of ["missing", "empty"] as const) {
      const home = caseHome(t);
      if (shape === "missing") rmSync(join(home.configDir, "sessions"), { recursive: true });
      home.start();
      home.transcript(sessionId(1), (lines) => lines.prompt().says().turnEnds());
      home.transcript(sessionId(2), (lines) => lines.prompt().calls("Bash", "toolu_2"));
      const roster = await home.ls();
      assert.equal(roster.says(sessionId(1)), "unknown, waiting", shape);
      assert.equal(roster.says(sessionId(2)), "unknown, working", shape);
      // Two may be its conversation, so it is none of them, and a row of its own.
      assert.deepEqual(
        roster.bare.map(({ liveness }) => liveness.kind),
        ["live"],
        shape,
      );
    }
  });

  test("B009 B010 B013 L10 R10 a session by its program: bare, by its path, a version of its own, hosted", async (t) => {
    const home = caseHome(t);
    const looks = [
      { argv0: "claude" },
      {
        program: "usr/local/lib/node_modules/@anthropic-ai/claude-code/bin/claude",
        args: ["--resume", sessionId(1)],
      },
      { program: ".local/share/claude/versions/2.1.332", argv0: "claude" },
      { program: ".local/share/claude/versions/2.1.332", argv0: join(home.root, "bin", "claude") },
      { program: "vers/2.1.332", argv0: join(home.root, "lb", "claude") },
      { program: "nm/claude.exe", argv0: join(home.root, "nm", "claude"), args: ["-p", "say hello"] },
      {
        program: ".claude/remote/ccd-cli/2.1.271",
        args: ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"],
      },
      {
        program: "ext/resources/native-binary/claude",
        args: ["--output-format", "stream-json", "--permission-prompt-tool", "stdio"],
      },
      { args: ["fix the daemon run", "--verbose"] },
    ].map((look) => ({ look, pid: home.start(look).pid }));
    const server = home.start({ program: "remote/server", args: ["--serve", "--socket", "/tmp/ccd-cli/s.sock"] });
    const roster = await home.ls();
    for (const { look, pid } of looks) {
      const rows = roster.sessions.filter((row) => row.pid === pid);
      assert.deepEqual(
        rows.map(({ liveness }) => liveness.kind),
        ["live"],
        JSON.stringify(look),
      );
    }
    assert.equal(roster.sessions.length, looks.length);
    assert.equal(roster.row(sessionId(1)).pid, looks[1]?.pid);
    assert.ok(roster.sessions.every(({ pid }) => pid !== server.pid));
  });

  test("B011 L03 an interpreter is a session by its script, a path with spaces included; another script is none", async (t) => {
    const home = caseHome(t);
    const script = "/opt/My Tools/node_modules/@anthropic-ai/claude-code/cli.js";
    const node = { program: "Program Files/nodejs/node" };
    const sessions = [
      { ...node, args: [script] },
      { ...node, args: ["--max-old-space-size=4096", "--no-warnings", script, "--resume", sessionId(1)] },
      { ...node, args: ["--require", "/opt/hook.js", script] },
      {
        program: "Program Files/nodejs/node.exe",
        args: ["C:\\Program Files\\nodejs\\node_modules\\@anthropic-ai\\claude-code\\cli.js"],
      },
      { program: "bin/bun", args: [script] },
      { ...node, args: ["/usr/bin/claude", "-p", "hello"] },
    ].map((look) => home.start(look).pid);
    for (const args of [
      ["server.js"],
      ["server.js", script],
      ["--require", script, "server.js"],
      ["-e", "0"],
      ["/opt/claude-watch/cli.js"],
    ])
      home.start({ ...node, args });
    const roster = await home.ls();
    assert.deepEqual(roster.sessions.map(({ pid }) => pid ?? 0).sort(), [...sessions].sort());
    assert.equal(roster.says(sessionId(1)).split(",")[0], "live");
  });

  test("B015 L02 a program that only mentions the agent is no session", async (t) => {
    const home = caseHome(t);
    const mentions = [
      { program: "bin/vim", args: ["claude-watch.sh"] },
      { program: "bin/vim", args: ["/home/u/.local/bin/claude"] },
      { program: "bin/grep", args: ["-r", "claude", "."] },
      { program: "bin/bash", args: ["-lc", "cd /x && claude --resume 1"] },
      { program: "bin/bash", args: ["-c", "source /root/.claude/shell-snapshots/snapshot-bash.sh && sleep 100"] },
      { program: "bin/tail", args: ["-f", "/root/.claude/history.jsonl"] },
      { program: "bin/claudectl" },
      { program: "bin/claude-monitor" },
      { program: "bin/tmux", args: ["new-session", "-d", "claude"] },
      { program: "bin/sudo", args: ["claude"] },
      { program: "opt/claude/helper" },
    ];
    for (const look of mentions) home.start(look);
    const roster = await home.ls();
    assert.deepEqual(roster.ids, []);
  });
});

describe("a record or an answer that cannot be trusted", options, () => {
  test("B017 a record whose pid is no pid is no record, counted and shown", async (t) => {
    const home = caseHome(t);
    const shapes = ["0", "-1", "1.5", '"12"', "null", "1e400", "true"];
    for (const [index, pid] of shapes.entries())
      home.recordFile(5_000 + index, `{"pid":${pid},"sessionId":"${sessionId(index)}","status":"busy"}`);
    home.recordFile(0, { pid: 0, sessionId: sessionId(90), status: "busy" });
    home.recordFile(6_000, { pid: 6_000, sessionId: "../../x", status: "busy" });
    const roster = await home.ls();
    assert.deepEqual(roster.ids, []);
    for (const index of shapes.keys())
      assert.equal(
        skippedAt(roster, join(home.configDir, "sessions", `${5_000 + index}.json`)).length,
        1,
        shapes[index],
      );
  });

  test("B016 transcripts that move while no process of the agent is found are told of, as a look that may have drifted", async (t) => {
    const home = caseHome(t);
    home.start({ program: "bin/renamed-agent" });
    for (const index of [1, 2, 3])
      home.transcript(sessionId(index), (lines) => lines.at(home.ago(20_000)).prompt().calls("Bash", "t"));
    const roster = await home.ls();
    assert.match(JSON.stringify([roster.whole.skipped, roster.whole.sources]), /3 transcripts? moved/);
  });

  test("B018 L08 a host whose kernel cannot be asked ends nobody, and no record is ever removed", async (t) => {
    const home = caseHome(t);
    const process = home.session(sessionId(1), { status: "busy" }, (lines) => lines.prompt());
    const path = join(home.configDir, "sessions", `${process.pid}.json`);
    const before = readFileSync(path);
    await process.kill();
    const blind = await home.lsWithoutProc();
    assert.notEqual(blind.row(sessionId(1)).liveness.kind, "ended");
    const seeing = await home.ls();
    assert.equal(seeing.says(sessionId(1)), "ended: killed, ended");
    assert.ok(existsSync(path));
    assert.deepEqual(readFileSync(path), before);
  });

  test("B025 right start: a row; wrong start: ended; torn: told; another program with the right start: not live", async (t) => {
    const home = caseHome(t);
    const [right, wrong, torn, sleep] = [
      home.start(),
      home.start(),
      home.start(),
      home.start({ program: "bin/sleep" }),
    ];
    home.record(right, sessionId(1));
    home.record(wrong, sessionId(2), { procStart: "7" });
    const path = home.record(torn, sessionId(3));
    writeFileSync(path, readFileSync(path).subarray(0, 60));
    home.record(sleep, sessionId(4));
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "live, idle");
    assert.equal(roster.says(sessionId(2)), "ended: killed, ended");
    assert.equal(skippedAt(roster, path).length, 1);
    assert.notEqual(roster.row(sessionId(4)).liveness.kind, "live");
  });
});

describe("a session of another pid namespace", options, () => {
  test("B022 is listed with its namespace and lives by what the kernel shows from outside", async (t) => {
    const home = caseHome(t);
    const inside = await home.startInNamespace();
    home.record(inside, sessionId(1), { status: "busy" });
    home.transcript(sessionId(1), (lines) => lines.prompt());
    const gone = await home.startInNamespace(9);
    home.record(gone, sessionId(2), { status: "busy" });
    home.transcript(sessionId(2), (lines) => lines.prompt().says().turnEnds());
    await gone.kill();
    const roster = await home.ls();
    const row = roster.row(sessionId(1));
    assert.equal(roster.says(sessionId(1)), "live, working");
    assert.equal(row.sandbox, `pidns:${inside.namespace}`);
    assert.equal(row.pid, inside.hostPid);
    assert.deepEqual(
      roster.whole.sandboxes.filter(({ name }) => name === row.sandbox).map(({ state }) => state),
      ["running"],
    );
    assert.equal(roster.row(sessionId(2)).sandbox, `pidns:${gone.namespace}`);
    assert.notEqual(roster.row(sessionId(2)).liveness.kind, "live");
  });
});

describe("after /clear", options, () => {
  for (const shape of ["named by the new transcript", "told by folder and time only"] as const)
    test(`B006 after /clear the row follows the new transcript, ${shape}`, async (t) => {
      const home = caseHome(t, { aheadMs: 3 * hour });
      const process = home.session(
        sessionId(1),
        { status: "busy", updatedAt: home.ago(minute), statusUpdatedAt: home.ago(minute) },
        (lines) =>
          lines
            .at(home.ago(2 * hour))
            .prompt("the old one")
            .says()
            .turnEnds(),
      );
      const named = shape === "named by the new transcript" ? { session_id: sessionId(1) } : {};
      home.transcript(sessionId(2), (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt("the new one", named)
          .calls("Bash", "toolu_2", "tool_use", named),
      );
      const roster = await home.ls();
      assert.equal(roster.says(sessionId(2)), "live, working");
      assert.equal(roster.row(sessionId(2)).pid, process.pid);
      assert.equal(roster.says(sessionId(1)), "ended: rotated, ended");
    });
});
