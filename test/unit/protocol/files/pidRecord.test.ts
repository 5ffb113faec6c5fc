import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { pidRecordSchema } from "../../../../protocol/files/pidRecord.ts";

const least = { pid: 20, sessionId: "s1" };

function check(fields: object, expected: Readonly<Record<string, unknown>>): void {
  const record = pidRecordSchema.parse({ ...least, ...fields }) as Record<string, unknown>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, record[key]])), expected);
}

describe("a session's record", () => {
  it("B017: a pid that is none makes it invalid", () => {
    for (const pid of [0, -1, 1.5, Number.NaN, "20", null, undefined]) {
      assert.equal(pidRecordSchema.safeParse({ ...least, pid }).success, false);
    }
  });
  it("needs a conversation", () => {
    for (const sessionId of ["", 7, undefined, "x".repeat(300), "../../x", "a b", "a\nb"]) {
      assert.equal(pidRecordSchema.safeParse({ ...least, sessionId }).success, false);
    }
  });
  it("a field of another type counts as not told, an unknown field changes nothing", () => {
    check(
      { cwd: 7, status: ["busy"], spare: "yes", startedAt: "now", brandNew: {} },
      {
        cwd: undefined,
        status: undefined,
        spare: undefined,
        startedAt: undefined,
      },
    );
  });
  it("the start is a string, as text and as a number", () => {
    check({ procStart: "141553" }, { procStart: "141553" });
    check({ procStart: 141553 }, { procStart: "141553" });
    check({ procStart: null }, { procStart: undefined });
  });
  it("a time that no clock shows is not told", () => {
    for (const odd of [-1, 1e16, 1e300])
      check({ startedAt: odd, updatedAt: odd }, { startedAt: undefined, updatedAt: undefined });
  });
  it("reads every record of the recordings", () => {
    const recordings = new URL("../../../fixtures/claude-code-2.1.332/", import.meta.url);
    const lines = (path: string): string[] => readFileSync(new URL(path, recordings), "utf8").trim().split("\n");
    const walk = lines("walk/pid-records.jsonl").map((line) => (JSON.parse(line) as { record: unknown }).record);
    const recorded = lines("recorded/sessions-pid-files.jsonl").map((line) => JSON.parse(line) as unknown);
    for (const record of [...walk.filter((value) => value !== "removed"), ...recorded]) {
      const { procStart, pidDomain, startedAt } = pidRecordSchema.parse(record);
      assert.ok(procStart !== undefined && pidDomain !== undefined && startedAt !== undefined);
    }
  });
});
