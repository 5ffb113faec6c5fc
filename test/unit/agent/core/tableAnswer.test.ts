import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitCommandLine, tableFault } from "../../../../agent/core/tableAnswer.ts";

function checkFault(pids: readonly number[], knownAlive: readonly number[], expected: RegExp | undefined): void {
  const fault = tableFault({ pids: new Set(pids), ownPid: 7, knownAlive });
  if (expected === undefined) assert.equal(fault, undefined);
  else assert.match(fault ?? "no fault", expected);
}

function checkSplit(command: string, executable: string | undefined, expected: readonly string[]): void {
  assert.deepEqual(splitCommandLine(command, executable), expected);
}

describe("tableFault", () => {
  it("a table with the agent's own process and all that the kernel shows alive is an answer", () => {
    checkFault([1, 7, 20], [20], undefined);
  });
  it("an empty table is unobserved", () => {
    checkFault([], [], /empty/);
  });
  it("L05: a short process table, without the agent's own process, is unobserved", () => {
    checkFault([1, 20], [20], /own process/);
  });
  it("a short process table, without a process that the kernel shows alive, is unobserved", () => {
    checkFault([1, 7], [7, 20], /lacks process 20/);
  });
});

describe("splitCommandLine", () => {
  it("splits at spaces", () => {
    checkSplit("claude --resume  x", undefined, ["claude", "--resume", "x"]);
  });
  it("B011: a quoted path with spaces is one argument", () => {
    checkSplit(String.raw`"C:\Program Files\nodejs\node.exe" C:\x\cli.js "a b"`, undefined, [
      String.raw`C:\Program Files\nodejs\node.exe`,
      String.raw`C:\x\cli.js`,
      "a b",
    ]);
  });
  it("L03: a known executable's path with spaces is one argument", () => {
    checkSplit("/Users/a b/claude -p hi", "/Users/a b/claude", ["/Users/a b/claude", "-p", "hi"]);
    checkSplit("/Users/a b/claude", "/Users/a b/claude", ["/Users/a b/claude"]);
  });
  it("an executable that only begins like the command is not taken for it", () => {
    checkSplit("/bin/claudectl ls", "/bin/claude", ["/bin/claudectl", "ls"]);
  });
});
