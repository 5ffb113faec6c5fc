// The start that a record tells, off Linux: as macOS and Windows were seen to write it, and that a session there is one
// row with its process.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareStarts, startOfRecord, unknownStart } from "../../../../agent/core/recordStart.ts";
import { parsePsTable } from "../../../../agent/observe/psTable.ts";
import {
  facts,
  fileOf,
  kernelHost,
  observe,
  record,
  recordListing,
  recordRead,
  second,
  shown,
  table,
  tableHost,
} from "./builders.ts";

const local = (...parts: [number, number, number, number, number, number]): string =>
  String(new Date(...parts).getTime() / 1_000);

describe("a record's start", () => {
  it("is ticks where the kernel answers, whatever stands there", () => {
    for (const text of ["669950", "133771234567890123", "Mon Nov 30 17:00:00 2026"])
      assert.equal(startOfRecord(kernelHost, text), text);
  });

  it("of macOS is the text of ps, in local time, in either order and with one digit", () => {
    const start = local(2026, 10, 3, 17, 0, 9);
    for (const text of ["Tue Nov  3 17:00:09 2026", "Tue  3 Nov 17:00:09 2026", "Tue Nov 03 17:00:09 2026"])
      assert.equal(startOfRecord(tableHost, text), start, text);
  });

  it("is what a table of the same ps tells", () => {
    const started = "Mon Nov 30 17:00:00 2026";
    const read = parsePsTable(`  20     1 ${started} claude --resume\n`);
    assert.ok(read.kind === "rows");
    assert.equal(startOfRecord(tableHost, started), String((read.rows[0]?.startedAt ?? 0) / 1_000));
  });

  it("of Windows is beyond 2^53 and loses no digit on the way", () => {
    const at = Date.UTC(2026, 10, 30, 17, 0, 0) / 1_000;
    const fileTime = (BigInt(at) + 11_644_473_600n) * 10_000_000n;
    const ticks = (BigInt(at) + 62_135_596_800n) * 10_000_000n;
    for (const start of [fileTime, fileTime + 9_999_999n, ticks]) {
      assert.ok(start > BigInt(Number.MAX_SAFE_INTEGER));
      assert.equal(record({ procStart: String(start) }).procStart, String(start));
      assert.equal(startOfRecord(tableHost, String(start)), String(at));
    }
    assert.equal(startOfRecord(tableHost, String(fileTime + 10_000_000n)), String(at + 1));
  });

  it("in words of another tongue, or where no table tells starts, compares with nothing", () => {
    const words = "Mo. 30 Nov. 17:00:00 2026";
    assert.equal(startOfRecord(tableHost, words), words);
    assert.equal(compareStarts(tableHost, words, { startToken: "1796058000" }), "cannot-tell");
    assert.equal(compareStarts(tableHost, "500", { startToken: unknownStart }), "cannot-tell");
    assert.equal(compareStarts(tableHost, "500", { startToken: "500" }), "same");
    assert.equal(compareStarts(tableHost, "500", { startToken: "600" }), "another");
  });
});

describe("a session off Linux is one row with its process", () => {
  const at = new Date(2026, 10, 30, 17, 0, 0).getTime();
  const process = facts({ namespace: undefined, cwd: undefined, configDir: undefined });
  const rows = (own: typeof process, procStart: string): Readonly<Record<string, string>> => {
    const read = [
      recordListing(second(1), [fileOf(20)]),
      recordRead(second(1), record({ procStart, pidDomain: undefined })),
    ];
    const seen = table(second(2), [own]);
    const one = shown(observe([...read, seen], tableHost), second(3));
    assert.deepEqual(shown(observe([seen, ...read], tableHost), second(3)), one);
    return one;
  };

  it("on macOS, by the start", () => {
    const own = facts({ ...process, startToken: String(at / 1_000), startedAt: at });
    assert.deepEqual(Object.keys(rows(own, "Mon Nov 30 17:00:00 2026")), ["s1"]);
    assert.match(rows(own, "Mon Nov 30 17:00:00 2026")["s1"] ?? "", /^live, /);
    assert.deepEqual(
      Object.keys(rows(own, "Mon Nov 30 16:00:00 2026")).length,
      2,
      "of a process that was there before",
    );
  });

  it("on Windows, where tables tell no start, by the pid that names the record's file", () => {
    const own = facts({ ...process, startToken: unknownStart, startedAt: undefined });
    const found = rows(own, "134085852000000000");
    assert.deepEqual(Object.keys(found), ["s1"]);
    assert.match(found["s1"] ?? "", /^live, /);
  });
});
