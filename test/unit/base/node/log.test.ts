// The log is bounded in every direction, and never a reason to stop.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { FileLog } from "../../../../base/node/log.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

function newLog(t: TestContext): FileLog {
  return new FileLog(join(scratchFolder(t), "logs", "agent.log"));
}

const lines = (log: FileLog): readonly string[] => readFileSync(log.path, "utf8").trimEnd().split("\n");

describe("a line of the log", () => {
  it("tells time, level and message, with the error's words", (t) => {
    const log = newLog(t);
    log.info("it began");
    log.warn("it failed", new Error("of this"));
    const [info, warn] = lines(log);
    assert.match(info ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z info it began$/);
    assert.match(warn ?? "", /Z warn it failed: of this$/);
  });

  it("is one line, and no longer than the limit", (t) => {
    const log = newLog(t);
    log.info("one\ntwo\r\n\r\nthree");
    log.info("x".repeat(limits.logLineChars * 2));
    const [first, second, ...rest] = lines(log);
    assert.match(first ?? "", / one two three$/);
    assert.match(second ?? "", new RegExp(` x{${limits.logLineChars}}$`));
    assert.deepEqual(rest, []);
  });

  it("is for this user only", (t) => {
    const log = newLog(t);
    log.info("x");
    assert.equal(statSync(log.path).mode & 0o077, 0);
    assert.equal(statSync(dirname(log.path)).mode & 0o077, 0);
  });
});

describe("the log's files", () => {
  /** About as many lines as fill this many files, numbered, in letters that take three bytes each. */
  const fill = (log: FileLog, files: number): number => {
    const count = Math.ceil((files * limits.logFileBytes) / (1_900 * 3));
    for (let index = 0; index < count; index += 1) log.info(`${index} ${"語".repeat(1_900)}`);
    return count;
  };

  it("are few and of bounded size, in bytes, and the newest lines are the ones kept", (t) => {
    const log = newLog(t);
    const count = fill(log, limits.logFiles + 2);
    const names = readdirSync(dirname(log.path)).sort();
    assert.deepEqual(names, ["agent.log", "agent.log.1", "agent.log.2"]);
    for (const name of names) {
      const { size } = statSync(join(dirname(log.path), name));
      assert.ok(size > 0 && size <= limits.logFileBytes, `${name}: ${size} bytes`);
    }
    assert.ok(
      lines(log)
        .at(-1)
        ?.includes(` ${count - 1} `),
    );
    assert.equal(log.lostLines, 0);
  });

  it("go on where an earlier agent's ended", (t) => {
    const log = newLog(t);
    writeFileSync(log.path, "x".repeat(limits.logFileBytes - 10));
    log.info("this does not fit");
    assert.equal(statSync(`${log.path}.1`).size, limits.logFileBytes - 10);
    assert.equal(lines(log).length, 1);
  });
});

describe("a log that cannot be written", () => {
  it("counts what it lost, and goes on when it can", (t) => {
    const log = newLog(t);
    log.info("before");
    rmSync(log.path);
    mkdirSync(log.path);
    log.info("lost");
    log.warn("lost too", new Error("x"));
    assert.equal(log.lostLines, 2);
    rmSync(log.path, { recursive: true });
    log.info("after");
    assert.equal(log.lostLines, 2);
    assert.match(lines(log).join(), / info after$/);
  });

  it("whose folder was removed is no reason to stop", (t) => {
    const log = newLog(t);
    rmSync(dirname(log.path), { recursive: true });
    log.info("lost");
    assert.equal(log.lostLines, 1);
  });
});
