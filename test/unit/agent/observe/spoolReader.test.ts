// Spools as whoever runs in a sandbox may fill them: what is no event of ours is refused and counted, and costs no other
// event anything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { SpoolReader } from "../../../../agent/observe/spoolReader.ts";
import { limits } from "../../../../base/limits.ts";
import { hookPayloadBytes } from "../../../../protocol/hookSpool.ts";

let root: string;
let spool: string;
let now: number;
let reader: SpoolReader;
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "rollcall-spool-")), "spool");
  spool = join(root, "host");
  mkdirSync(spool, { recursive: true });
  now = Date.now() + 1_000;
  reader = new SpoolReader(root, () => now);
});
afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }));

const payload = (told: object = {}): string => JSON.stringify({ session_id: "s1", hook_event_name: "Stop", ...told });
const event = (name: string, told?: object): string => {
  const path = join(spool, name);
  writeFileSync(path, `1 20 ${payload(told)}\n`);
  return path;
};

interface Seen {
  readonly sessions: readonly string[];
  readonly refused: Readonly<Record<string, number>>;
}
async function look(): Promise<Seen> {
  const { reads } = await reader.look();
  const refused: Record<string, number> = {};
  for (const read of reads) for (const [why, count] of read.refused) refused[why] = (refused[why] ?? 0) + count;
  return { sessions: reads.flatMap(({ events }) => events.map(({ sessionId }) => sessionId)).sort(), refused };
}

describe("a spool", () => {
  it("gives each event once, with the time of its file and the pid of its first line, and no later than now", async () => {
    utimesSync(event("1.0"), 1_000, 1_000);
    utimesSync(event("2.0", { session_id: "s2" }), 9e9, 9e9);
    const { reads } = await reader.look();
    assert.deepEqual(reads[0]?.events.map(({ sessionId, at, pid }) => [sessionId, at, pid]).sort(), [
      ["s1", 1_000_000, 20],
      ["s2", now, 20],
    ]);
    assert.deepEqual(await look(), { sessions: [], refused: {} });
  });

  it("keeps no word of a prompt and no input of a tool", async () => {
    event("1.0", { hook_event_name: "UserPromptSubmit", prompt: "my secret", tool_input: { command: "my secret" } });
    event("2.0", { hook_event_name: "PostToolUseFailure", error: "my secret", tool_response: "my secret" });
    const { reads } = await reader.look();
    assert.equal(reads[0]?.events.length, 2);
    assert.doesNotMatch(JSON.stringify(reads[0].events), /secret/);
  });

  it("that is not there is absent, and one that cannot be read is not", async () => {
    rmSync(root, { recursive: true });
    assert.equal((await reader.look()).state.kind, "absent");
    writeFileSync(root, "a file in its place");
    assert.equal((await reader.look()).state.kind, "failed");
  });

  it("is waited for where an event is being written, and refused where it never was written to its end", async () => {
    const path = join(spool, "1.0");
    writeFileSync(path, `1 20 ${payload()}`);
    assert.deepEqual(await look(), { sessions: [], refused: {} });
    writeFileSync(path, `1 20 ${payload()}\n`);
    assert.deepEqual((await look()).sessions, ["s1"]);
    // One that writes its payload in several lines may be met between two of them.
    writeFileSync(join(spool, "3.0"), "1 20 {\n");
    assert.deepEqual(await look(), { sessions: [], refused: {} });
    writeFileSync(join(spool, "3.0"), `1 20 {\n${payload({ session_id: "s3" }).slice(1)}\n`);
    assert.deepEqual((await look()).sessions, ["s3"]);
    writeFileSync(join(spool, "2.0"), "1 20 {");
    now += 120_000;
    assert.deepEqual((await look()).refused, { "an event that was not written to its end": 1 });
  });

  it("refuses what no hook of ours writes, each counted once, and reads the events beside it", async () => {
    const outside = join(root, "..", "outside");
    writeFileSync(outside, `1 20 ${payload({ session_id: "outside" })}\n`);
    symlinkSync(outside, join(spool, "link.0"));
    linkSync(outside, join(spool, "hardlink.0"));
    mkdirSync(join(spool, "folder.0"));
    spawnSync("mkfifo", [join(spool, "pipe.0")]);
    if (isRoot) spawnSync("mknod", [join(spool, "device.0"), "c", "1", "5"]);
    writeFileSync(join(spool, "huge.0"), "");
    truncateSync(join(spool, "huge.0"), 4 * 2 ** 30);
    writeFileSync(
      join(spool, "utf8.0"),
      Buffer.concat([Buffer.from("1 20 "), Buffer.from([0xff, 0xfe]), Buffer.from("\n")]),
    );
    writeFileSync(join(spool, "json.0"), "1 20 {\n");
    writeFileSync(join(spool, "header.0"), `${payload()}\n`);
    writeFileSync(join(spool, "version.0"), `9 20 ${payload()}\n`);
    writeFileSync(join(spool, "x".repeat(129)), `1 20 ${payload()}\n`);
    writeFileSync(join(spool, "a name"), `1 20 ${payload()}\n`);
    writeFileSync(join(spool, "cut.0"), `1 20 ${"x".repeat(hookPayloadBytes)}\n`);
    event("id.0", { session_id: "../../etc" });
    event("other.0", { hook_event_name: "PostToolBatch" });
    event("array.0");
    writeFileSync(join(spool, "array.0"), "1 20 []\n");
    event("good.0", { session_id: "good" });
    now += 30_000;
    const seen = await look();
    assert.deepEqual(seen.sessions, ["good"]);
    assert.deepEqual(seen.refused, {
      "a link in a file's place": 1,
      "a file of several names": 1,
      "a folder in a file's place": 1,
      "a named pipe in a file's place": 1,
      ...(isRoot ? { "a device or a socket in a file's place": 1 } : {}),
      "a file over the size of an event": 1,
      "a payload that is not UTF-8": 1,
      "a payload that is not JSON": 1,
      "a file that no hook of ours wrote": 2,
      "a name that no hook writes": 2,
      "a payload over the limit, cut short": 1,
      "a session's id that is none": 1,
      "an event that is not asked for": 1,
      "a payload that is no object": 1,
    });
    assert.deepEqual(await look(), { sessions: [], refused: {} });
    reader.remove(reader.read);
    assert.deepEqual(readdirSync(spool), ["folder.0"]);
    assert.ok(existsSync(outside), "what a link leads to stays");
  });

  it("refuses a socket without opening it", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(spool, "socket.0"), resolve));
    assert.deepEqual((await look()).refused, { "a device or a socket in a file's place": 1 });
    await new Promise((resolve) => server.close(resolve));
  });

  it("refuses files and folders of another user", { skip: !isRoot && "only root gives files away" }, async () => {
    chownSync(event("1.0"), nobody, nobody);
    event("2.0", { session_id: "own" });
    const foreign = join(root, "foreign");
    mkdirSync(foreign);
    writeFileSync(join(foreign, "1.0"), `1 20 ${payload({ session_id: "foreign" })}\n`);
    chownSync(foreign, nobody, nobody);
    const { state, reads } = await reader.look();
    assert.deepEqual(
      reads.flatMap(({ events }) => events.map(({ sessionId }) => sessionId)),
      ["own"],
    );
    assert.deepEqual(reads[0]?.refused, new Map([["a file of another user", 1]]));
    assert.deepEqual(state, { kind: "failed", cause: "foreign: a folder of another user" });
  });

  it("follows no link to another folder, whatever its name", async () => {
    const other = join(root, "..", "other");
    mkdirSync(other);
    writeFileSync(join(other, "1.0"), `1 20 ${payload()}\n`);
    symlinkSync(other, join(root, "box"));
    mkdirSync(join(root, "a name"));
    assert.deepEqual(await look(), { sessions: [], refused: {} });
  });

  it("that is flooded gives so many events a minute, and the others' theirs", async () => {
    const few = new SpoolReader(root, () => now, 100);
    const box = join(root, "box");
    mkdirSync(box);
    for (let index = 0; index < 300; index += 1) writeFileSync(join(spool, `${index}.0`), `1 20 ${payload()}\n`);
    writeFileSync(join(box, "1.0"), `1 20 ${payload({ session_id: "other" })}\n`);
    const { reads } = await few.look();
    assert.equal(reads.find(({ spool: name }) => name === "host")?.events.length, 100);
    assert.deepEqual(
      reads.find(({ spool: name }) => name === "host")?.refused,
      new Map([["an event of too many in a minute", 200]]),
    );
    now += 60_000;
    writeFileSync(join(spool, "next.0"), `1 20 ${payload()}\n`);
    assert.equal((await few.look()).reads.find(({ spool: name }) => name === "host")?.events.length, 1);
    assert.equal(reads.find(({ spool: name }) => name === "box")?.events.length, 1);
  });

  it("of more files than one look takes is read in parts, each file once", async () => {
    const count = limits.spoolFilesPerLook + 50;
    for (let index = 0; index < count; index += 1)
      writeFileSync(join(spool, `${index}.0`), `1 20 ${payload({ session_id: `s${index}` })}\n`);
    const seen = new Set<string>();
    let looks = 0;
    for (let isMore = true; isMore; looks += 1) {
      const part = await reader.look();
      ({ isMore } = part);
      for (const { events } of part.reads) for (const { sessionId } of events) seen.add(sessionId);
      reader.remove(reader.read);
    }
    assert.equal(seen.size, count);
    assert.equal(looks, 2);
    assert.deepEqual(readdirSync(spool), []);
  });

  it("keeps a file that another one took the place of after it was read", async () => {
    const path = event("1.0");
    await look();
    rmSync(path);
    writeFileSync(path, `1 20 ${payload({ session_id: "later one" })}\n`);
    reader.remove(reader.read);
    assert.ok(existsSync(path));
  });
});
