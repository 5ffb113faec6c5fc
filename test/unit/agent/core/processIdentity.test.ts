import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { identifyProcess, type AgentRole, type ProcessLook } from "../../../../agent/core/processIdentity.ts";
import { splitCommandLine } from "../../../../agent/core/tableAnswer.ts";

const id = "8d162b97-f7e3-4d71-ab0b-55df40af0d17";
const native = "/home/dev/.local/share/claude/versions/2.1.332";
const session: AgentRole = { kind: "session", conversationId: undefined };
const named: AgentRole = { kind: "session", conversationId: id };
const other: AgentRole = { kind: "other" };

function check(look: Partial<ProcessLook> & Pick<ProcessLook, "argv">, expected: AgentRole): void {
  assert.deepEqual(identifyProcess({ exe: undefined, comm: undefined, ...look }), expected);
}

function checkCommand(command: string, expected: AgentRole): void {
  check({ argv: command.split(" "), exe: native }, expected);
}

describe("process looks of each install", () => {
  it("native, by its link: comm claude, executable …/versions/2.1.332", () => {
    check({ argv: ["claude"], exe: native, comm: "claude" }, session);
  });
  it("native, started by its real path: comm is the version", () => {
    check({ argv: [native], exe: native, comm: "2.1.332" }, session);
  });
  it("a version's executable in a folder of another name, started through a link named claude", () => {
    check({ argv: ["/home/dev/lb/claude", "-p", "x"], exe: "/home/dev/vers/2.1.332", comm: "claude" }, session);
    check({ argv: ["/home/dev/vers/2.1.332"], exe: "/home/dev/vers/2.1.332", comm: "2.1.332" }, other);
    check({ argv: ["python"], exe: "/opt/python/versions/3.12.1", comm: "3.12.1" }, other);
  });
  it("npm 2.1.x: a native claude.exe, on every platform", () => {
    check({ argv: ["claude"], exe: "/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe" }, session);
    check({ argv: ["claude"], exe: String.raw`C:\Users\dev\AppData\Roaming\npm\claude.exe` }, session);
  });
  it("old npm: node runs the script claude, comm node or MainThread", () => {
    for (const comm of ["node", "MainThread"]) {
      check({ argv: ["node", "/usr/local/bin/claude"], exe: "/usr/bin/node", comm }, session);
    }
    check(
      { argv: ["node", "--max-old-space-size=4096", "/usr/local/bin/claude", "--resume", id], exe: "/usr/bin/node" },
      named,
    );
    check({ argv: ["node", "-r", "./trace.js", "/usr/local/bin/claude"], exe: "/usr/bin/node" }, session);
  });
  it("old npm: cli-wrapper.cjs and cli.js of the package", () => {
    for (const file of ["cli-wrapper.cjs", "cli.js"]) {
      check(
        { argv: ["node", `/usr/lib/node_modules/@anthropic-ai/claude-code/${file}`], exe: "/usr/bin/node" },
        session,
      );
    }
  });
  it("a host's package brings the agent as a script, which what the packages hold below is not", () => {
    const modules = "/srv/app/node_modules/@anthropic-ai";
    const look = (script: string): ProcessLook => ({ argv: ["node", script], exe: "/usr/bin/node", comm: undefined });
    check(look(`${modules}/claude-agent-sdk/cli.js`), session);
    check(look(`${modules}/claude-code/bin/claude.js`), session);
    check(look(`${modules}/claude-code/vendor/server.js`), other);
    check(look(`${modules}/sdk/cli.js`), other);
  });
  it("an interpreter of another name, with options that take a value, or told to run", () => {
    const script = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js";
    for (const exe of ["/usr/bin/nodejs", "/usr/bin/node22", "/opt/bin/node-20.1.0", "/usr/bin/bun"])
      check({ argv: ["node", script], exe }, session);
    for (const options of [
      ["--env-file", "/etc/env"],
      ["--title", "agent"],
      ["--disable-warning", "DEP0040"],
      ["run"],
      ["--bun", "run"],
      ["--"],
    ])
      check({ argv: ["node", ...options, script, "-r", id], exe: "/usr/bin/node" }, named);
    check({ argv: ["node", "run", "/srv/app.js", script], exe: "/usr/bin/node" }, other);
    check({ argv: ["nodemon", script], exe: "/usr/bin/nodemon" }, other);
  });
  it("a search by the tool that the agent's own program holds is no session", () => {
    check({ argv: ["rg", "--files", "."], exe: native }, other);
    check({ argv: ["/usr/bin/rg", "--files", "."], exe: native }, other);
  });
  it("VS Code: the extension's native binary under the extension host", () => {
    const exe = "/home/dev/.vscode/extensions/anthropic.claude-code-2.1.332/resources/native-binary/claude";
    const args = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--resume", id];
    check({ argv: [exe, ...args], exe }, named);
  });
  it("an executable that an update replaced while it runs", () => {
    check({ argv: ["claude"], exe: `${native} (deleted)` }, session);
  });
});

describe("cases", () => {
  it("B009: a row that is bare claude is matched", () => {
    check({ argv: ["claude"] }, session);
    check({ argv: ["claude", "", ""], exe: "/usr/bin/node", comm: "claude" }, session);
  });
  it("B010: a path to claude as argument zero, with --resume", () => {
    check({ argv: ["/usr/local/lib/node_modules/@anthropic-ai/claude-code/bin/claude", "--resume", id] }, named);
  });
  it("B011: node.exe in a path with a space, detected by its script; node server.js is none", () => {
    const exe = String.raw`C:\Program Files\nodejs\node.exe`;
    const script = String.raw`C:\Users\dev\node_modules\@anthropic-ai\claude-code\cli.js`;
    check({ argv: [exe, script], exe }, session);
    check({ argv: splitCommandLine(`"${exe}" ${script} --resume ${id}`, exe), exe, comm: "node.exe" }, named);
    check({ argv: splitCommandLine(`"${exe}" ${script}`, undefined) }, session);
    check({ argv: [exe, "server.js"], exe }, other);
  });
  it("B013: a hosted launch by ccd-cli is a session, the server that starts it is none", () => {
    const exe = "/home/dev/.claude/remote/ccd-cli/2.1.271";
    check({ argv: [exe, "--output-format", "stream-json"], exe }, session);
    const server = "/home/dev/.claude/remote/server";
    check({ argv: [server, "--serve", "--socket", "/tmp/x"], exe: server }, other);
  });
  it("B015: claude in an argument is no session", () => {
    check({ argv: ["vim", "claude-watch.sh"], exe: "/usr/bin/vim" }, other);
    check({ argv: ["vim", "claude"], exe: "/usr/bin/vim" }, other);
    check({ argv: ["node", "server.js", "claude"], exe: "/usr/bin/node" }, other);
    check({ argv: ["tail", "-f", "/usr/local/bin/claude"] }, other);
  });
  it("B025: another program under the name claude is none, its executable tells", () => {
    check({ argv: ["claude", "1000"], exe: "/usr/bin/sleep", comm: "claude" }, other);
  });
  it("L02: claudectl, grep claude and a shell whose script mentions claude are none", () => {
    check({ argv: ["claudectl", "ls"], exe: "/usr/bin/claudectl" }, other);
    check({ argv: ["grep", "claude"], exe: "/usr/bin/grep" }, other);
    check({ argv: ["bash", "-lc", "cd x && claude --resume"], exe: "/usr/bin/bash" }, other);
    check({ argv: ["/bin/bash", "-c", "source /home/dev/.claude/shell-snapshots/x.sh && eval ls"] }, other);
  });
  it("L03: a path with spaces is one argument of the kernel's vector", () => {
    check({ argv: ["/Users/a b/bin/claude", "-p", "hi"] }, session);
  });
  it("L30: daemon, pty host and spare are helpers, not sessions", () => {
    checkCommand("claude daemon run --origin transient", { kind: "helper", what: "daemon" });
    checkCommand("claude bg-pty-host --bg-pty-host /tmp/s 200 50 -- claude --bg-spare /tmp/c", {
      kind: "helper",
      what: "bg-pty-host",
    });
    checkCommand("claude bg-spare --bg-spare /tmp/c", { kind: "helper", what: "bg-spare" });
  });
  it("a prompt that mentions a helper's flag stays a session", () => {
    check({ argv: ["claude", "-p", "what does --bg-spare do"], exe: native }, session);
    check({ argv: ["claude", "-p", "explain daemon"], exe: native }, session);
  });
  it("the desktop application is not the agent", () => {
    check({ argv: ["Claude"], exe: "/Applications/Claude.app/Contents/MacOS/Claude" }, other);
    check({ argv: ["Claude Helper"], exe: "/Applications/Claude.app/Contents/Frameworks/Claude Helper" }, other);
  });
  it("a process without arguments is none", () => {
    check({ argv: [] }, other);
    check({ argv: [""] }, other);
  });
});

describe("the conversation that the arguments name", () => {
  it("T08: every form of --resume, -r and --session-id", () => {
    const forms = [
      `--resume ${id}`,
      `--resume=${id}`,
      `-r ${id}`,
      `-r=${id}`,
      `-r${id}`,
      `--session-id ${id}`,
      `--session-id=${id}`,
    ];
    for (const form of forms) checkCommand(`claude ${form}`, named);
    checkCommand(`claude --resume ${id.toUpperCase()}`, named);
  });
  it("a fork has an id of its own, which only --session-id tells", () => {
    checkCommand(`claude --resume ${id} --fork-session`, session);
    checkCommand(`claude --resume 00000000-0000-4000-8000-000000000000 --fork-session --session-id ${id}`, named);
  });
  it("what stands behind -- is a prompt", () => {
    checkCommand(`claude -- --resume ${id}`, session);
    checkCommand(`claude --resume ${id} -- --session-id 00000000-0000-4000-8000-000000000000`, named);
  });
  it("a picker, a title or --continue names none", () => {
    checkCommand("claude --resume", session);
    checkCommand("claude --resume my-title", session);
    checkCommand("claude -c", session);
  });
});
