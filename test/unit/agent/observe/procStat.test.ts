// One line of the kernel about one process, whatever the process calls itself, and a held line that stays its own.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it, type TestContext } from "node:test";
import { lookAtPid } from "../../../../agent/observe/procLook.ts";
import { HeldProcess, isZombie, readProcStat } from "../../../../agent/observe/procStat.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { until } from "../../../support/claude/until.ts";

const options = { bootedAt: 0, folders: { find: (_asker: unknown, path: string) => Promise.resolve(path) } };

/** A process whose program has this name. */
async function processNamed(t: TestContext, name: string): Promise<ChildProcess & { readonly pid: number }> {
  const program = join(scratchFolder(t), name);
  copyFileSync("/bin/sleep", program);
  const child = spawn(program, ["600"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  assert.ok(child.pid !== undefined);
  return child as ChildProcess & { readonly pid: number };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** A process that has ended and that its parent never asks after. */
async function zombie(t: TestContext): Promise<number> {
  const parent = spawn("/bin/sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => parent.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pid = Number(line);
  await until("the parent runs what reaps nobody", () => readProcStat(parent.pid ?? 0).comm === "sleep", {
    deadlineMs: 5_000,
  });
  process.kill(pid, "SIGKILL");
  await until("the zombie", () => isZombie(readProcStat(pid)), { deadlineMs: 5_000 });
  return pid;
}

describe("a process' stat line", () => {
  const names = ["plain", "two words", "a) S 1 (b", "((((", "))))", ") Z 0 0 0", "new\nline", "back\\slash"];
  for (const name of [...names, "longer than the kernel keeps"]) {
    it(`of a program named ${JSON.stringify(name)} is told right`, async (t) => {
      const child = await processNamed(t, name);
      const stat = readProcStat(child.pid);
      assert.deepEqual([stat.pid, stat.ppid], [child.pid, process.pid]);
      // Some kernels write newlines and backslashes as escapes.
      const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
      assert.ok([name.slice(0, 15), escaped].includes(stat.comm), stat.comm);
      assert.match(stat.state, /^[RSD]$/);
      assert.match(stat.startTicks, /^[1-9]\d*$/);
      assert.equal(isZombie(stat), false);
    });
  }

  it("of ourselves is ours, and tells a start that does not move", () => {
    assert.equal(readProcStat("self").pid, process.pid);
    assert.equal(readProcStat("self").startTicks, readProcStat(process.pid).startTicks);
  });
});

describe("a look at a process", () => {
  it("tells it alive, with what it is", async (t) => {
    const child = await processNamed(t, "plain");
    const look = await lookAtPid(child.pid, options);
    assert.ok(look.kind === "alive");
    assert.deepEqual(
      [look.facts.pid, look.facts.ppid, look.facts.role.kind, look.facts.startToken],
      [child.pid, process.pid, "other", readProcStat(child.pid).startTicks],
    );
  });

  it("tells it gone once it was reaped", async (t) => {
    const child = await processNamed(t, "plain");
    await ended(child);
    assert.equal((await lookAtPid(child.pid, options)).kind, "gone");
  });

  it("tells a zombie gone", async (t) => {
    assert.deepEqual(await lookAtPid(await zombie(t), options), { kind: "gone", because: "it has ended" });
  });

  it("tells a pid that no process has as gone, and one that is none as unobserved", async () => {
    assert.deepEqual(await lookAtPid(2 ** 30, options), { kind: "gone", because: "no such process" });
    assert.equal((await lookAtPid(-1, options)).kind, "unobserved");
  });
});

describe("a held process", () => {
  it("answers as long as it lives and never again", async (t) => {
    const child = await processNamed(t, "plain");
    const held = new HeldProcess(child.pid, Buffer.alloc(4096));
    t.after(() => held.close());
    const glance = held.glance();
    assert.ok(glance.kind === "alive");
    assert.deepEqual(glance.stat.startTicks, readProcStat(child.pid).startTicks);
    await ended(child);
    assert.equal(held.glance().kind, "look-again");
  });

  it("is looked at again when it is a zombie", async (t) => {
    const held = new HeldProcess(await zombie(t), Buffer.alloc(4096));
    t.after(() => held.close());
    assert.equal(held.glance().kind, "look-again");
  });

  it("cannot be held once it is gone", async (t) => {
    const child = await processNamed(t, "plain");
    await ended(child);
    assert.throws(() => new HeldProcess(child.pid, Buffer.alloc(4096)), { code: "ENOENT" });
  });
});
