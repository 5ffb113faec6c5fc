// Outside programs: every end is a value, and none of them outlives its call, nor does what it started.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { processStart } from "../../../../base/node/processStart.ts";
import { outcomeWords, runProgram, type ProgramCall, type ProgramOutcome } from "../../../../base/node/spawn.ts";
import { until } from "../../../support/claude/until.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const bounds = { deadlineMs: 20_000, outputLimitBytes: 1_000_000 };

function shell(script: string, more: Partial<ProgramCall> = {}): Promise<ProgramOutcome> {
  return runProgram({ command: "/bin/sh", args: ["-c", script], ...bounds, ...more }).outcome;
}

/** A script that starts a child with a child of its own, each of which writes down its pid. */
const family = (folder: string): string =>
  `(echo $$ > ${folder}/1; sh -c 'echo $$ > ${folder}/2; sleep 600' & sleep 600) & echo started; wait`;

async function familyOf(folder: string): Promise<readonly number[]> {
  const files = ["1", "2"].map((name) => join(folder, name));
  await until("the family runs", () => files.every((file) => existsSync(file) && readFileSync(file).length > 0), {
    deadlineMs: 10_000,
  });
  return files.map((file) => Number(readFileSync(file, "utf8")));
}

async function allGone(pids: readonly number[]): Promise<void> {
  await until("the whole family is gone", () => pids.every((pid) => processStart(pid).kind === "gone"), {
    deadlineMs: 10_000,
  });
}

async function check(outcome: Promise<ProgramOutcome>, expected: object, words: RegExp): Promise<void> {
  const got = await outcome;
  assert.deepEqual({ ...got, ...expected }, got);
  assert.match(outcomeWords(got), words);
}

describe("a program that ends by itself", () => {
  it("tells its exit code and its output", async () => {
    const outcome = await shell("printf out; printf err >&2; exit 3");
    assert.ok(outcome.kind === "exited");
    assert.deepEqual([outcome.code, outcome.stdout.toString(), outcome.stderr], [3, "out", "err"]);
    assert.equal(outcomeWords(outcome), "exit code 3: err");
  });

  it("finds its input closed", async () => {
    const outcome = await shell("read line; echo read $?; cat");
    assert.ok(outcome.kind === "exited");
    assert.equal(outcome.stdout.toString(), "read 1\n");
  });

  it("has the environment that it was given and no other", async () => {
    const outcome = await shell('echo "$HOME,$ONLY"', { env: { ONLY: "this" } });
    assert.ok(outcome.kind === "exited");
    assert.equal(outcome.stdout.toString(), ",this\n");
  });

  it("by a signal says by which", () =>
    check(
      shell("echo why >&2; kill -TERM $$"),
      { kind: "killed-by-signal", signal: "SIGTERM" },
      /ended by SIGTERM: why/,
    ));

  it("keeps the beginning of what it complains, not all of it", async () => {
    const outcome = await shell("echo first >&2; head -c 100000 /dev/zero | tr '\\0' x >&2");
    assert.ok(outcome.kind === "exited");
    assert.match(outcome.stderr, /^first/);
    assert.ok(outcome.stderr.length <= 2_000);
  });

  it("takes with it what it left running", async (t) => {
    const folder = scratchFolder(t);
    const outcome = shell(`sleep 600 >/dev/null 2>&1 & echo $! > ${folder}/pid`);
    assert.equal((await outcome).kind, "exited");
    await allGone([Number(readFileSync(join(folder, "pid"), "utf8"))]);
  });
});

describe("a program that cannot be started", () => {
  it("tells why", () =>
    check(
      runProgram({ command: "/nowhere/program", args: [], ...bounds }).outcome,
      { kind: "not-started" },
      /could not be started: .*ENOENT/,
    ));

  it("tells why when it is a folder", (t) => {
    const folder = join(scratchFolder(t), "folder");
    mkdirSync(folder);
    return check(
      runProgram({ command: folder, args: [], ...bounds }).outcome,
      { kind: "not-started" },
      /could not be started: .*EACCES/,
    );
  });
});

describe("a program that does not end", () => {
  const started = async (
    t: TestContext,
    more: Partial<ProgramCall>,
  ): Promise<readonly [ProgramOutcome, readonly number[]]> => {
    const folder = scratchFolder(t);
    const outcome = shell(family(folder), more);
    const pids = await familyOf(folder);
    return [await outcome, pids];
  };

  it("is killed at its deadline with all that it started", async (t) => {
    const [outcome, pids] = await started(t, { deadlineMs: 1_500 });
    assert.deepEqual(outcome, { kind: "timed-out", deadlineMs: 1_500 });
    assert.equal(outcomeWords(outcome), "no answer within 1500 ms");
    await allGone(pids);
  });

  it("is killed at its deadline although it ignores what may be ignored", async () => {
    const began = performance.now();
    const outcome = await shell("trap '' TERM INT HUP; while :; do sleep 1; done", { deadlineMs: 300 });
    assert.equal(outcome.kind, "timed-out");
    assert.ok(performance.now() - began < 5_000);
  });

  it("is waited for no longer than its deadline when a child holds its output open", async () => {
    assert.equal((await shell("sleep 600 & exit 0", { deadlineMs: 500 })).kind, "timed-out");
  });

  it("is killed when it is cancelled", async (t) => {
    const folder = scratchFolder(t);
    const program = runProgram({ command: "/bin/sh", args: ["-c", family(folder)], ...bounds });
    const pids = await familyOf(folder);
    program.cancel();
    await check(program.outcome, { kind: "cancelled" }, /cancelled/);
    await allGone([program.pid ?? 0, ...pids]);
  });
});

describe("a program that says too much", () => {
  it("is killed at the limit", async () => {
    const program = runProgram({ command: "/bin/sh", args: ["-c", "cat /dev/zero"], ...bounds });
    await check(program.outcome, { kind: "output-too-large", limitBytes: 1_000_000 }, /more than 1000000 bytes/);
    await allGone([program.pid ?? 0]);
  });

  it("is heard out at exactly the limit", async () => {
    const outcome = await shell("head -c 1000000 /dev/zero");
    assert.ok(outcome.kind === "exited" && outcome.stdout.length === 1_000_000);
  });
});

describe("the first reason", () => {
  it("is the one that is told", async () => {
    const program = runProgram({ command: "/bin/sh", args: ["-c", "sleep 600"], ...bounds });
    program.cancel();
    program.cancel();
    await allGone([program.pid ?? 0]);
    assert.equal((await program.outcome).kind, "cancelled");
  });
});
