// What the doctor finds wrong with the folders that the agent needs, and what a command does whose output is refused.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";

function worldOf(t: TestContext): RollcallWorld {
  const rollcall = new RollcallWorld({ configDirs: [join(scratchFolder(t), ".claude")] });
  t.after(() => rollcall.close());
  return rollcall;
}

describe("the doctor", { timeout: 60_000 }, () => {
  test("finds nothing wrong before the first start", async (t) => {
    const { code, stdout } = await worldOf(t).run(["doctor"]);
    assert.match(stdout, /^ok {4}data folder: .* is not there yet/m);
    assert.match(stdout, /^ok {4}socket folder: .* is not there yet/m);
    assert.equal(code, 0);
  });

  test("finds a data folder that is none", async (t) => {
    const rollcall = worldOf(t);
    const { code, stdout } = await rollcall.run(["doctor"], { ROLLCALL_DATA_DIR: "/proc/self" });
    assert.match(stdout, /^FAIL {2}data folder: .* set ROLLCALL_DATA_DIR$|^FAIL {2}data folder: .* full/m);
    assert.equal(code, 1);
  });

  test("finds a socket's folder that others can reach", async (t) => {
    const rollcall = worldOf(t);
    const folder = dirname(rollcall.socket);
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const { code, stdout } = await rollcall.run(["doctor"]);
    chmodSync(folder, 0o700);
    assert.match(stdout, /^FAIL {2}socket folder: .* is not a folder of this user alone; /m);
    assert.equal(code, 1);
  });
});

test("a command whose output cannot be written fails and says so", (t) => {
  const { env } = worldOf(t);
  const cli = join(repositoryRoot, "dist", "rollcall.cjs");
  const { status, stderr } = spawnSync(process.execPath, [cli, "--help"], {
    env,
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    encoding: "utf8",
  });
  assert.match(stderr, /^rollcall: the output could not be written: .*ENOSPC/);
  assert.equal(status, 1);
});
