// One conversation's row: its liveness and status as decided elsewhere, its names and times from the best source that
// tells them.
import type { EpochMs } from "../../base/clock.ts";
import { momentOf } from "../../protocol/files/tolerant.ts";
import { sharedSpool } from "../../protocol/hookSpool.ts";
import type { OpenTurn, Session, Subagent } from "../../protocol/roster.ts";
import { evidenceOf } from "./evidence.ts";
import { withHooks } from "./hookLife.ts";
import { turnsByHooks } from "./hookTurns.ts";
import { iso } from "./isoTime.ts";
import { decideLiveness } from "./liveness.ts";
import type { Monitor } from "./monitor.ts";
import { withRegistry } from "./registryRung.ts";
import { listedSandboxOf, sandboxOf } from "./sandboxes.ts";
import type { SessionDraft } from "./sessionDraft.ts";
import { recordStatus, sessionFacts } from "./sessionFacts.ts";
import { sessionFolders } from "./sessionFolders.ts";
import { presentRecord, type NewestRecord } from "./sessionRecord.ts";
import { sessionTitle } from "./sessionTitle.ts";
import { shortText } from "./shortText.ts";
import { decideStatus } from "./status.ts";
import { subagentsOf, type SubagentState } from "./subagents.ts";
import type { OpenCall } from "./turns.ts";
import { backgroundOf, splitCalls } from "./turnsOfProcess.ts";

export function projectSession(monitor: Monitor, draft: SessionDraft, now: EpochMs): Session {
  const { recorded } = draft;
  const { hooks } = draft;
  const decided = decideLiveness(
    monitor,
    {
      configDir: draft.configDir,
      claims: draft.claims,
      records: draft.records,
      transcriptSeenAt: draft.transcript?.modifiedAt,
      probed: draft.probed,
    },
    now,
  );
  const liveness = withRegistry(withHooks(decided, hooks?.facts, now), recorded, {
    now,
    lastSignAt: draft.transcript?.fold.lastRecordAt,
  });
  const record = presentRecord(monitor, draft, liveness);
  const startedAt = liveness.process?.facts.startedAt ?? record?.record.startedAt;
  const turnsFrom = liveness.kind === "live" ? liveness.heldSince : startedAt;
  const turns = draft.transcript?.fold.turns ?? (hooks === undefined ? undefined : turnsByHooks(hooks.facts));
  const calls = splitCalls(turns, liveness, turnsFrom);
  const tasks = backgroundOf(turns, turnsFrom);
  const subagents = subagentsOf({
    fold: draft.transcript?.fold,
    files: draft.subagents,
    openCalls: [...calls.open, ...calls.abandoned],
    background: tasks,
    liveness,
    processStartedAt: turnsFrom,
    idleSince: record === undefined ? undefined : ownIdleSince(monitor, draft, record),
  });
  // Of a subagent more is known than that it was launched.
  const background = tasks.filter(({ kind, id }) => kind !== "subagent" || subagents.some((each) => each.id === id));
  const known = {
    draft,
    liveness,
    newest: record,
    turns,
    openCalls: calls.open,
    startedAt: turnsFrom,
    background,
    subagents,
  };
  const { transcript } = draft;
  const remembered = transcript === undefined ? monitor.remembered.get(draft.key) : undefined;
  const facts = sessionFacts(monitor, known, now);
  const status = decideStatus(facts);
  // What an earlier agent read of a transcript stands until this one has read it.
  const unread = facts.transcript === "unread" && liveness.kind !== "ended" ? remembered : undefined;
  const path =
    transcript?.path ?? remembered?.transcript ?? recorded?.entry.transcript ?? hooks?.facts.transcript?.value;
  const { cwd, startCwd } = sessionFolders({
    record: record?.record,
    transcript,
    processCwd: liveness.process?.facts.cwd,
    processStartedAt: startedAt,
    remembered,
    recordedCwd: recorded?.entry.cwd ?? hooks?.facts.cwd?.value,
  });
  const named =
    listedSandboxOf(monitor, liveness, record?.record) ??
    draft.probed?.sandbox ??
    recorded?.sandbox ??
    draft.neighbourSandbox ??
    ownSpool(hooks?.spool);
  const derived = named === undefined ? sandboxOf(monitor, liveness, record?.record) : undefined;
  const began = startedAt ?? momentOf(recorded?.entry.started_at_ms);
  const pid = liveness.process?.facts.pid ?? record?.record.pid;
  const entrypoint =
    record?.record.entrypoint ??
    transcript?.fold.entrypoint ??
    liveness.process?.facts.entrypoint ??
    remembered?.entrypoint;
  const departed = momentOf(recorded?.departedAt);
  const shownTasks = liveness.kind === "ended" ? [] : facts.background;
  return {
    key: draft.key,
    id: draft.id,
    sandbox: named ?? derived ?? null,
    ...(derived === undefined ? {} : { sandboxDerived: true }),
    configDir: draft.configDir,
    cwd,
    startCwd,
    title:
      remembered?.title ??
      sessionTitle({
        id: draft.id,
        titles: transcript?.fold.titles,
        record: record?.record,
        stored: recorded?.entry,
        cwd,
      }),
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
            // Zero stands for a time that no record told.
            ...(status.since === undefined || status.since === 0 ? {} : { since: iso(Math.min(status.since, now)) }),
            ...(status.until === undefined ? {} : { until: iso(status.until) }),
          },
    openTurns: unread?.openTurns ?? [
      ...calls.open.map((call) => openTurn(call, now, false)),
      ...calls.abandoned.map((call) => openTurn(call, now, true)),
    ],
    background: shownTasks.map((task) => ({
      id: task.id,
      kind: task.kind,
      ...(task.since === 0 ? {} : { since: iso(Math.min(task.since, now)) }),
    })),
    subagents: subagents.map((subagent) => subagentRow(subagent, now)),
    registry: {
      recorded: recorded !== undefined,
      ...(departed === undefined ? {} : { departedAt: iso(departed) }),
      ...(recorded?.droppedAt === undefined ? {} : { droppedAt: iso(recorded.droppedAt) }),
    },
    evidence: evidenceOf(draft, liveness, record, { ...status, hooks: facts.hooks }, now),
  };
}

/** A spool of its own is its sandbox' name. */
function ownSpool(spool: string | undefined): string | undefined {
  return spool === sharedSpool ? undefined : spool;
}

function openTurn(call: OpenCall, now: EpochMs, abandoned: boolean, agentId?: string): OpenTurn {
  const since = iso(Math.min(call.since, now));
  return {
    toolUseId: call.toolUseId,
    tool: call.tool,
    since,
    ...(agentId === undefined ? {} : { agentId }),
    abandoned,
  };
}

function subagentRow({ id, status, meta, since, open, abandoned }: SubagentState, now: EpochMs): Subagent {
  const title = shortText(meta?.description);
  const agentType = shortText(meta?.agentType);
  const parentId = shortText(meta?.parentAgentId);
  return {
    id,
    status,
    ...(title === undefined ? {} : { title }),
    ...(agentType === undefined ? {} : { agentType }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(since === undefined ? {} : { since: iso(Math.min(since, now)) }),
    openTurns: [
      ...open.map((call) => openTurn(call, now, false, id)),
      ...abandoned.map((call) => openTurn(call, now, true, id)),
    ],
  };
}

function ownIdleSince(monitor: Monitor, draft: SessionDraft, newest: NewestRecord): EpochMs | undefined {
  const { status, since, trust } = recordStatus(monitor, draft, newest);
  return trust === "own" && status === "idle" ? since : undefined;
}
