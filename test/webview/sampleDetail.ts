// A session in the middle of its work, with everything that the page can show.
import type { SessionDetail, StatusChange, TimelineItem, TimelineTool } from "../../protocol/sessionDetail.ts";
import { allSources, at, configDir, session, silent } from "../unit/extension/core/rosters.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export function tool(id: string, more: Partial<TimelineTool> = {}): TimelineTool {
  return { kind: "tool", id, tool: "Bash", about: `make ${id}`, since: at(42 * second), state: "open", ...more };
}

function change(
  kind: StatusChange["kind"],
  rule: string,
  agoMs: number,
  more: Partial<StatusChange> = {},
): StatusChange {
  return { at: at(agoMs), kind, rule, since: at(agoMs), liveness: { kind: "live" }, ...more };
}

const items: TimelineItem[] = [
  {
    kind: "turn",
    id: "turn:1",
    prompt: "Look at the billing service and tell me how invoices are numbered",
    askedBy: "person",
    startedAt: at(26 * hour),
    endedAt: at(26 * hour - 3 * minute),
    end: "completed",
    entries: [
      tool("r1", {
        tool: "Read",
        about: "/home/u/src/app/billing/invoice.ts",
        since: at(26 * hour),
        endedAt: at(26 * hour - second),
        state: "done",
      }),
    ],
    entriesDropped: 0,
  },
  { kind: "mark", id: "compaction:1", what: "compaction", at: at(3 * hour), says: "auto, 168204 tokens before" },
  {
    kind: "turn",
    id: "turn:2",
    prompt: "Start the database in the background and run the migration",
    askedBy: "person",
    startedAt: at(95 * minute),
    endedAt: at(93 * minute),
    end: "interrupted",
    entries: [
      tool("b1", {
        about: "docker compose up db",
        since: at(95 * minute),
        endedAt: at(94 * minute),
        state: "done",
        backgroundId: "bq1",
      }),
      tool("b2", {
        about: "rm -rf ./migrations/old",
        since: at(94 * minute),
        endedAt: at(93 * minute),
        state: "rejected",
      }),
    ],
    entriesDropped: 0,
  },
  {
    kind: "turn",
    id: "turn:3",
    prompt: 'Background command "docker compose up db" completed (exit code 1)',
    askedBy: "task",
    startedAt: at(50 * minute),
    endedAt: at(49 * minute),
    end: "failed",
    entries: [
      { kind: "mark", id: "error:1", what: "error", at: at(49 * minute), says: "API Error: Request rejected (429)" },
    ],
    entriesDropped: 0,
  },
  {
    kind: "turn",
    id: "turn:4",
    prompt:
      "Migrate the billing tables to the new schema, keep the old column names readable through views, and run the whole test…",
    askedBy: "person",
    startedAt: at(8 * minute + 12 * second),
    end: "running",
    entries: [
      tool("t1", {
        tool: "Grep",
        about: "invoice_number",
        since: at(8 * minute),
        endedAt: at(8 * minute - second),
        state: "done",
      }),
      tool("t2", {
        tool: "Edit",
        about: "/home/u/src/app/billing/migrations/0042_rename_invoice_number_to_document_number.sql",
        since: at(7 * minute),
        endedAt: at(7 * minute),
        state: "done",
      }),
      tool("t3", {
        about: "npm test -- --only billing",
        since: at(6 * minute),
        endedAt: at(4 * minute),
        state: "failed",
      }),
      { kind: "mark", id: "retry:1", what: "retry", at: at(3 * minute), says: "3 times" },
      tool("t4", {
        tool: "Agent",
        about: "Find every reader of the old column",
        since: at(3 * minute),
        endedAt: at(3 * minute - second),
        state: "done",
        backgroundId: "a66",
      }),
      tool("t5", { about: "psql -f billing/migrations/0042_rename_invoice_number_to_document_number.sql" }),
    ],
    entriesDropped: 12,
  },
];

export function sampleDetail(more: Partial<SessionDetail> = {}): SessionDetail {
  const row = session("7d0c2f4e-5b1a-4c39-9a0e-2f6f0b8d1c11", {
    title: "Migrate the billing tables",
    sandbox: "linera-agent",
    cwd: "/home/u/src/app/billing",
    startCwd: "/home/u/src/app",
    startedAt: at(26 * hour),
    transcript: `${configDir}/projects/-home-u-src-app/7d0c2f4e-5b1a-4c39-9a0e-2f6f0b8d1c11.jsonl`,
    status: { kind: "needs-you", why: "permission", rule: "record-waits-for-permission", since: at(40 * second) },
    openTurns: [{ toolUseId: "t5", tool: "Bash", since: at(42 * second), abandoned: false }],
    background: [
      { id: "bq1", kind: "shell", since: at(95 * minute) },
      { id: "a66", kind: "subagent", since: at(3 * minute) },
    ],
    subagents: [
      {
        id: "a66",
        status: "running",
        openTurns: [{ toolUseId: "s1", tool: "Grep", since: at(20 * second), agentId: "a66", abandoned: false }],
      },
    ],
    registry: { recorded: true },
    evidence: [
      { source: "proc", says: "its process lives", at: at(second), asOf: at(second) },
      {
        source: `pid-records:${configDir}`,
        says: "status waiting, waiting for permission prompt",
        at: at(40 * second),
        asOf: at(40 * second),
      },
      { source: `transcripts:${configDir}`, says: "a turn runs, Bash open", at: at(9 * minute), asOf: at(10 * minute) },
      {
        source: "rule",
        says: "record-waits-for-permission: its record says that it waits for a permission",
        at: at(0),
        asOf: at(40 * second),
      },
      { source: "rule", says: "call-asks does not hold: a stronger source tells", at: at(0), asOf: at(0) },
    ],
  });
  return {
    version: 1,
    key: row.key,
    observedAt: at(0),
    session: row,
    sources: [
      ...allSources.filter(({ id }) => !id.startsWith("transcripts")),
      silent(`transcripts:${configDir}`, 9 * minute),
    ],
    history: {
      changes: [
        change("idle", "turn-ended-long-ago", 26 * hour, { says: "its turn ended long ago" }),
        change("working", "record-busy", 8 * minute, { says: "its record says busy" }),
        change("error", "turn-failed", 49 * minute, { why: "limit", says: "API Error: Request rejected (429)" }),
        change("needs-you", "record-waits-for-permission", 40 * second, {
          why: "permission",
          says: "its record says that it waits for a permission",
        }),
      ],
      dropped: 3,
    },
    timeline: {
      state: "read",
      asOf: at(second),
      model: "claude-opus-5-5",
      items,
      itemsDropped: 41,
      bytesNotRead: 3_400_000,
      skipped: [{ why: "line is not JSON", count: 2 }],
    },
    ...more,
  };
}
