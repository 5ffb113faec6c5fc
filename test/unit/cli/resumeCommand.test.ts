// A resume as a shell reads it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resumeCommand } from "../../../cli/resumeCommand.ts";
import type { Resume } from "../../../protocol/restore.ts";

function resume(more: Partial<Resume> = {}): Resume {
  return {
    kind: "resume",
    argv: ["claude", "--resume", "a"],
    cwd: "/app",
    env: {},
    inSandbox: null,
    notes: [],
    ...more,
  };
}

describe("a resume as a command line", () => {
  it("quotes every word that a shell would take for more than a word", () => {
    const line = resumeCommand(
      resume({ cwd: "/it's $HOME", env: { CLAUDE_CONFIG_DIR: "/c d" }, argv: ["claude", "--resume", "a;b", ""] }),
      {},
    );
    assert.equal(line, `cd '/it'\\''s $HOME' && CLAUDE_CONFIG_DIR='/c d' claude --resume 'a;b' ''`);
  });

  it("takes a variable out only where the shell has it", () => {
    const without = resume({ env: { CLAUDE_CONFIG_DIR: null } });
    assert.equal(resumeCommand(without, {}), "cd /app && claude --resume a");
    assert.equal(
      resumeCommand(without, { CLAUDE_CONFIG_DIR: "/x" }),
      "cd /app && env -u CLAUDE_CONFIG_DIR claude --resume a",
    );
  });

  it("goes into no folder where the program is told it", () => {
    assert.equal(
      resumeCommand(resume({ cwd: null, argv: ["podman", "exec", "-it", "box"] }), {}),
      "podman exec -it box",
    );
  });

  it("is none where it would steer the terminal or take two lines", () => {
    for (const cwd of ["/a\u001b[2J", "/a\nb", "/a\u202eb"])
      assert.equal(resumeCommand(resume({ cwd }), {}), undefined);
  });
});
