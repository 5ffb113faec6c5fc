// Cases of "which sessions exist, where they belong": what of a config folder is a session, under which folder it is
// shown, and that every one is shown once.
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { caseHome, minute, projectFolder, sessionId, skippedAt } from "../support/rollcall/caseHome.ts";

const options = { concurrency: 3 };

describe("what is a session", options, () => {
  test("B065 transcripts of subagents are no sessions, they belong to their parent", async (t) => {
    const home = caseHome(t);
    const parent = sessionId(1);
    home.transcript(parent, (lines) => lines.prompt().says().turnEnds());
    const project = projectFolder(home.cwd);
    for (const folder of [
      `${project}/${parent}/subagents`,
      `${project}/${parent}/subagents/deeper`,
      `${project}/subagents`,
    ])
      for (let index = 0; index < 20; index += 1)
        home.transcriptFile(
          `agent-a${index}`,
          home.lines(parent).prompt("sub", { isSidechain: true, agentId: `a${index}` }).text,
          { project: folder },
        );
    const roster = await home.ls("--all");
    assert.deepEqual(roster.ids, [parent]);
  });

  test("B068 of a folder with very many small files only the sessions are rows", async (t) => {
    const home = caseHome(t);
    const project = join(home.configDir, "projects", projectFolder(home.cwd));
    for (let index = 0; index < 11; index += 1)
      home.transcript(sessionId(index), (lines) => lines.prompt().says().turnEnds());
    for (let index = 0; index < 20_000; index += 1) writeFileSync(join(project, `file-${index}.json`), "");
    const results = join(project, sessionId(1), "tool-results");
    mkdirSync(results, { recursive: true });
    for (let index = 0; index < 5_000; index += 1) writeFileSync(join(results, `${index}.txt`), "");
    const roster = await home.ls();
    assert.equal(roster.sessions.length, 11);
  });

  test("B081 the folder is the truth, not an index beside it", async (t) => {
    const home = caseHome(t);
    for (let index = 0; index < 65; index += 1) home.transcript(sessionId(index), (lines) => lines.prompt().says());
    const entries = [0, 1, 2, 900].map((index) => ({ sessionId: sessionId(index), fullPath: "/gone.jsonl" }));
    writeFileSync(
      join(home.configDir, "projects", projectFolder(home.cwd), "sessions-index.json"),
      JSON.stringify({ version: 1, entries }),
    );
    const roster = await home.ls();
    assert.equal(roster.sessions.length, 65);
  });

  test("B082 a resumed session whose arguments name another id than its record is one row", async (t) => {
    const home = caseHome(t);
    const [asked, held] = [sessionId(1), sessionId(2)];
    const process = home.start({ args: ["--resume", asked, "--fork-session"] });
    home.record(process, held, { status: "busy" });
    home.transcript(asked, (lines) =>
      lines
        .at(home.ago(50 * minute))
        .prompt("old")
        .says()
        .turnEnds(),
    );
    home.transcript(held, (lines) => lines.prompt("new"));
    const plain = home.start({ args: ["--resume", sessionId(3)] });
    home.record(plain, sessionId(4), { status: "busy" });
    home.transcript(sessionId(4), (lines) => lines.prompt("new"));
    const roster = await home.ls();
    assert.deepEqual(roster.ids, [asked, held, sessionId(4)]);
    assert.equal(roster.says(held), "live, working");
    assert.equal(roster.says(sessionId(4)), "live, working");
    assert.equal(roster.row(asked).liveness.kind, "unknown");
  });

  test("B084 a session is listed whatever folders its reader has open", async (t) => {
    const home = caseHome(t);
    home.transcript(sessionId(1), (lines) => lines.prompt(), { cwd: "/one/of/several" });
    home.transcript(sessionId(2), (lines) => lines.prompt(), { cwd: "/" });
    const roster = await home.ls();
    assert.deepEqual(roster.ids, [sessionId(1), sessionId(2)]);
  });
});

describe("where a session belongs", options, () => {
  test("B069 its folder is of the first record that tells one, never spelled out of the project's name", async (t) => {
    const home = caseHome(t);
    const [late, never] = [sessionId(1), sessionId(2)];
    home.transcript(
      late,
      (lines) =>
        lines
          .raw({ type: "summary", summary: "s" })
          .raw({
            type: "user",
            cwd: null,
            timestamp: new Date(home.ago(minute)).toISOString(),
            message: { content: "x" },
          })
          .says("from here on"),
      { project: "-home-u-data-discovery", cwd: "/home/u/data-discovery" },
    );
    home.transcriptFile(never, `${JSON.stringify({ type: "user", cwd: null, message: { content: "x" } })}\n`, {
      project: "-home-u-data-discovery",
    });
    const roster = await home.ls();
    assert.equal(roster.row(late).cwd, "/home/u/data-discovery");
    assert.equal(roster.row(late).startCwd, "/home/u/data-discovery");
    assert.equal(roster.row(never).cwd, null);
  });

  test("B070 B073 a session is found by its id, whatever the name of its project's folder", async (t) => {
    const home = caseHome(t);
    const folders = [
      "/home/u/my.app_v2 (new)",
      "/home/u/項目/アプリ",
      "/home/u/ünï",
      "relative/.hidden",
      `/home/u/${"long".repeat(60)}`,
    ];
    const names = [undefined, "-home-u-項目-アプリ", "...", "my.app_v2 (new)", "x".repeat(200)];
    for (const [index, cwd] of folders.entries()) {
      const project = names[index] ?? projectFolder(cwd);
      const process = home.start();
      home.record(process, sessionId(index), { cwd, status: "idle", statusUpdatedAt: home.ago(30 * minute) });
      home.transcript(sessionId(index), (lines) => lines.prompt().calls("AskUserQuestion", "t1"), { cwd, project });
    }
    const roster = await home.ls();
    for (const [index, cwd] of folders.entries()) {
      assert.equal(roster.says(sessionId(index)), "live, needs-you: question");
      assert.equal(roster.row(sessionId(index)).cwd, cwd);
    }
  });

  test("B074 a config folder reached through a link is one folder, with one row for each session", async (t) => {
    const home = caseHome(t, { configDirs: [".claude-real"] });
    const link = join(home.root, ".claude");
    symlinkSync(home.configDir, link);
    home.world.env["ROLLCALL_CONFIG_DIRS"] = [link, home.configDir, `${link}/`].join(":");
    const physical = join(home.root, "physical");
    mkdirSync(physical);
    symlinkSync(physical, join(home.root, "linked"));
    const process = home.start({
      env: { CLAUDE_CONFIG_DIR: link },
      args: ["--resume", sessionId(2)],
      cwd: join(home.root, "linked"),
    });
    home.record(process, sessionId(1), { cwd: physical, status: "busy" });
    home.transcript(sessionId(1), (lines) => lines.prompt(), { cwd: physical });
    home.start({ env: { CLAUDE_CONFIG_DIR: link }, args: ["--resume", sessionId(3)], cwd: join(home.root, "linked") });
    home.transcript(sessionId(3), (lines) => lines.prompt(), { cwd: physical });
    const roster = await home.ls();
    assert.deepEqual(roster.ids, [sessionId(1), sessionId(3)]);
    assert.equal(roster.row(sessionId(1)).cwd, physical);
    assert.equal(roster.says(sessionId(3)), "live, working");
  });

  test("B075 every config folder that is named is read, its rows labelled by it", async (t) => {
    const dirs = [".claude", ".claude-work", "opt/x"];
    const home = caseHome(t, { configDirs: dirs });
    const same = sessionId(9);
    for (const [index, dir] of dirs.entries()) {
      const configDir = join(home.root, dir);
      const process = home.start({ env: { CLAUDE_CONFIG_DIR: configDir } });
      const path = home.record(process, sessionId(index), { status: "busy" });
      renameSync(path, join(configDir, "sessions", `${process.pid}.json`));
      home.transcript(sessionId(index), (lines) => lines.prompt(), { configDir });
      home.transcript(same, (lines) => lines.prompt().says().turnEnds(), { configDir, from: home.ago(30 * minute) });
    }
    const roster = await home.ls();
    for (const [index, dir] of dirs.entries()) {
      assert.equal(roster.says(sessionId(index)), "live, working");
      assert.equal(roster.row(sessionId(index)).configDir, join(home.root, dir));
    }
    assert.deepEqual(
      roster.sessions.filter(({ id }) => id === same).map(({ configDir }) => configDir),
      dirs.map((dir) => join(home.root, dir)),
    );
    assert.equal(new Set(roster.sessions.map(({ key }) => key)).size, roster.sessions.length);
  });

  test("B077 it began in the first folder that its transcript tells and works in the last", async (t) => {
    const home = caseHome(t);
    const moved = { cwd: "/home/u/app/.claude/worktrees/w1" };
    home.transcript(
      sessionId(1),
      (lines) => lines.prompt("p", { cwd: "/home/u/app" }).says("s", "end_turn", moved).prompt("p", moved),
      { cwd: "/home/u/app" },
    );
    const far = sessionId(2);
    home.transcript(
      far,
      (lines) => {
        lines.prompt("p", { cwd: "/home/u/app" });
        // Farther apart than what is read of a file's end.
        for (let index = 0; index < 40; index += 1)
          lines.prompt("x".repeat(10_000), moved).says("s", "end_turn", moved);
      },
      { cwd: "/home/u/app" },
    );
    const roster = await home.ls();
    for (const id of [sessionId(1), far]) {
      assert.equal(roster.row(id).startCwd, "/home/u/app");
      assert.equal(roster.row(id).cwd, moved.cwd);
    }
  });

  test("B065 a subagent's transcript that an older version wrote beside its session is no session", async (t) => {
    const home = caseHome(t);
    home.transcript(sessionId(1), (lines) => lines.prompt().says().turnEnds());
    home.transcriptFile("agent-b1", home.lines(sessionId(1)).prompt("sub", { isSidechain: true, agentId: "b1" }).text);
    const roster = await home.ls("--all");
    assert.deepEqual(roster.ids, [sessionId(1)]);
  });

  test("B080 a transcript one folder too deep is found or told of", async (t) => {
    const home = caseHome(t);
    const project = projectFolder(home.cwd);
    home.transcript(sessionId(1), (lines) => lines.prompt(), { project: `${project}/${project}` });
    const roster = await home.ls("--all");
    assert.ok(roster.ids.includes(sessionId(1)) || skippedAt(roster).length > 0);
  });

  test("B076 a folder that is gone is a mark on its row", async (t) => {
    const home = caseHome(t);
    const [there, gone] = [join(home.root, "there"), join(home.root, "gone")];
    mkdirSync(there);
    mkdirSync(gone);
    for (const [index, cwd] of [there, gone].entries())
      home.transcript(sessionId(index), (lines) => lines.prompt().says(), { cwd });
    rmSync(gone, { recursive: true });
    const roster = await home.ls();
    assert.equal(roster.row(sessionId(1)).folderGone, true);
    assert.notEqual(roster.row(sessionId(0)).folderGone, true);
    assert.equal(roster.row(sessionId(1)).liveness.kind, "unknown");
  });
});
