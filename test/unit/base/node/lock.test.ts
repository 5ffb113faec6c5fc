// The lock, with real processes: one holder at a time, a dead one loses it, one that cannot be told keeps it.
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { acquireLock, lockState } from "../../../../base/node/lock.ts";
import { processStart } from "../../../../base/node/processStart.ts";
import { repositoryRoot } from "../../../support/rollcall/world.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const lockModule = pathToFileURL(join(repositoryRoot, "base", "node", "lock.ts")).href;
/** Tries the lock at each line it reads, says how it went, and lets go of it at the next. */
const contender = `
import { createInterface } from "node:readline";
import { acquireLock } from ${JSON.stringify(lockModule)};
let lock;
process.stdout.write("ready\\n");
for await (const path of createInterface({ input: process.stdin })) {
  if (lock !== undefined) { lock.release(); lock = undefined; }
  if (path === "") { process.stdout.write("released\\n"); continue; }
  try { lock = acquireLock(path); process.stdout.write("holds\\n"); }
  catch (error) { process.stdout.write((error.kind ?? String(error)) + "\\n"); }
}`;

class Contender {
  readonly pid: number;
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(t: TestContext) {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", contender], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.child = child;
    this.pid = child.pid ?? 0;
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    t.after(() => child.kill("SIGKILL"));
  }

  async says(): Promise<string> {
    return String((await this.lines.next()).value);
  }

  async tries(path: string): Promise<string> {
    this.child.stdin?.write(`${path}\n`);
    return this.says();
  }

  release(): Promise<string> {
    return this.tries("");
  }

  async kill(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

async function contenders(t: TestContext, count: number): Promise<readonly Contender[]> {
  const all = Array.from({ length: count }, () => new Contender(t));
  for (const each of all) assert.equal(await each.says(), "ready");
  return all;
}

function lockPath(t: TestContext): string {
  return join(scratchFolder(t), "data", "agent.lock");
}

/** A holder's file as a process wrote it that is not there any more. */
function leaveBehind(path: string, holder: object | string): void {
  writeFileSync(path, typeof holder === "string" ? holder : JSON.stringify(holder));
}

function startOf(pid: number): string {
  const start = processStart(pid);
  assert.ok(start.kind === "started");
  return start.token;
}

describe("a free lock", () => {
  it("is held by who takes it, for this user only, and free again when it is let go", (t) => {
    const path = lockPath(t);
    assert.deepEqual(lockState(path), { kind: "free" });
    const lock = acquireLock(path);
    assert.deepEqual(lockState(path), { kind: "held", pid: process.pid });
    assert.equal(lock.isHeld(), true);
    assert.equal(statSync(path).mode & 0o077, 0);
    assert.equal(statSync(dirname(path)).mode & 0o077, 0);
    lock.release();
    assert.deepEqual([lockState(path), lock.isHeld()], [{ kind: "free" }, false]);
    assert.deepEqual(readdirSync(dirname(path)), []);
  });

  it("is not given twice, not even to its holder, and the refusal names who holds it", (t) => {
    const path = lockPath(t);
    acquireLock(path);
    assert.throws(() => acquireLock(path), {
      kind: "lock-held",
      message: new RegExp(`held by process ${process.pid}; end it first`),
    });
    assert.deepEqual(readdirSync(dirname(path)), ["agent.lock"]);
  });

  it("that somebody else took is neither held nor taken away from him", (t) => {
    const path = lockPath(t);
    const first = acquireLock(path);
    rmSync(path);
    const second = acquireLock(path);
    assert.deepEqual([first.isHeld(), second.isHeld()], [false, true]);
    first.release();
    assert.equal(second.isHeld(), true);
  });
});

describe("processes that race for a lock", () => {
  it("two of them: exactly one holds it, in every round", { timeout: 60_000 }, async (t) => {
    const path = lockPath(t);
    const both = await contenders(t, 2);
    for (let round = 0; round < 30; round += 1) {
      const outcomes = await Promise.all(both.map((each) => each.tries(path)));
      assert.deepEqual([...outcomes].sort(), ["holds", "lock-held"], `round ${round}`);
      await Promise.all(both.map((each) => each.release()));
    }
  });

  it("six of them at a dead holder's: exactly one holds it, in every round", { timeout: 120_000 }, async (t) => {
    const path = lockPath(t);
    const all = await contenders(t, 6);
    acquireLock(path).release();
    for (let round = 0; round < 200; round += 1) {
      leaveBehind(path, { pid: 2 ** 30, start: "1", token: `dead-${round}` });
      const outcomes = await Promise.all(all.map((each) => each.tries(path)));
      assert.equal(outcomes.filter((outcome) => outcome === "holds").length, 1, `round ${round}: ${outcomes.join()}`);
      await Promise.all(all.map((each) => each.release()));
    }
    assert.deepEqual(readdirSync(dirname(path)), [], "nothing is left over");
  });
});

describe("a lock that was left behind", () => {
  it("by a process that was killed is taken over", async (t) => {
    const path = lockPath(t);
    const [first, second] = (await contenders(t, 2)) as [Contender, Contender];
    assert.equal(await first.tries(path), "holds");
    assert.equal(await second.tries(path), "lock-held");
    await first.kill();
    const left = lockState(path);
    assert.ok(left.kind === "left-behind" && left.holder?.pid === first.pid);
    assert.equal(await second.tries(path), "holds");
    assert.deepEqual(lockState(path), { kind: "held", pid: second.pid });
  });

  it("by a process that died while it took over from another dead one is taken over", (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    leaveBehind(path, { pid: 2 ** 30, start: "1", token: "first" });
    leaveBehind(`${path}.first.dead`, { pid: 2 ** 30, start: "1", token: "second" });
    leaveBehind(`${path}.second.dead`, { pid: 2 ** 30, start: "1", token: "third" });
    assert.equal(acquireLock(path).isHeld(), true);
    assert.deepEqual(readdirSync(dirname(path)), ["agent.lock"]);
  });

  it("is left to the live process that is about to take it over", (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    leaveBehind(path, { pid: 2 ** 30, start: "1", token: "first" });
    leaveBehind(`${path}.first.dead`, { pid: process.ppid, start: startOf(process.ppid), token: "second" });
    assert.throws(() => acquireLock(path), { kind: "lock-held", message: /held by another process/ });
    assert.ok(readFileSync(path, "utf8").includes("first"));
  });

  it("whose pid another process has by now is taken over", (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    leaveBehind(path, { pid: process.ppid, start: String(Number(startOf(process.ppid)) - 1), token: "earlier" });
    assert.equal(lockState(path).kind, "left-behind");
    assert.equal(acquireLock(path).isHeld(), true);
  });

  it("stays held by the very process that holds it", (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    leaveBehind(path, { pid: process.ppid, start: startOf(process.ppid), token: "its-own" });
    assert.throws(() => acquireLock(path), { kind: "lock-held" });
    assert.ok(readFileSync(path, "utf8").includes("its-own"));
  });

  for (const [what, content] of [
    ["empty", ""],
    ["torn", '{"pid":12,"sta'],
    ["of another shape", '{"pid":"12"}'],
  ] as const) {
    it(`${what} holds nobody and is taken over`, (t) => {
      const path = lockPath(t);
      acquireLock(path).release();
      leaveBehind(path, content);
      assert.deepEqual(lockState(path), { kind: "left-behind", holder: undefined });
      const lock = acquireLock(path);
      assert.equal(lock.isHeld(), true);
      assert.deepEqual(readdirSync(dirname(path)), ["agent.lock"]);
    });
  }

  it("by a zombie is taken over", async (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    // Its parent waits for a line and asks after nobody.
    const parent = spawn("/bin/sh", ["-c", "sleep 600 & echo $!; exec cat"], { stdio: ["pipe", "pipe", "ignore"] });
    t.after(() => parent.kill("SIGKILL"));
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    const pid = Number(line);
    leaveBehind(path, { pid, start: startOf(pid), token: "child" });
    assert.equal(lockState(path).kind, "held");
    process.kill(pid, "SIGKILL");
    while (processStart(pid).kind !== "gone") await new Promise((resolve) => setImmediate(resolve));
    assert.equal(lockState(path).kind, "left-behind");
    assert.ok(existsSync(path));
  });
});

describe("attempts of processes that were killed in them", () => {
  it("go with the next holder once they are old; those of a moment ago stay, and so do files of others", (t) => {
    const path = lockPath(t);
    acquireLock(path).release();
    const uuid = "0b7d7c5e-1111-4222-8333-944455566677";
    const dead = JSON.stringify({ pid: 2 ** 30, start: "1", token: "dead" });
    const left = [`${path}.${uuid}`, `${path}.earlier.dead`, `${path}.damaged.dead`];
    const kept = [`${path}.${uuid.replaceAll("1", "2")}`, `${path}.notes`, `${path}d.${uuid}`];
    for (const file of [...left, ...kept]) leaveBehind(file, dead);
    for (const file of [...left, ...kept.slice(1)]) utimesSync(file, 1_000, 1_000);
    const lock = acquireLock(path);
    assert.deepEqual(left.filter(existsSync), []);
    assert.deepEqual(kept.filter(existsSync), kept);
    lock.release();
  });
});

describe("a lock on a disk that takes nothing", () => {
  it("is not taken, and leaves no file behind", (t) => {
    const folder = scratchFolder(t);
    const body = `import { acquireLock } from ${JSON.stringify(lockModule)}; acquireLock(${JSON.stringify(join(folder, "agent.lock"))});`;
    const limited = 'trap "" XFSZ; ulimit -f 0; exec "$0" --input-type=module --eval "$1"';
    const { status, stderr } = spawnSync("sh", ["-c", limited, process.execPath, body], { encoding: "utf8" });
    assert.notEqual(status, 0);
    assert.match(stderr, /EFBIG/);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe("a lock file that is no lock", () => {
  it("of any length holds nobody, and is not read whole", (t) => {
    const path = join(scratchFolder(t), "agent.lock");
    writeFileSync(path, "");
    truncateSync(path, 4 * 2 ** 30);
    assert.equal(lockState(path).kind, "left-behind");
    acquireLock(path).release();
  });
});
