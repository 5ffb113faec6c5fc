// One conversation's row: its liveness and status as decided elsewhere, its names and times from the best source that
// tells them.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { NameSource } from "../../protocol/files/registry.ts";
import type { Session } from "../../protocol/roster.ts";
import { evidenceOf } from "./evidence.ts";
import { iso } from "./isoTime.ts";
import { decideLiveness } from "./liveness.ts";
import type { Monitor } from "./monitor.ts";
import { withRegistry } from "./registryRung.ts";
import { sandboxOf } from "./sandboxes.ts";
import { newestRecord, type SessionDraft } from "./sessionDraft.ts";
import { sessionFacts } from "./sessionFacts.ts";
import { shortText } from "./shortText.ts";
import { decideStatus } from "./status.ts";
import type { OpenCall } from "./turns.ts";
import { backgroundOf, splitCalls } from "./turnsOfProcess.ts";

export function projectSession(monitor: Monitor, draft: SessionDraft, now: EpochMs): Session {
  const { recorded } = draft;
  const liveness = withRegistry(
    decideLiveness(
      monitor,
      {
        configDir: draft.configDir,
        claims: draft.claims,
        records: draft.records,
        transcriptSeenAt: draft.transcript?.modifiedAt,
      },
      now,
    ),
    recorded,
    { now, lastSignAt: draft.transcript?.fold.lastRecordAt },
  );
  const record = newestRecord(draft);
  const startedAt = liveness.process?.facts.startedAt ?? record?.record.startedAt;
  const turns = draft.transcript?.fold.turns;
  const calls = splitCalls(turns, liveness, startedAt);
  const known = { draft, liveness, newest: record, turns, openCalls: calls.open, startedAt };
  const { transcript } = draft;
  const remembered = transcript === undefined ? monitor.remembered.get(draft.key) : undefined;
  const facts = sessionFacts(monitor, known, now);
  const status = decideStatus(facts);
  // What an earlier agent read of a transcript stands until this one has read it.
  const unread = facts.transcript === "unread" && liveness.kind !== "ended" ? remembered : undefined;
  const path = transcript?.path ?? remembered?.transcript ?? recorded?.entry.transcript;
  const cwd =
    record?.record.cwd ??
    transcript?.fold.lastCwd ??
    liveness.process?.facts.cwd ??
    remembered?.cwd ??
    recorded?.entry.cwd ??
    null;
  const derived = recorded === undefined ? sandboxOf(monitor, liveness, record?.record) : undefined;
  const began = startedAt ?? recorded?.entry.started_at_ms;
  const pid = liveness.process?.facts.pid ?? record?.record.pid;
  const entrypoint = record?.record.entrypoint ?? transcript?.fold.entrypoint;
  const background = liveness.kind === "ended" ? [] : backgroundOf(turns, startedAt);
  return {
    key: draft.key,
    id: draft.id,
    sandbox: recorded?.sandbox ?? derived ?? null,
    ...(derived === undefined ? {} : { sandboxDerived: true }),
    configDir: draft.configDir,
    cwd,
    startCwd: transcript?.startCwd ?? remembered?.startCwd ?? recorded?.entry.cwd ?? record?.record.cwd ?? cwd,
    title: remembered?.title ?? titleOf(draft, record?.record, cwd),
    agent: "claude-code",
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(path === undefined ? {} : { transcript: path }),
    ...(pid === undefined ? {} : { pid }),
    ...(began === undefined ? {} : { startedAt: iso(began) }),
    ...(liveness.endedAt === undefined ? {} : { endedAt: iso(liveness.endedAt) }),
    liveness: {
      kind: liveness.kind,
      source: liveness.source,
      asOf: iso(Math.min(liveness.asOf, now)),
      stale: liveness.stale,
      ...(liveness.how === undefined ? {} : { how: liveness.how }),
    },
    status:
      unread !== undefined && status.kind === "unknown"
        ? unread.status
        : {
            kind: status.kind,
            ...(status.why === undefined ? {} : { why: status.why }),
            rule: status.rule,
            ...(status.since === undefined ? {} : { since: iso(Math.min(status.since, now)) }),
            ...(status.until === undefined ? {} : { until: iso(status.until) }),
          },
    openTurns: unread?.openTurns ?? [
      ...calls.open.map((call) => openTurn(call, now, false)),
      ...calls.abandoned.map((call) => openTurn(call, now, true)),
    ],
    background: background.map((task) => ({ id: task.id, kind: task.kind, since: iso(Math.min(task.since, now)) })),
    subagents: background
      .filter((task) => task.kind === "subagent")
      .map((task) => ({ id: task.id, status: "running", openTurns: [] })),
    registry: {
      recorded: recorded !== undefined,
      ...(recorded?.departedAt === undefined ? {} : { departedAt: iso(recorded.departedAt) }),
    },
    evidence: evidenceOf(draft, liveness, record, status, now),
  };
}

function openTurn(call: OpenCall, now: EpochMs, abandoned: boolean): Session["openTurns"][number] {
  return { toolUseId: call.toolUseId, tool: call.tool, since: iso(Math.min(call.since, now)), abandoned };
}

function titleOf(draft: SessionDraft, record: PidRecord | undefined, cwd: string | null): string {
  const titles = draft.transcript?.fold.titles;
  const recordName = shortText(record?.name);
  const { entry } = draft.recorded ?? {};
  const stored = shortText(entry?.name);
  const storedBy = (source: NameSource | undefined): string | undefined =>
    entry?.name_source === source ? stored : undefined;
  const explicit = titles?.custom ?? (record?.nameSource === "user" ? recordName : undefined) ?? storedBy("user");
  const given = explicit ?? titles?.agent ?? storedBy("agent") ?? storedBy(undefined);
  const folder = cwd?.split(/[\\/]/).at(-1);
  return given ?? titles?.prompt ?? recordName ?? stored ?? shortText(folder) ?? draft.id.slice(0, 8);
}
