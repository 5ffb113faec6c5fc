// Cases of "sessions lost, restore": what `rollcall restore` brings back, and what it never starts a second time. Each
// is run as a user runs it, on a HOME built for it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { restoreJsonSchema, type RestoreJson } from "../../protocol/cliJson.ts";
import { caseHome, hour, minute, sessionId, type CaseHome } from "../support/rollcall/caseHome.ts";

const options = { concurrency: 3 };
const [first, second] = [sessionId(1), sessionId(2)];

type Entry = Readonly<Record<string, unknown>>;

function record(home: CaseHome, sandboxes: Readonly<Record<string, readonly Entry[]>>): string {
  mkdirSync(home.world.dataDir, { recursive: true, mode: 0o700 });
  const path = join(home.world.dataDir, "sandbox-sessions.json");
  writeFileSync(path, `${JSON.stringify({ version: 1, sandboxes }, null, 2)}\n`);
  return path;
}

function entry(home: CaseHome, id: string, more: Entry = {}): Entry {
  const transcript = join(home.configDir, "projects", home.cwd.replace(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`);
  return { session_id: id, cwd: home.cwd, transcript, started_at_ms: home.ago(hour), ...more };
}

interface Plan {
  readonly code: number;
  readonly sessions: RestoreJson["sessions"];
}

async function plan(home: CaseHome, ...args: readonly string[]): Promise<Plan> {
  const { code, stdout, stderr } = await home.world.run(["restore", "--once", "--json", ...args]);
  assert.ok(stdout !== "", stderr);
  return { code, sessions: restoreJsonSchema.parse(JSON.parse(stdout)).sessions };
}

/** Each session with what would become of it. */
function outcomes({ sessions }: Plan): Record<string, string> {
  return Object.fromEntries(
    sessions.map(({ id, sandbox, outcome }) => [
      `${id}${sandbox === null ? "" : `@${sandbox}`}`,
      outcome.kind === "resume" ? "resume" : outcome.why,
    ]),
  );
}

describe("restore", options, () => {
  test("brings back what is recorded and does not run, with its folder and config folder", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)], other: [entry(home, second)] });
    home.transcript(first, (lines) => lines.prompt().says());
    home.transcript(second, (lines) => lines.prompt().says());
    const all = await plan(home, "--all");
    assert.equal(all.code, 0);
    assert.deepEqual(outcomes(all), { [`${first}@box`]: "resume", [`${second}@other`]: "resume" });
    const [item] = (await plan(home, "--sandbox", "box")).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.deepEqual(item.outcome.argv, ["claude", "--resume", first]);
    assert.equal(item.outcome.cwd, home.cwd);
    // The agent's own default is that without the variable: with it, it would look for its login elsewhere.
    assert.deepEqual(item.outcome.env, { CLAUDE_CONFIG_DIR: null });
    assert.match(item.outcome.notes.join(), /the sandbox box cannot be entered from here/);
    const { stdout, stderr } = await home.world.run(["restore", "--once", "--all"]);
    assert.deepEqual(
      stdout.trim().split("\n"),
      [first, second].map((id) => `cd ${home.cwd} && claude --resume ${id}`),
    );
    assert.match(stderr, /outside of the sandbox/);
  });

  test("sets the config folder of a session of another one", async (t) => {
    const home = caseHome(t, { configDirs: [".claude", ".claude-work"] });
    const work = join(home.root, ".claude-work");
    record(home, { box: [entry(home, first, { transcript: undefined })] });
    home.transcript(first, (lines) => lines.prompt().says(), { configDir: work });
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.deepEqual(item.outcome.env, { CLAUDE_CONFIG_DIR: work });
    assert.equal(item.command, `cd ${home.cwd} && CLAUDE_CONFIG_DIR=${work} claude --resume ${first}`);
  });

  test("sets the default config folder where the agent kept its own file in it", async (t) => {
    const home = caseHome(t);
    writeFileSync(join(home.configDir, ".claude.json"), "{}");
    record(home, { box: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.deepEqual(item.outcome.env, { CLAUDE_CONFIG_DIR: home.configDir });
  });

  test("R08 what departed is left out of every wave, and refused by name", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first, { departed_at_ms: home.ago(minute) }), entry(home, second)] });
    for (const id of [first, second])
      home.transcript(id, (lines) => lines.prompt().says(), { from: home.ago(2 * hour) });
    assert.deepEqual(outcomes(await plan(home, "--all")), { [`${second}@box`]: "resume" });
    assert.deepEqual(outcomes(await plan(home, "--sandbox", "box")), { [`${second}@box`]: "resume" });
    const named = await plan(home, first);
    assert.equal(named.code, 1);
    assert.deepEqual(outcomes(named), { [`${first}@box`]: "departed" });
  });

  test("R11 what runs is not started again, in whichever row and sandbox it is asked for", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)], copy: [entry(home, first)] });
    home.session(first, {}, (lines) => lines.prompt().says());
    const all = await plan(home, "--all", "--force");
    assert.equal(all.code, 0);
    assert.deepEqual(outcomes(all), { [`${first}@box`]: "live", [`${first}@copy`]: "live" });
    assert.equal((await plan(home, first, "--sandbox", "box")).code, 1);
    assert.equal((await home.world.run(["restore", "--once", "--all"])).stdout, "");
  });

  test("R11 one conversation that is recorded twice is started once", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)], copy: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    const all = await plan(home, "--all");
    assert.equal(all.code, 0);
    assert.deepEqual(outcomes(all), { [`${first}@box`]: "resume", [`${first}@copy`]: "being-restored" });
    const { stdout } = await home.world.run(["restore", "--once", "--all"]);
    assert.equal(stdout.trim().split("\n").length, 1);
  });

  test("R11 what lives in another pid namespace is not started beside it; when that is gone it is, and that is said", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    const inside = await home.startInNamespace(7);
    home.record(inside, first);
    await inside.settled();
    assert.deepEqual(outcomes(await plan(home, "--all", "--force")), { [`${first}@box`]: "live" });
    await inside.kill();
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "resume", JSON.stringify(item));
    assert.match(item.outcome.notes.join(), /outside of the sandbox/);
  });

  test("R12 a conversation that was resumed under another id is not gone back to, unless that is asked for", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first), entry(home, second)] });
    home.transcript(first, (lines) => lines.prompt().says(), { from: home.ago(2 * hour) });
    home.transcript(second, (lines) =>
      lines
        .raw({ type: "user", uuid: "u1", forkedFrom: { sessionId: first, messageUuid: "u1" } })
        .prompt()
        .says(),
    );
    assert.deepEqual(outcomes(await plan(home, "--all")), {
      [`${first}@box`]: "resumed-as",
      [`${second}@box`]: "resume",
    });
    assert.deepEqual(outcomes(await plan(home, first, "--force")), { [`${first}@box`]: "resume" });
  });

  test("R12 also where only the first record is the same, or the registry names the other's transcript", async (t) => {
    const home = caseHome(t);
    const third = sessionId(3);
    record(home, {
      box: [entry(home, first), entry(home, third, { transcript: entry(home, second)["transcript"] })],
    });
    const same = { type: "user", uuid: "same-uuid", message: { role: "user", content: "begin" } };
    home.transcript(first, (lines) => lines.raw(same).says(), { from: home.ago(2 * hour) });
    home.transcript(second, (lines) => lines.raw(same).prompt().says());
    assert.deepEqual(outcomes(await plan(home, "--all")), {
      [`${first}@box`]: "resumed-as",
      [`${third}@box`]: "resumed-as",
    });
  });

  test("R12 one that was forked and worked on since is still itself", async (t) => {
    const home = caseHome(t, { aheadMs: 0 });
    record(home, { box: [entry(home, first)] });
    const fork = home.transcript(second, (lines) =>
      lines
        .raw({ type: "user", uuid: "u1", forkedFrom: { sessionId: first, messageUuid: "u1" } })
        .prompt()
        .says(),
    );
    const path = home.transcript(first, (lines) => lines.prompt().says());
    const later = Date.now() / 1000 + 600;
    utimesSync(path, later, later);
    utimesSync(fork, later + 60, later + 60);
    assert.deepEqual(outcomes(await plan(home, "--all")), { [`${first}@box`]: "resume" });
  });

  test("R13 R14 T02 a transcript is found by its id, wherever its folder is and however that is written", async (t) => {
    const home = caseHome(t, { configDirs: [".claude", ".claude-work"] });
    const dead = join(home.configDir, "projects", "-gone", `${first}.jsonl`);
    record(home, { box: [entry(home, first, { transcript: dead }), entry(home, second, { transcript: "" })] });
    home.transcript(first, (lines) => lines.prompt().says(), { project: "Odd spelling_of-it" });
    assert.deepEqual(outcomes(await plan(home, "--all")), {
      [`${first}@box`]: "resume",
      [`${second}@box`]: "no-transcript",
    });
    // Not there at its start is no word on now.
    home.transcript(second, (lines) => lines.prompt().says(), { configDir: join(home.root, ".claude-work") });
    assert.deepEqual(outcomes(await plan(home, "--all")), { [`${first}@box`]: "resume", [`${second}@box`]: "resume" });
  });

  test("T07 of two places it goes on in the config folder of the one that grew last", async (t) => {
    const home = caseHome(t, { configDirs: [".claude", ".claude-work"] });
    const work = join(home.root, ".claude-work");
    record(home, { box: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says(), { from: home.ago(3 * hour) });
    home.transcript(first, (lines) => lines.prompt().says(), { configDir: work });
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.deepEqual(item.outcome.env, { CLAUDE_CONFIG_DIR: work });
  });

  test("R15 ids are never options, paths or shell text, and every word of a command is quoted", async (t) => {
    const home = caseHome(t);
    const marker = join(home.root, "ran");
    const odd = join(home.root, `it's $(touch ${marker.replaceAll("/", "_")}) "here"`);
    mkdirSync(odd);
    const ids = ["--dangerously-skip-permissions", "-p", "..", ".hidden"];
    record(home, { box: [...ids.map((id) => entry(home, id)), entry(home, first, { cwd: odd })] });
    home.transcript(first, (lines) => lines.prompt().says(), { cwd: odd });
    const all = await plan(home, "--all");
    assert.equal(all.code, 1);
    for (const id of ids) assert.equal(outcomes(all)[`${id}@box`], "bad-id", id);
    const { stdout } = await home.world.run(["restore", "--once", "--all"]);
    const line = stdout.trim();
    // What a shell makes of the line, with a program in the agent's place that tells what it was given.
    const bin = join(home.root, "told");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), '#!/bin/sh\npwd\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const told = execFileSync("sh", ["-c", line], {
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      encoding: "utf8",
    });
    assert.deepEqual(told.trim().split("\n"), [odd, "--resume", first]);
    assert.ok(!existsSync(marker));
  });

  test("R15 a folder whose name would steer the terminal has no command line, and the plan still names it", async (t) => {
    const home = caseHome(t);
    const odd = join(home.root, "a\u001b[31m\nb");
    mkdirSync(odd);
    record(home, { box: [entry(home, first, { cwd: odd })] });
    home.transcript(first, (lines) => lines.prompt().says(), { cwd: odd });
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.equal(item.outcome.cwd, odd);
    assert.equal(item.command, undefined);
    const { stdout, stderr } = await home.world.run(["restore", "--once", "--all"]);
    assert.equal(stdout, "");
    assert.ok(!stderr.includes("\u001b"));
  });

  test("B074 through a link it is the same folder, B077 and it is the first one", async (t) => {
    const home = caseHome(t);
    const [began, later, link] = ["began", "later", "link"].map((name) => join(home.root, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [began, later]) mkdirSync(folder);
    symlinkSync(began, link);
    record(home, { box: [entry(home, first, { cwd: later }), entry(home, second, { cwd: link })] });
    home.transcript(first, (lines) => lines.prompt().raw({ type: "user", cwd: later, message: { content: "go" } }), {
      cwd: began,
    });
    home.transcript(second, (lines) => lines.prompt().says(), { cwd: link });
    const { sessions } = await plan(home, "--all");
    assert.deepEqual(
      sessions.map(({ outcome }) => (outcome.kind === "resume" ? outcome.cwd : outcome.why)),
      [began, link],
    );
  });

  test("B076 a folder that is gone is refused with what to do, and another one can be said", async (t) => {
    const home = caseHome(t);
    const gone = join(home.root, "gone");
    record(home, { box: [entry(home, first, { cwd: gone })] });
    home.transcript(first, (lines) => lines.prompt().says(), { cwd: gone });
    const refused = await plan(home, "--all");
    assert.equal(refused.code, 1);
    assert.deepEqual(outcomes(refused), { [`${first}@box`]: "folder-gone" });
    const { stderr } = await home.world.run(["restore", "--once", "--all"]);
    assert.match(stderr, /the folder it began in is gone: .*; make that folder again, or say another one with --cwd/);
    writeFileSync(gone, "a file in its place");
    assert.deepEqual(outcomes(await plan(home, "--all")), { [`${first}@box`]: "folder-gone" });
    const [item] = (await plan(home, first, "--cwd", home.cwd)).sessions;
    assert.ok(item?.outcome.kind === "resume");
    assert.equal(item.outcome.cwd, home.cwd);
  });

  test("B082 a resumed session whose arguments name another id than its record is one, and runs", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first), entry(home, second)] });
    home.transcript(first, (lines) => lines.prompt().says(), { from: home.ago(2 * hour) });
    home.transcript(second, (lines) =>
      lines
        .raw({ type: "user", uuid: "u1", forkedFrom: { sessionId: first, messageUuid: "u1" } })
        .prompt()
        .says(),
    );
    home.record(home.start({ args: ["--resume", first] }), second);
    assert.deepEqual(outcomes(await plan(home, "--all")), {
      [`${first}@box`]: "resumed-as",
      [`${second}@box`]: "live",
    });
  });

  test("a config folder that nobody named is not used, since its settings would be run", async (t) => {
    const home = caseHome(t);
    const foreign = join(home.root, "foreign");
    const transcript = join(foreign, "projects", "-app", `${first}.jsonl`);
    mkdirSync(join(foreign, "projects", "-app"), { recursive: true });
    writeFileSync(transcript, "{}\n");
    record(home, { box: [entry(home, first, { transcript })] });
    assert.deepEqual(outcomes(await plan(home, "--all", "--force")), { [`${first}@box`]: "transcript-untrusted" });
  });

  test("a transcript that is a link or a folder is none, and a folder that cannot be searched is told", async (t) => {
    const home = caseHome(t);
    const path = home.transcript(first, (lines) => lines.prompt().says());
    record(home, { box: [entry(home, first)] });
    renameSync(path, join(home.root, "elsewhere.jsonl"));
    symlinkSync(join(home.root, "elsewhere.jsonl"), path);
    assert.deepEqual(outcomes(await plan(home, "--all")), { [`${first}@box`]: "no-transcript" });
    rmSync(join(home.configDir, "projects"), { recursive: true });
    writeFileSync(join(home.configDir, "projects"), "");
    const told = await plan(home, "--all");
    assert.deepEqual(outcomes(told), { [`${first}@box`]: "transcript-unknown" });
  });

  test("nothing is restored while a source that could tell of it is silent; it says which, and --force goes on", async (t) => {
    const home = caseHome(t);
    const path = record(home, { box: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    assert.equal((await home.world.run(["ls", "--once"])).code, 0);
    writeFileSync(path, '{"version":1,"sand');
    const torn = await plan(home, "--all");
    assert.deepEqual(outcomes(torn), { [`${first}@box`]: "liveness-unknown" });
    const [item] = torn.sessions;
    assert.ok(item?.outcome.kind === "refused");
    assert.match(item.outcome.says, /registry does not answer/);
    assert.deepEqual(outcomes(await plan(home, "--all", "--force")), { [`${first}@box`]: "resume" });
  });

  test("a record of another machine's namespace, which nobody here can ask, is no proof that it ended", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    home.recordFile(4242, {
      pid: 4242,
      sessionId: first,
      cwd: home.cwd,
      startedAt: home.ago(hour),
      procStart: "123456",
      pidDomain: "linux:ffffffffffffffffffffffffffffffff:pid:[4026531999]",
      status: "idle",
    });
    const [item] = (await plan(home, "--all")).sessions;
    assert.ok(item?.outcome.kind === "refused");
    assert.equal(item.outcome.why, "liveness-unknown");
  });

  test("what names no session or two is refused, with what to say instead", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first)], copy: [entry(home, first)] });
    home.transcript(first, (lines) => lines.prompt().says());
    const told = await plan(home, first, "nope");
    assert.deepEqual(
      told.sessions.map(({ outcome }) => (outcome.kind === "refused" ? outcome.why : outcome.kind)),
      ["ambiguous", "unknown-session"],
    );
    assert.deepEqual(outcomes(await plan(home, first, "--sandbox", "copy")), { [`${first}@copy`]: "resume" });
  });

  test("--dry-run says in words what would be done, and prints no command", async (t) => {
    const home = caseHome(t);
    record(home, { box: [entry(home, first, { name: "Write\nit" }), entry(home, second)] });
    home.transcript(first, (lines) => lines.prompt().says());
    const { stdout, code } = await home.world.run(["restore", "--once", "--dry-run"]);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^resume  .*\\(${first} in box\\) in ${home.cwd}$`, "m"));
    assert.match(stdout, new RegExp(`^REFUSE  .*${second}.*no config folder has a transcript of it`, "m"));
    assert.ok(!stdout.includes("claude --resume"));
  });
});
