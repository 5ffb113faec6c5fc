// Process trees in pid namespaces of their own, made by bubblewrap and by `unshare`: each is told with who made it, and a
// session inside stands in it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../support/claude/until.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import { SandboxWorld } from "../support/rollcall/sandbox.ts";
import { namespaceOfPid } from "../support/sandboxes/podman.ts";
import { readFileSync } from "node:fs";

describe("sandboxes that no engine keeps", { timeout: 120_000 }, () => {
  let sandboxes: SandboxWorld;
  let rollcall: RollcallWorld;

  before(() => {
    sandboxes = new SandboxWorld();
    rollcall = new RollcallWorld({ configDirs: [sandboxes.configDir] });
  });
  after(async () => {
    await rollcall.close();
    await sandboxes.close();
  });

  test("are told by their number, with who made them", async (t) => {
    const inside = await sandboxes.start();
    const child = spawn(
      "unshare",
      ["--fork", "--pid", "--kill-child", "--mount-proc", join(sandboxes.root, "bin", "claude"), "600"],
      {
        stdio: "ignore",
        env: { PATH: process.env["PATH"], HOME: sandboxes.root, CLAUDE_CONFIG_DIR: sandboxes.configDir },
      },
    );
    t.after(() => child.kill("SIGKILL"));
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    const pid = Number(
      await until("the process in it", () => readFileSync(children, "utf8").trim().split(" ")[0], {
        deadlineMs: 20_000,
      }),
    );
    await inside.settled();
    const wanted = [
      [inside.sandbox, "bubblewrap"],
      [`pidns:${namespaceOfPid(pid)}`, "unshare"],
    ];
    const found = await until(
      "both",
      async () => {
        const roster = await rollcall.roster("--once");
        const told = wanted.map(([name]) => roster.sandboxes.find((each) => each.name === name));
        const rows = wanted.map(([name]) => roster.sessions.find((each) => each.sandbox === name));
        return told.every((each) => each !== undefined) && rows.every((each) => each !== undefined) ? told : undefined;
      },
      { deadlineMs: 30_000 },
    );
    assert.deepEqual(
      found.map((each) => [each.name, each.adapter]),
      wanted,
    );
    assert.deepEqual(
      found.map((each) => [each.state, each.stale, each.derived]),
      [
        ["running", false, true],
        ["running", false, true],
      ],
    );
  });
});
