import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyText } from "../../../protocol/whyText.ts";
import { at, now, observed, session, silent } from "../extension/core/rosters.ts";

const row = session("7d0c", {
  title: "Fix the login page",
  sandbox: "pidns:4026",
  sandboxDerived: true,
  transcript: "/t/7d0c.jsonl",
  startedAt: at(3_600_000),
  status: { kind: "needs-you", why: "permission", rule: "record-waits-for-permission", since: at(60_000) },
  openTurns: [{ toolUseId: "toolu_1", tool: "Bash", since: at(120_000), abandoned: false }],
  background: [{ id: "bash_1", kind: "shell", since: at(30_000) }],
  evidence: [
    { source: "proc", says: "process 4242 exists", at: at(1_000), asOf: at(1_000) },
    { source: "rule", says: "the record waits", at: at(0), asOf: at(60_000) },
  ],
});

describe("the why text", () => {
  it("says everything that led to the row", () => {
    const text = whyText(row, { now, sources: [observed("proc")] });
    assert.equal(
      text,
      `Fix the login page
  id         7d0c
  key        /home/u/.claude#7d0c
  folder     /home/u/src/app
  sandbox    pidns:4026 (named after its namespace)
  process    4242
  transcript /t/7d0c.jsonl
  started    2026-03-01T11:00:00.000Z (1 h ago)

  liveness   live, by proc, as of 2026-03-01T12:00:00.000Z (just now)
  status     needs you: permission, by rule record-waits-for-permission
  since      2026-03-01T11:59:00.000Z (1 min ago)

Open turns
  Bash (toolu_1) since 2026-03-01T11:58:00.000Z (2 min ago)

Background tasks
  shell bash_1 since 2026-03-01T11:59:30.000Z (just now)

Evidence
  proc
    says: process 4242 exists
    at 2026-03-01T11:59:59.000Z (just now)
  rule
    says: the record waits
    at 2026-03-01T12:00:00.000Z (just now), speaks of 2026-03-01T11:59:00.000Z (1 min ago)
`,
    );
  });

  it("names the sources that do not answer", () => {
    const text = whyText(row, { now, sources: [silent("process-table", 60_000), silent("transcripts:/c")] });
    assert.match(text, /Sources that do not answer\n {2}process-table: EIO; its last answer is of 2026-03-01T11:59:00/);
    assert.match(text, /transcripts:\/c: EIO; it never answered/);
  });

  it("says first of all when the agent is gone", () => {
    const agentGone = { lastHeardAt: now - 180_000, cause: "it closed the connection" };
    const [first, second] = whyText(row, { now, sources: [], agentGone }).split("\n");
    assert.equal(first, "STALE: all of this is as of 2026-03-01T11:57:00.000Z (3 min ago).");
    assert.equal(second, "The agent is gone: it closed the connection.");
  });

  it("marks a row whose own source is stale", () => {
    const liveness = { kind: "live", source: "proc", asOf: at(300_000), stale: true } as const;
    assert.match(whyText({ ...row, liveness }, { now, sources: [] }), /\(5 min ago\), STALE/);
  });
});
