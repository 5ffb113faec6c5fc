import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { agentEnvironment, connectOrLaunch } from "../../../protocol/node/agentLauncher.ts";

describe("the agent's environment", () => {
  it("is its starter's without what belongs to an editor, a session or a script runner", () => {
    const env = {
      PATH: "/bin",
      CLAUDE_CONFIG_DIR: "/c",
      ROLLCALL_DATA_DIR: "/d",
      VSCODE_PID: "1",
      ELECTRON_NO_ASAR: "1",
      CLAUDECODE: "1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      NODE_OPTIONS: "--inspect",
      npm_lifecycle_event: "start",
      UNSET: undefined,
    };
    assert.deepEqual(agentEnvironment(env, false), { PATH: "/bin", CLAUDE_CONFIG_DIR: "/c", ROLLCALL_DATA_DIR: "/d" });
    assert.equal(agentEnvironment(env, true)["ELECTRON_RUN_AS_NODE"], "1");
  });
});

describe("an agent that cannot be started", () => {
  let folder = "";
  const launch = (agentScript: string, deadlineMs: number): Promise<unknown> =>
    connectOrLaunch({
      paths: { socket: join(folder, "agent.sock"), logFile: "/logs/agent.log" },
      agentScript,
      identity: { name: "test", version: "1", configDirs: [] },
      onChange: () => undefined,
      env: { PATH: process.env["PATH"], HOME: folder },
      deadlineMs,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rollcall-launch-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is told apart by its script that is missing", async () => {
    await assert.rejects(launch(join(folder, "none.cjs"), 600), {
      kind: "agent-script-missing",
      message: /install Rollcall/,
    });
  });

  it("is told with how it ended and where to read on", async () => {
    writeFileSync(join(folder, "fails.cjs"), "process.exit(3)");
    await assert.rejects(launch(join(folder, "fails.cjs"), 5_000), {
      kind: "agent-launch-timeout",
      message: /exit code 3 .*\/logs\/agent\.log/,
    });
  });

  it("is told when it runs and does not listen", async () => {
    writeFileSync(join(folder, "hangs.cjs"), "setTimeout(() => undefined, 2_000)");
    await assert.rejects(launch(join(folder, "hangs.cjs"), 600), {
      message: /was started but does not listen within 600 ms/,
    });
  });
});
