// Known processes, asked of the kernel: an end is told by the next glance, and nothing else is told as one.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent, PidLook } from "../../../../agent/core/monitorEvent.ts";
import { readHostFacts } from "../../../../agent/observe/hostFacts.ts";
import { whoseProgram } from "../../../../agent/observe/procFacts.ts";
import { readProcStat } from "../../../../agent/observe/procStat.ts";
import { ProcessWatch } from "../../../../agent/observe/processWatch.ts";
import { until } from "../../../support/claude/until.ts";
import { StandInWorld } from "../../../support/rollcall/standIn.ts";

class Watched {
  readonly standIns = new StandInWorld();
  readonly watch: ProcessWatch;
  private events: MonitorEvent[] = [];

  constructor(t: TestContext) {
    this.watch = new ProcessWatch({
      folders: { find: (_asker, path) => Promise.resolve(path) },
      now: () => Date.now(),
      bootedAt: readHostFacts().bootedAt,
      emit: (events) => this.events.push(...events),
    });
    t.after(async () => {
      this.watch.dispose();
      await this.standIns.close();
    });
  }

  /** What was told of each pid since the last call. */
  told(): ReadonlyMap<number, PidLook> {
    const looks = this.events.flatMap((event) => (event.kind === "pid-look" ? [event] : []));
    this.events = [];
    return new Map(looks.map(({ pid, look }) => [pid, look]));
  }

  async look(...pids: readonly number[]): Promise<ReadonlyMap<number, PidLook>> {
    await this.watch.look(new Set(pids));
    return this.told();
  }

  async glance(): Promise<ReadonlyMap<number, PidLook>> {
    await this.watch.glance();
    return this.told();
  }
}

describe("a known process", () => {
  it("is told alive with its facts, and held", async (t) => {
    const watched = new Watched(t);
    const session = watched.standIns.start("", undefined);
    const look = (await watched.look(session.pid)).get(session.pid);
    assert.ok(look?.kind === "alive");
    assert.equal(look.facts.role.kind, "session");
    assert.equal(look.facts.configDir, watched.standIns.configDir);
    assert.equal(look.facts.cwd, watched.standIns.root);
    assert.equal(watched.watch.heldCount, 1);
    assert.ok(Math.abs((look.facts.startedAt ?? 0) - Date.now()) < 10_000);
  });

  it("is judged from its look on, and no longer once it has ended", async (t) => {
    const watched = new Watched(t);
    const session = watched.standIns.start("", undefined);
    assert.equal(watched.watch.isJudged(session.pid), false);
    await watched.look(session.pid);
    assert.equal(watched.watch.isJudged(session.pid), true);
    await session.kill();
    assert.equal(watched.watch.isJudged(session.pid), false);
  });

  it("that lives on is not told of by a glance", async (t) => {
    const watched = new Watched(t);
    await watched.look(watched.standIns.start("", undefined).pid);
    assert.equal((await watched.glance()).size, 0);
  });

  it("that was killed is told gone by the next glance, and let go; the others are not told of", async (t) => {
    const watched = new Watched(t);
    const killed = watched.standIns.start("", undefined);
    const other = watched.standIns.start("", undefined);
    await watched.look(killed.pid, other.pid);
    await killed.kill();
    const told = await watched.glance();
    assert.deepEqual([...told.keys()], [killed.pid]);
    assert.equal(told.get(killed.pid)?.kind, "gone");
    assert.equal(watched.watch.heldCount, 1);
    assert.equal((await watched.glance()).size, 0, "an end is told once");
  });

  it("that runs another program since is told as what it is now", async (t) => {
    const watched = new Watched(t);
    const shell = join(watched.standIns.root, "sh", "claude");
    copyFileSync("/bin/sh", watched.standIns.executable);
    const child = spawn(watched.standIns.executable, ["-c", "read line; exec sleep 600", shell], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    t.after(() => child.kill("SIGKILL"));
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    assert.equal((await watched.look(pid)).get(pid)?.kind, "alive");
    assert.equal(watched.watch.heldCount, 1);
    child.stdin.write("go\n");
    await until("the other program", () => readProcStat(pid).comm === "sleep", { deadlineMs: 5_000 });
    const look = (await watched.glance()).get(pid);
    assert.ok(look?.kind === "alive");
    assert.equal(look.facts.role.kind, "other");
    assert.equal(watched.watch.heldCount, 0);
  });

  it("is found without anybody naming it, as soon as it runs another program than its parent", async (t) => {
    const watched = new Watched(t);
    const session = watched.standIns.start("", undefined);
    await watched.watch.look(new Set(), watched.watch.findNew().pids);
    assert.equal(watched.told().get(session.pid)?.kind, "alive");
    assert.ok(!watched.told().has(process.pid), "a hint that is no agent is not told of");
  });

  it("is no session while it is a fork of one, and becomes one with a program of its own", async (t) => {
    const watched = new Watched(t);
    const shell = join(watched.standIns.root, "sh", "claude");
    copyFileSync("/bin/sh", watched.standIns.executable);
    mkdirSync(join(watched.standIns.root, "sh"));
    copyFileSync("/bin/sleep", shell);
    const script = `exec 3<&0; (read line <&3; exec ${shell} 600) & echo $!; wait`;
    const parent = spawn(watched.standIns.executable, ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    t.after(() => parent.kill("SIGKILL"));
    const child = Number(String((await once(parent.stdout, "data"))[0]));
    t.after(() => process.kill(child, "SIGKILL"));
    await watched.watch.look(new Set(), [child]);
    assert.ok(!watched.told().has(child), "it may be on its way to a tool");
    parent.stdin.write("go\n");
    await until("its own program", () => readFileSync(`/proc/${child}/cmdline`, "latin1").startsWith(shell), {
      deadlineMs: 5_000,
    });
    await watched.watch.look(new Set(), [child]);
    assert.equal(watched.told().get(child)?.kind, "alive");
  });

  it("of a process that was left behind nobody can tell whose program it runs", async () => {
    assert.equal(await whoseProgram({ pid: process.pid, ppid: 1 }), "cannot-tell");
  });

  it("counts among those alive only while it lives and once it is settled", async (t) => {
    const watched = new Watched(t);
    const session = watched.standIns.start("", undefined);
    await watched.look(session.pid);
    assert.deepEqual(watched.watch.aliveSince(Date.now()), []);
    assert.deepEqual(watched.watch.aliveSince(Date.now() + 60_000), [session.pid]);
    await session.kill();
    assert.deepEqual(watched.watch.aliveSince(Date.now() + 60_000), []);
  });
});
