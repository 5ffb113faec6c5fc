// `rollcall hooks` and `rollcall hook` as a person and as the coding agent run them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { hooksChangedJsonSchema, hooksStatusJsonSchema } from "../../protocol/cliJson.ts";
import { startTerminal } from "../support/claude/terminal.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

describe("the command that installs hooks", { timeout: 120_000 }, () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-command-")));
  const configDir = join(home, ".claude");
  const settings = join(configDir, "settings.json");
  const bin = join(home, "bin");
  let rollcall: RollcallWorld;
  const spool = (): string => join(rollcall.dataDir, "spool", "host");

  before(() => {
    mkdirSync(bin);
    rollcall = new RollcallWorld({ configDirs: [configDir] });
  });
  after(async () => {
    await rollcall.close();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    rmSync(configDir, { recursive: true, force: true });
    mkdirSync(configDir);
    writeFileSync(settings, '{\n  "model": "opus"\n}\n');
  });

  /** An agent of that version first on the path. */
  const withAgent = (says: string): Record<string, string> => {
    const program = join(bin, "claude");
    writeFileSync(program, `#!/bin/sh\n${says}\n`);
    chmodSync(program, 0o755);
    return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  };
  const unchanged = (): void => assert.equal(readFileSync(settings, "utf8"), '{\n  "model": "opus"\n}\n');

  test("H05 changes nothing where nobody can be asked and nobody said yes", async () => {
    const { code, stdout, stderr } = await rollcall.run(["hooks", "install"]);
    assert.equal(code, 1);
    assert.match(stdout, /\n\+ {2}"hooks": \{\n/);
    assert.match(
      stderr,
      /^rollcall hooks: .*settings\.json was not changed, since nobody can be asked here; say --yes[^\n]*\n$/,
    );
    unchanged();
  });

  test("asks in a terminal, and takes only a yes for one", async () => {
    const [node, cli] = rollcall.cli;
    for (const [answer, isInstalled] of [
      ["n", false],
      ["", false],
      ["y", true],
    ] as const) {
      const terminal = startTerminal({ binary: node, args: [cli, "hooks", "install"], env: rollcall.env, cwd: home });
      await terminal.waitForScreen(/Change .*settings\.json\? \[y\/N\]/, 30_000);
      terminal.type(answer);
      terminal.press("enter");
      await terminal.exited;
      assert.equal(readFileSync(settings, "utf8").includes("rollcall-hook"), isInstalled, answer);
    }
  });

  test("refuses an agent that is too old, by its own word or its sessions', and changes nothing", async () => {
    const old = await rollcall.run(["hooks", "install", "--yes"], withAgent('echo "2.1.99 (Claude Code)"'));
    assert.equal(old.code, 1);
    assert.match(old.stderr, /the coding agent is 2\.1\.99.*update it to 2\.1\.122 or newer/);
    unchanged();
    const none = withAgent("exit 3");
    mkdirSync(join(configDir, "sessions"));
    writeFileSync(
      join(configDir, "sessions", `${process.pid}.json`),
      JSON.stringify({ pid: process.pid, sessionId: "s", version: "2.0.5" }),
    );
    assert.equal((await rollcall.run(["hooks", "install", "--yes"], none)).code, 1);
    rmSync(join(configDir, "sessions"), { recursive: true });
    mkdirSync(join(configDir, "projects", "-app"), { recursive: true });
    writeFileSync(join(configDir, "projects", "-app", "s.jsonl"), '{"type":"user","version":"2.1.121"}\n');
    assert.equal((await rollcall.run(["hooks", "install", "--yes"], none)).code, 1);
    unchanged();
    const hanging = { ...withAgent("sleep 60"), HOME: join(home, "nobody") };
    rmSync(join(configDir, "projects"), { recursive: true });
    assert.equal((await rollcall.run(["hooks", "install", "--yes"], hanging)).code, 0);
  });

  test("says what it did as JSON, and how the hooks stand", async () => {
    const env = withAgent('echo "2.1.332 (Claude Code)"');
    const json = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await rollcall.run(["hooks", ...args, "--json"], env)).stdout);
    const state = async (): Promise<string | undefined> =>
      hooksStatusJsonSchema.parse(await json("status")).folders[0]?.state;
    assert.equal(await state(), "none");
    const installed = hooksChangedJsonSchema.parse(await json("install", "--yes"));
    assert.deepEqual(
      installed.folders.map(({ outcome }) => outcome),
      ["changed"],
    );
    assert.deepEqual(hooksChangedJsonSchema.parse(await json("install", "--yes")).folders[0]?.outcome, "unchanged");
    assert.deepEqual(hooksStatusJsonSchema.parse(await json("status")).folders[0]?.agentVersions, ["2.1.332"]);
    assert.equal(await state(), "installed");
    const text = readFileSync(settings, "utf8");
    writeFileSync(settings, text.replace('"Stop"', '"Setup"'));
    assert.equal(await state(), "other");
    writeFileSync(settings, text.replace("rollcall-hook 1", "rollcall-hook 0"));
    assert.equal(await state(), "other");
    writeFileSync(settings, text.replace("{\n", '{\n  "disableAllHooks": true,\n'));
    assert.equal(hooksStatusJsonSchema.parse(await json("status")).folders[0]?.switchedOffBy, "disableAllHooks");
    writeFileSync(settings, text);
    const folder = join(configDir, "projects", "-app");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "s.jsonl"), '{"type":"user"}\n');
    assert.equal(hooksStatusJsonSchema.parse(await json("status")).folders[0]?.silentSince, undefined);
    const old = Date.now() / 1_000 - 3_600;
    utimesSync(settings, old, old);
    assert.match(hooksStatusJsonSchema.parse(await json("status")).folders[0]?.says ?? "", /they are silent/);
    assert.equal(hooksChangedJsonSchema.parse(await json("uninstall", "--yes")).folders[0]?.outcome, "changed");
    unchanged();
  });

  test("leaves what it cannot change safely, in one folder of two", async () => {
    const other = join(home, ".other");
    mkdirSync(other, { recursive: true });
    symlinkSync(settings, join(other, "settings.json"));
    const env = { ROLLCALL_CONFIG_DIRS: `${configDir}:${other}` };
    const { code, stderr } = await rollcall.run(["hooks", "install", "--yes"], env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^rollcall hooks: .*\.other\/settings\.json is not one that can be changed safely \(a symbolic link\)[^\n]*\n$/,
    );
    assert.match(readFileSync(settings, "utf8"), /rollcall-hook/);
    assert.equal((await rollcall.run(["hooks", "uninstall", "--yes", "--config-dir", configDir], env)).code, 0);
    unchanged();
    const missing = await rollcall.run(["hooks", "install", "--yes", "--config-dir", join(home, "none")]);
    assert.deepEqual([missing.code, missing.stdout], [1, ""]);
    assert.match(missing.stderr, /there is no config folder/);
    for (const args of [[], ["nonsense"], ["install", "more"]])
      assert.equal((await rollcall.run(["hooks", ...args])).code, 2);
  });

  test("`hook` writes one event as the installed hooks do, and is silent whatever happens", async () => {
    const [node, cli] = rollcall.cli;
    const run = (input: string | undefined): Promise<{ readonly code: number | null; readonly said: string }> =>
      new Promise((resolve) => {
        const child = spawn(node, [cli, "hook"], {
          env: { ...rollcall.env, CLAUDE_PID: "77" },
          stdio: ["pipe", "pipe", "pipe"],
        });
        let said = "";
        child.stdout.on("data", (chunk) => (said += String(chunk)));
        child.stderr.on("data", (chunk) => (said += String(chunk)));
        child.once("exit", (code) => resolve({ code, said }));
        child.stdin.on("error", () => undefined);
        if (input === undefined) child.stdin.write("{");
        else child.stdin.end(input);
      });
    rmSync(spool(), { recursive: true, force: true });
    assert.deepEqual(await run("{}"), { code: 0, said: "" });
    assert.equal(existsSync(spool()), false);
    mkdirSync(spool(), { recursive: true });
    assert.deepEqual(await run('{"session_id":"s"}'), { code: 0, said: "" });
    const [name = ""] = readdirSync(spool());
    assert.equal(readFileSync(join(spool(), name), "utf8"), '1 77 {"session_id":"s"}\n');
    assert.deepEqual(await run(undefined), { code: 0, said: "" });
  });
});
