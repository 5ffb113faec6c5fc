import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import {
  hookCommand,
  hookMark,
  hookPayloadBytes,
  isSpoolName,
  spoolNameOf,
  spoolOfCommand,
  spoolSlots,
} from "../../../protocol/hookSpool.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-hook-"));
const spool = join(root, "it's a spool", "host");
after(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(spool, { recursive: true, force: true });
  mkdirSync(spool, { recursive: true });
});

const payload = JSON.stringify({ session_id: "s", hook_event_name: "Stop", text: "line\nü" });
const shells: readonly (readonly string[])[] = [
  ["dash"],
  ["bash", "--norc"],
  ["bash", "--norc", "--posix"],
  ["busybox", "ash"],
];

function onPath(program: string): string | undefined {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(shell: readonly string[], input: string | Buffer = payload, env: Record<string, string> = {}): Ran {
  const [program = "sh", ...args] = shell;
  const all = { PATH: process.env["PATH"] ?? "", CLAUDE_PID: "4711", SECRET: "token", ...env };
  const done = spawnSync(onPath(program) ?? program, [...args, "-c", hookCommand(spool)], {
    input,
    env: all,
    encoding: "utf8",
  });
  return { status: done.status, stdout: done.stdout, stderr: done.stderr };
}

const silent = { status: 0, stdout: "", stderr: "" };
const files = (): readonly string[] => readdirSync(spool);
const onlyFile = (): string => {
  const [name = ""] = files();
  assert.equal(files().length, 1);
  return join(spool, name);
};

describe("the command of a hook", () => {
  for (const shell of shells) {
    const missing = onPath(shell[0] ?? "") === undefined;
    describe(`in ${shell.join(" ")}`, { skip: missing && `there is no ${shell[0] ?? ""} here; apt install it` }, () => {
      it("writes its payload into one new file of its owner's, whole at its newline, and says nothing", () => {
        assert.deepEqual(run(shell), silent);
        const file = onlyFile();
        assert.equal(readFileSync(file, "utf8"), `1 4711 ${payload}\n`);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        assert.match(file, /\/[A-Za-z0-9._-]{1,128}$/);
      });

      it("writes over nothing, follows no link and opens no pipe that stands in a file's place", () => {
        const outside = join(root, "outside");
        writeFileSync(outside, "as it was");
        for (let id = 0; id < spoolSlots.ids; id += 1) {
          const place = join(spool, `${id}.0`);
          if (id % 3 === 0) symlinkSync(outside, place);
          else if (id % 3 === 1) writeFileSync(place, "mine");
          else symlinkSync(join(root, "not-there"), place);
        }
        const before = files().length;
        assert.deepEqual(run(shell), silent);
        assert.equal(files().length, before + 1);
        assert.equal(readFileSync(outside, "utf8"), "as it was");
        assert.equal(statSync(join(root, "not-there"), { throwIfNoEntry: false }), undefined);
        const fresh = files().filter((name) => name.endsWith(".1"));
        assert.equal(fresh.length, 1);
      });

      it("does nothing where the spool is gone", () => {
        rmSync(spool, { recursive: true });
        assert.deepEqual(run(shell), silent);
        assert.equal(statSync(spool, { throwIfNoEntry: false }), undefined);
      });

      it("does nothing where no file can be made, and is silent", () => {
        rmSync(spool, { recursive: true });
        symlinkSync("/proc/self", spool);
        assert.deepEqual(run(shell), silent);
        rmSync(spool);
      });

      it("cuts a payload beyond the limit", () => {
        assert.deepEqual(run(shell, Buffer.alloc(hookPayloadBytes + 100_000, "x")), silent);
        assert.equal(statSync(onlyFile()).size, hookPayloadBytes + "1 4711 \n".length);
      });

      it("takes a pid that is none for none", () => {
        assert.deepEqual(run(shell, payload, { CLAUDE_PID: "7; rm -rf /" }), silent);
        assert.match(readFileSync(onlyFile(), "utf8"), /^1 0 /);
      });

      it("keeps nothing else of the environment", () => {
        run(shell, payload, { CLAUDE_CODE_MESSAGING_TOKEN: "very-secret" });
        assert.doesNotMatch(readFileSync(onlyFile(), "utf8"), /secret|token/);
      });
    });
  }

  const noSandbox = onPath("bwrap") === undefined && "there is no bwrap here; apt install bubblewrap";
  it("is silent where the disk is full", { skip: noSandbox }, () => {
    const enter = ["--dev-bind", "/", "/", "--size", "8192", "--tmpfs", spool, "sh", "-c"];
    const script = hookCommand(spool).replace(/;exit 0$/, `;ls -s ${JSON.stringify(spool)} >&3;exit 0`);
    const done = spawnSync("bwrap", [...enter, script], {
      input: Buffer.alloc(500_000, "x"),
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    assert.deepEqual([done.status, String(done.stdout), String(done.stderr)], [0, "", ""]);
    assert.match(String(done.output[3]), /8 \d+\.0/, "the premise: as much as fits was written");
  });

  const waits: readonly (readonly [string, string | undefined])[] = [
    ["with timeout", process.env["PATH"]],
    ["without timeout", undefined],
  ];
  for (const [how, path] of waits)
    it(`H01 ends by itself where its input stays open, ${how}`, { timeout: 20_000 }, async () => {
      const few = join(root, "few");
      mkdirSync(few, { recursive: true });
      for (const program of ["head", "sleep"])
        if (statSync(join(few, program), { throwIfNoEntry: false }) === undefined)
          symlinkSync(onPath(program) ?? "", join(few, program));
      const child = spawn(onPath("sh") ?? "sh", ["-c", hookCommand(spool)], {
        env: { PATH: path ?? few, CLAUDE_PID: "5" },
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.stdin.write(payload);
      const code = await new Promise((resolve) => child.once("exit", resolve));
      assert.equal(code, 0);
      child.stdin.destroy();
      assert.equal(readFileSync(onlyFile(), "utf8").slice(0, 4), "1 5 ");
    });

  it("names a spool that is told again", () => {
    assert.ok(hookCommand(spool).startsWith(hookMark));
    assert.equal(spoolOfCommand(hookCommand(spool)), spool);
    assert.equal(hookCommand(spool).includes("\n"), false);
  });
});

describe("the name of a spool", () => {
  it("is the sandbox' where that has one that can be, else the host's", () => {
    assert.equal(spoolNameOf({ SANDBOX_NAME: "box-1" }), "box-1");
    for (const name of ["", "..", ".", "a/b", "a b", "x".repeat(129)]) {
      assert.equal(isSpoolName(name), false, name);
      assert.equal(spoolNameOf({ SANDBOX_NAME: name }), "host");
    }
    assert.equal(spoolNameOf({}), "host");
  });
});
