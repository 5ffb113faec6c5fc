// What a process' own environment tells of it: how it was started, where no record and no transcript says so, and a
// sandbox's name, which anybody may write there.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { caseHome, sessionId } from "../support/rollcall/caseHome.ts";

const hostedProgram = ".claude/remote/ccd-cli/2.1.271";

describe("the environment of a session's process", { concurrency: 3 }, () => {
  test("says what started it where nothing else does; a record's word counts more", async (t) => {
    const home = caseHome(t);
    const resumed = (index: number): readonly string[] => ["--resume", sessionId(index)];
    home.start({ program: hostedProgram, args: resumed(1) });
    home.start({ program: hostedProgram, args: resumed(2), env: { CLAUDE_CODE_ENTRYPOINT: "claude-desktop" } });
    home.start({ args: resumed(3), env: { CLAUDE_CODE_ENTRYPOINT: "sdk-ts" } });
    home.start({ args: resumed(4) });
    const recorded = home.start({ env: { CLAUDE_CODE_ENTRYPOINT: "sdk-ts" } });
    home.record(recorded, sessionId(5), { status: "idle", entrypoint: "cli" });
    const roster = await home.ls();
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((index) => roster.row(sessionId(index)).entrypoint),
      ["hosted", "claude-desktop", "sdk-ts", undefined, "cli"],
    );
  });

  test("names a sandbox in the evidence only: the row stays one of this host", async (t) => {
    const home = caseHome(t);
    const name = "demo\u001b[31m\nsecond line";
    home.start({ args: ["--resume", sessionId(1)], env: { SANDBOX_NAME: name } });
    home.start({ args: ["--resume", sessionId(2)] });
    const roster = await home.ls();
    const said = (id: string): readonly string[] =>
      roster.row(id).evidence.flatMap(({ says }) => (says.includes("names the sandbox") ? [says] : []));
    assert.equal(said(sessionId(1)).length, 1);
    assert.match(said(sessionId(1))[0] ?? "", /names the sandbox demo \[31m second line, which proves nothing/);
    assert.deepEqual(said(sessionId(2)), []);
    assert.deepEqual(
      [1, 2].map((index) => roster.row(sessionId(index)).sandbox),
      [null, null],
    );
    assert.deepEqual(roster.whole.sandboxes, []);
  });
});
