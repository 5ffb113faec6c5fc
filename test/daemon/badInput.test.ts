// Bad input through the terminal's command, as a person would meet it: every file gives a row, a mark or a line among
// what was read over, with its count; never a crash, a hang or memory without bound.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { rosterSchema, type Roster, type Session } from "../../protocol/roster.ts";
import { BadFiles, openTurn, record, repeated } from "../support/rollcall/badFiles.ts";
import { repositoryRoot } from "../support/rollcall/world.ts";

const MiB = 2 ** 20;
const cliBundle = join(repositoryRoot, "dist", "rollcall.cjs");
const tellsMemory = `data:text/javascript,process.on("exit",()=>process.stderr.write("maxRSS="+process.resourceUsage().maxRSS+"\\n"))`;
/** A Node with the product loaded needs some 90 MiB; what a file adds to it has to stay within the window read. */
const memoryLimitBytes = 280 * MiB;
const deadlineMs = 60_000;

interface Looked {
  readonly roster: Roster;
  readonly peakBytes: number;
}

class World {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-bad-")));
  readonly files = new BadFiles(join(this.root, "config"));

  constructor(t: Pick<TestContext, "after">) {
    chmodSync(this.root, 0o755);
    t.after(() => rmSync(this.root, { recursive: true, force: true }));
  }

  /** `rollcall ls --once --json`, in a process of its own. */
  async look(
    options: { readonly uid?: number; readonly flags?: readonly string[]; readonly limitBytes?: number } = {},
  ): Promise<Looked> {
    const { code, stdout, stderr } = await run(
      ["--import", tellsMemory, cliBundle, "ls", "--once", "--json", ...(options.flags ?? [])],
      {
        PATH: process.env["PATH"] ?? "",
        HOME: join(this.root, "home"),
        ROLLCALL_DATA_DIR: join(this.root, "data"),
        ROLLCALL_CONFIG_DIRS: this.files.configDir,
      },
      options.uid,
    );
    assert.equal(code, 0, stderr);
    const peakKiB = Number(/maxRSS=(\d+)/.exec(stderr)?.[1]);
    const roster = rosterSchema.parse(JSON.parse(stdout));
    assert.ok(peakKiB * 1024 < (options.limitBytes ?? memoryLimitBytes), `it took ${Math.round(peakKiB / 1024)} MiB`);
    return { roster, peakBytes: peakKiB * 1024 };
  }
}

function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  uid: number | undefined,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: deadlineMs,
      killSignal: "SIGKILL",
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

function row({ sessions }: Roster, id: string): Session {
  const found = sessions.filter((session) => session.id === id);
  assert.equal(found.length, 1, `one row for ${id}, there are ${sessions.map((session) => session.id).join()}`);
  return found[0] as Session;
}

/** Why something of this path was read over, and how often. */
function readOver({ skipped }: Roster, path: string): Readonly<Record<string, number>> {
  return Object.fromEntries(skipped.filter((each) => each.path === path).map(({ why, count }) => [why, count]));
}

describe("a damaged transcript", () => {
  const damaged: Readonly<
    Record<string, { readonly content: string | Uint8Array; readonly over: object; readonly open?: boolean }>
  > = {
    binary: { content: Buffer.from(repeated255(5_000)), over: { "line is not JSON": 20 }, open: false },
    empty: { content: "", over: {}, open: false },
    "bom-crlf": { content: `\uFEFF${openTurn.replaceAll("\n", "\r\n")}`, over: {} },
    "nul-line": { content: `\u0000\u0000\u0000\n${openTurn}`, over: { "line holds NUL bytes": 1 } },
    "line-separators": { content: openTurn.replace("do it", "a\u2028b\u2029c\u0085d"), over: {} },
    "bad-utf-8": {
      content: Buffer.concat([Buffer.from([0xff, 0xc3, 0x28, 0x0a]), Buffer.from(openTurn)]),
      over: { "line is not JSON": 1 },
    },
    "half-written": { content: `${openTurn}{"type":"user","mess`, over: {} },
    glued: {
      content: openTurn.replace("\n", `\n{"type":"a","te`),
      over: { "half a record stood before another on its line": 1 },
    },
    "deep-nesting": { content: `${"[".repeat(40_000)}\n${openTurn}`, over: { "line is not JSON": 1 } },
    "deep-record": { content: `{"type":"x","a":${"[".repeat(200_000)}${"]".repeat(200_000)}}\n${openTurn}`, over: {} },
    "huge-numbers": {
      content: `{"type":"user","apiErrorStatus":1e999,"timestamp":1e308}\n{"type":"x","n":${"9".repeat(9_999)}}\n${openTurn}`,
      over: {},
    },
    prototype: {
      content: `{"type":"x","__proto__":{"type":"user"},"constructor":1,"toString":{}}\n${openTurn}`,
      over: {},
    },
    "wrong-shapes": {
      content: `7\n[]\nnull\n{}\n{"type":7}\n{"type":"user","message":[]}\n${openTurn}`,
      over: { "record has no type": 5 },
    },
  };
  it("gives its row, with what was read over and how often", async (t) => {
    const world = new World(t);
    const paths = new Map(
      Object.entries(damaged).map(([id, { content }]) => [id, world.files.write(`${id}.jsonl`, content)]),
    );
    const { roster } = await world.look();
    assert.equal(roster.sessions.length, paths.size);
    for (const [id, { over, open }] of Object.entries(damaged)) {
      assert.deepEqual(readOver(roster, paths.get(id) ?? ""), over, id);
      const tools = row(roster, id).openTurns.map(({ tool }) => tool);
      assert.deepEqual(tools, open === false ? [] : ["Bash"], id);
    }
  });
});

describe("what is no transcript, in a transcript's place", () => {
  it("is counted with the reason, and not opened", async (t) => {
    const world = new World(t);
    const { files } = world;
    files.write("good.jsonl", openTurn);
    const outside = join(world.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret.jsonl"), openTurn);
    symlinkSync(join(outside, "secret.jsonl"), files.path("link.jsonl"));
    symlinkSync("/dev/zero", files.path("zero.jsonl"));
    symlinkSync(outside, files.path("", "-linked").replace(/\/$/, "-folder"));
    mkdirSync(files.path("folder.jsonl"));
    execFileSync("mkfifo", [files.path("pipe.jsonl")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(files.path("socket.jsonl"), resolve));
    t.after(() => server.close());
    if (process.geteuid?.() === 0) execFileSync("mknod", [files.path("device.jsonl"), "c", "1", "5"]);
    else execFileSync("mkfifo", [files.path("device.jsonl")]);
    for (const name of ["new\nline", "tab\tbed", "\u001b[31mred", "a b", "ünïcode"])
      files.write(`${name}.jsonl`, openTurn);
    files.write(
      "agent-a1b2c3.jsonl",
      record({ type: "user", isSidechain: true, agentId: "a1b2c3", message: { content: "x" } }),
    );
    const { roster } = await world.look();
    assert.deepEqual(
      roster.sessions.map(({ id }) => id),
      ["good"],
    );
    assert.deepEqual(readOver(roster, join(files.configDir, "projects", "-srv-app")), {
      "a link, which is not followed": 2,
      "a folder in a transcript's place": 1,
      "not a regular file": 3,
      "a name that is no session's id": 5,
      "a subagent's transcript, as older versions kept it beside its session": 1,
    });
    assert.deepEqual(readOver(roster, join(files.configDir, "projects")), { "a link, which is not followed": 1 });
    unlinkSync(files.path("socket.jsonl"));
  });

  it("B080: a project folder inside another is looked into; B065: a session's subagents are no sessions", async (t) => {
    const world = new World(t);
    world.files.write("-srv-app/nested.jsonl", openTurn);
    world.files.write("other/also.jsonl", openTurn);
    world.files.write("good.jsonl", openTurn);
    world.files.write("good/subagents/agent-a1.jsonl", openTurn);
    world.files.write("memory/notes.jsonl", openTurn);
    const { roster } = await world.look();
    assert.deepEqual(roster.sessions.map(({ id }) => id).sort(), ["also", "good", "nested"]);
  });

  it(
    "a folder and a file that may not be read are told, the others are shown",
    { skip: process.geteuid?.() !== 0 },
    async (t) => {
      const world = new World(t);
      world.files.write("good.jsonl", openTurn);
      const closed = world.files.write("closed.jsonl", openTurn);
      chmodSync(closed, 0o000);
      world.files.write("hidden.jsonl", openTurn, "-closed");
      chmodSync(join(world.files.configDir, "projects", "-closed"), 0o000);
      const { roster } = await world.look({ uid: 65_534 });
      const ids = roster.sessions.map(({ id }) => id).filter((id) => !id.startsWith("proc:"));
      assert.deepEqual(ids, ["good"], "beside processes of others, whose folder may not be asked");
      const why = roster.skipped.map((each) => `${each.path?.split("/").at(-1) ?? ""}: ${each.why}`).join("\n");
      assert.match(why, /closed\.jsonl: EACCES/);
      assert.match(why, /-closed: could not be listed: EACCES/);
      const source = roster.sources.find(({ id }) => id.startsWith("transcripts:"));
      assert.equal(source?.state, "unobserved", "what is in it is not known");
    },
  );
});

describe("a transcript without bounds", () => {
  it("B058, B061: is listed from its head and tail, in bounded memory", { timeout: deadlineMs * 2 }, async (t) => {
    const world = new World(t);
    const { files } = world;
    files.writeSparse("four-gib.jsonl", 4 * 1024 * MiB, openTurn);
    files.writeLarge("long-line.jsonl", [openTurn, ...repeated("x".repeat(MiB), 100)]);
    files.writeLarge("line-before.jsonl", [...repeated("x".repeat(MiB), 100), "\n", openTurn]);
    const snapshot = `${record({ type: "file-history-snapshot", snapshot: "y".repeat(300_000) })}\n`;
    files.writeLarge("snapshots.jsonl", repeated(snapshot, 500));
    const { roster } = await world.look();
    assert.deepEqual(
      row(roster, "four-gib").openTurns.map(({ tool }) => tool),
      ["Bash"],
    );
    assert.equal(row(roster, "four-gib").cwd, "/srv/app");
    assert.deepEqual(
      row(roster, "line-before").openTurns.map(({ tool }) => tool),
      ["Bash"],
    );
    // What stands behind or before the part that was read is not known, and said so.
    for (const id of ["long-line", "snapshots"]) {
      const says = row(roster, id)
        .evidence.map((each) => each.says)
        .join("\n");
      assert.match(says, /read back to the cap without a turn's begin/, id);
      assert.equal(row(roster, id).status.kind, "unknown", id);
    }
  });
});

describe("transcripts without number", () => {
  it("B068: 107,000 small files beside a few sessions cost a listing", { timeout: deadlineMs * 2 }, async (t) => {
    const world = new World(t);
    const weekAgo = new Date(Date.now() - 7 * 86_400_000);
    world.files.writeMany(57_000, (index) => `old-${index}.jsonl`, openTurn, weekAgo, "-srv-app");
    world.files.writeMany(50_000, (index) => `note-${index}.txt`, "x", weekAgo, "-srv-app");
    for (let index = 0; index < 11; index += 1) world.files.write(`session-${index}.jsonl`, openTurn);
    const { roster } = await world.look();
    assert.equal(roster.sessions.length, 11);
  });

  it(
    "10,000 sessions of a day have a row each, and more than that are counted",
    { timeout: deadlineMs * 2 },
    async (t) => {
      const world = new World(t);
      world.files.writeMany(10_020, (index) => `s-${index}.jsonl`, openTurn, new Date(), "-srv-app");
      const { roster } = await world.look({ limitBytes: 2 * memoryLimitBytes });
      assert.equal(roster.sessions.length, 10_000);
      assert.deepEqual(readOver(roster, join(world.files.configDir, "projects")), {
        "touched within a day, but only the newest 10000 are shown": 20,
      });
    },
  );
});

function repeated255(lines: number): number[] {
  // 20 lines of bytes that are no text.
  const line = [...Array(250).keys()].map((index) => ((index * 7) % 200) + 50);
  return Array.from({ length: 20 }, () => [...line.slice(0, Math.min(lines, 250)), 0x0a]).flat();
}
