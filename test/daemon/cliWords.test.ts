// What the command prints for people: the table's columns in any script, the words where there is nothing, the help of
// each act.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { textWidth } from "../../cli/textWidth.ts";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

function emptyWorld(t: TestContext): RollcallWorld {
  const configDir = join(scratchFolder(t), ".claude");
  mkdirSync(configDir);
  const rollcall = new RollcallWorld({ configDirs: [configDir] });
  t.after(() => rollcall.close());
  return rollcall;
}

test("titles of wide letters and pictures keep the table's columns in line", async (t) => {
  const rollcall = emptyWorld(t);
  const names = [
    "plain",
    "\u65e5\u672c\u8a9e\u306e\u984c",
    "\ud55c\uad6d\uc5b4",
    "\u{1f469}\u200d\u{1f469}\u200d\u{1f467} family",
    "Gro\u0308\u00dfen",
  ];
  for (const [index, name] of names.entries())
    await rollcall.run(["registry", "put", "box", "--session", `s${index}`, "--cwd", "/folder", "--name", name]);
  const { stdout } = await rollcall.run(["ls", "--once"]);
  const rows = stdout.split("\n").filter((line) => line.includes("/folder"));
  assert.equal(rows.length, names.length);
  const before = rows.map((line) => textWidth(line.slice(0, line.indexOf("/folder"))));
  assert.deepEqual([...new Set(before)].length, 1, stdout);
});

test("an empty roster says that every source answered, and what to do", async (t) => {
  const rollcall = emptyWorld(t);
  const { stdout } = await rollcall.run(["ls", "--once"]);
  assert.match(stdout, /^No sessions: every source answered\.\nStart a coding agent \(claude\).*rollcall ls --all/);
});

test("watch says what it waits for while there is no session", { timeout: 60_000 }, async (t) => {
  const rollcall = emptyWorld(t);
  const [node, cli] = rollcall.cli;
  const watch = spawn(node, [cli, "watch"], { env: rollcall.env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => watch.kill("SIGKILL"));
  const [said] = (await once(watch.stdout, "data")) as [Buffer];
  assert.match(
    said.toString(),
    /Waiting: start a coding agent \(claude\) in any terminal, and its row appears here by itself/,
  );
});

test("--help behind an act of the registry is that act's own", async (t) => {
  const rollcall = emptyWorld(t);
  for (const act of ["show", "verify", "put", "replace", "forget", "depart"]) {
    for (const args of [
      [act, "--help"],
      ["--help", act],
      [act, "x", "-h"],
    ]) {
      const { code, stdout } = await rollcall.run(["registry", ...args]);
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`rollcall registry ${act} `), stdout);
    }
  }
  const { stdout } = await rollcall.run(["registry", "--help"]);
  assert.match(stdout, /^rollcall registry <act>/);
});

test("forget says how to take it back, and that does", async (t) => {
  const rollcall = emptyWorld(t);
  await rollcall.run(["registry", "put", "box", "--session", "s1", "--cwd", "/folder", "--name", "mine"]);
  const before = (await rollcall.run(["registry", "show", "--json"])).stdout;
  const { stdout, stderr } = await rollcall.run(["registry", "forget", "s1", "--sandbox", "box"]);
  assert.equal(stdout, "1 forgotten\n");
  const words = /to take that back: rollcall (.*)\n/.exec(stderr)?.[1];
  assert.equal(words, "registry restore --session s1 --sandbox box");
  assert.equal((await rollcall.run([...words.split(" "), "--yes"])).code, 0);
  assert.equal((await rollcall.run(["registry", "show", "--json"])).stdout, before);
});
