// Files of the machine, read and written with bounds: a read is whole or says why not, a written file is its old
// content or its new one.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { writeFileDurably } from "../../../../base/node/atomicFile.ts";
import { readBounded } from "../../../../base/node/readBounded.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { repositoryRoot } from "../../../support/rollcall/world.ts";

const limitBytes = 1_000;
const deadlineMs = 5_000;

async function check(path: string, expected: Buffer | "absent" | RegExp): Promise<void> {
  const read = await readBounded(path, limitBytes, deadlineMs);
  if (expected === "absent") {
    assert.deepEqual(read, { kind: "absent" });
    return;
  }
  if (expected instanceof RegExp) {
    assert.ok(read.kind === "unreadable", JSON.stringify(read));
    assert.match(read.cause, expected);
    return;
  }
  assert.ok(read.kind === "read", JSON.stringify(read));
  assert.deepEqual(read.bytes, expected);
  assert.equal(read.modifiedAt, statSync(path).mtimeMs);
}

describe("a bounded read", () => {
  const file = (t: TestContext, content: string | Buffer): string => {
    const path = join(scratchFolder(t), "file");
    writeFileSync(path, content);
    return path;
  };

  it("gives the whole file, an empty one too, and one of exactly the limit", async (t) => {
    for (const content of ["whole", "", "x".repeat(limitBytes)]) await check(file(t, content), Buffer.from(content));
  });

  it("refuses one byte more", async (t) => check(file(t, "x".repeat(limitBytes + 1)), /1001 bytes, over the limit/));

  it("tells absent only where the folder was asked", async (t) => {
    const path = file(t, "");
    await check(`${path}.none`, "absent");
    await check(join(path, "below"), /ENOTDIR/);
    await check(`${path}${"x".repeat(300)}`, /ENAMETOOLONG/);
  });

  it("does not follow a link, not even a dangling one", async (t) => {
    const path = file(t, "secret");
    symlinkSync(path, `${path}.link`);
    symlinkSync(`${path}.none`, `${path}.dangling`);
    await check(`${path}.link`, /ELOOP/);
    await check(`${path}.dangling`, /ELOOP/);
  });

  it("refuses folder, named pipe and device, and does not wait for them", { timeout: 5_000 }, async (t) => {
    const folder = scratchFolder(t);
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await check(folder, /not a regular file/);
    await check(join(folder, "pipe"), /not a regular file/);
    await check("/dev/zero", /not a regular file/);
  });

  it("refuses a file that says another size than it has, as those of /proc do", async () =>
    check("/proc/self/stat", /changed while it was read/));

  it("never gives what is neither the file before nor the file after", { timeout: 30_000 }, async (t) => {
    const path = file(t, "");
    const short = "a".repeat(300);
    const long = "b".repeat(900);
    const states = new Set(["", short, long]);
    const counts = { read: 0, unreadable: 0 };
    for (let round = 0; round < 300; round += 1) {
      const reads = Array.from({ length: 4 }, () => readBounded(path, limitBytes, deadlineMs));
      // Written in place, in steps, as the coding agent does.
      truncateSync(path, 0);
      const next = round % 2 === 0 ? short : long;
      appendFileSync(path, next.slice(0, 100));
      await Promise.race(reads);
      appendFileSync(path, next.slice(100));
      for (const read of await Promise.all(reads)) {
        assert.notEqual(read.kind, "absent");
        if (read.kind === "read") {
          const text = read.bytes.toString();
          // A state that lasted for the whole read is an answer, also one between two writes.
          assert.ok(states.has(text) || text === next.slice(0, 100), `${text.length} bytes`);
          counts.read += 1;
        } else counts.unreadable += 1;
      }
    }
    assert.ok(counts.read > 0);
  });

  it("costs its deadline and no more", async (t) => {
    const path = file(t, "x");
    const read = await readBounded(path, limitBytes, 0);
    if (read.kind === "unreadable") assert.match(read.cause, /no answer within 0 ms/);
    else assert.equal(read.kind, "read");
  });
});

describe("a durable write", () => {
  it("gives the file its content and its mode, whatever it was before", async (t) => {
    const path = join(scratchFolder(t), "file");
    await writeFileDurably(path, "one");
    assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777], ["one", 0o600]);
    chmodSync(path, 0o666);
    await writeFileDurably(path, "two");
    assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777], ["two", 0o600]);
    await writeFileDurably(path, "three", 0o640);
    assert.equal(statSync(path).mode & 0o777, 0o640);
  });

  it("leaves nothing beside the file", async (t) => {
    const folder = scratchFolder(t);
    for (let round = 0; round < 5; round += 1) await writeFileDurably(join(folder, "file"), `${round}`);
    assert.deepEqual(readdirSync(folder), ["file"]);
  });

  it("that fails leaves the old content, and nothing beside it", async (t) => {
    const folder = scratchFolder(t);
    mkdirSync(join(folder, "taken"));
    await assert.rejects(writeFileDurably(join(folder, "taken"), "x"));
    await assert.rejects(writeFileDurably(join(folder, "none", "file"), "x"), { code: "ENOENT" });
    assert.deepEqual(readdirSync(folder), ["taken"]);
  });

  it("that is killed at any moment leaves the old content or the new one, whole", { timeout: 60_000 }, async (t) => {
    const path = join(scratchFolder(t), "file");
    const bytes = 2_000_000;
    const writer = `
      import { writeFileDurably } from ${JSON.stringify(pathToFileURL(join(repositoryRoot, "base/node/atomicFile.ts")).href)};
      process.stdout.write("ready\\n");
      for (let round = 0; ; round += 1) await writeFileDurably(process.argv[1], String(round % 10).repeat(${bytes}));`;
    await writeFileDurably(path, "0".repeat(bytes));
    for (let round = 0; round < 8; round += 1) {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", writer, path], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      // A moment of its own for each round, told by what the writer left beside the file.
      for (let look = 0; look < 50 + round * 37; look += 1) {
        readdirSync(join(path, ".."));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
      const content = readFileSync(path, "utf8");
      assert.equal(content.length, bytes);
      assert.equal(content, content.charAt(0).repeat(bytes));
    }
    rmSync(path);
  });
});
