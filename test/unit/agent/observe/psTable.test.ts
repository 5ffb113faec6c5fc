// What `ps` prints, as rows: arguments are anybody's, so they may hold line breaks and look like other rows.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePsTable } from "../../../../agent/observe/psTable.ts";

const started = "Mon Nov 30 17:00:00 2026";
const startedAt = Date.parse(started);

describe("the rows of ps", () => {
  it("hold pid, parent, start and arguments", () => {
    const text = `    1       0 ${started} /sbin/init\n   20       1 ${started} /opt/claude --resume x\n`;
    assert.deepEqual(parsePsTable(text), {
      kind: "rows",
      rows: [
        { pid: 1, ppid: 0, name: "", cmd: "/sbin/init", startedAt },
        { pid: 20, ppid: 1, name: "", cmd: "/opt/claude --resume x", startedAt },
      ],
    });
  });

  it("are one for a process whose arguments have line breaks, or none", () => {
    const read = parsePsTable(`20 1 ${started} sh -c a\nb c\n\n21 1 ${started}\n`);
    assert.ok(read.kind === "rows");
    assert.deepEqual(
      read.rows.map(({ pid, cmd }) => [pid, cmd]),
      [
        [20, "sh -c a"],
        [21, ""],
      ],
    );
  });

  it("of a day of one digit are read", () => {
    const read = parsePsTable(`20 1 Mon Nov  3 17:00:00 2026 claude\n`);
    assert.ok(read.kind === "rows");
    assert.equal(read.rows[0]?.startedAt, Date.parse("Mon Nov 3 17:00:00 2026"));
  });

  it("are none where it printed nothing", () => assert.deepEqual(parsePsTable(""), { kind: "rows", rows: [] }));

  it("are no answer where it printed something else", () => {
    const read = parsePsTable("PID   USER     TIME  COMMAND\n    1 root      0:00 /sbin/init\n");
    assert.ok(read.kind === "no-answer");
    assert.match(read.cause, /unreadable table: PID/);
  });
});
