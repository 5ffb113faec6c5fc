// The facts that a session's status is decided on, drawn from all that is known of it. What follows from them is
// `status.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { HookFacts } from "./hookFacts.ts";
import { hookStatus, type HookStatus } from "./hookStatus.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { Monitor } from "./monitor.ts";
import type { ProcessMemory } from "./processes.ts";
import { valueOf } from "./observation.ts";
import { isContended, recordDomain, withInnerPid } from "./recordDomain.ts";
import type { SessionDraft } from "./sessionDraft.ts";
import type { NewestRecord } from "./sessionRecord.ts";
import type { RecordStatus, StatusFacts } from "./statusFacts.ts";
import type { SubagentState } from "./subagents.ts";
import type { BackgroundWork, OpenCall, Turns } from "./turns.ts";
import { phaseOfProcess } from "./turnsOfProcess.ts";

export interface KnownOfSession {
  readonly draft: SessionDraft;
  readonly liveness: LivenessVerdict;
  readonly newest: NewestRecord | undefined;
  readonly turns: Turns | undefined;
  readonly openCalls: readonly OpenCall[];
  readonly startedAt: EpochMs | undefined;
  readonly background: readonly BackgroundWork[];
  readonly subagents: readonly SubagentState[];
}

export function sessionFacts(monitor: Monitor, known: KnownOfSession, now: EpochMs): StatusFacts {
  const { draft, liveness, newest, turns, openCalls, startedAt } = known;
  const instance = liveness.process === undefined ? undefined : instanceOf(draft, monitor, liveness.process);
  const phase = turns === undefined ? undefined : phaseOfProcess(turns, liveness, startedAt);
  const background = withSubagents(known.background, known.subagents);
  return {
    now,
    hooks:
      draft.hooks === undefined ? undefined : hooksOf(draft, draft.hooks.facts, { ...known, phase, background }, now),
    liveness: liveness.kind,
    endedAt: liveness.endedAt,
    processStartedAt: startedAt,
    record: newest === undefined ? undefined : recordStatus(monitor, draft, newest),
    transcript: transcriptState(monitor, draft),
    phase,
    openCalls,
    subagentCalls: known.subagents.flatMap(({ open }) => open),
    background,
    lastSignAt: turns?.lastSignAt === undefined ? undefined : Math.min(turns.lastSignAt, now),
    childless: instance === undefined ? undefined : childlessOf(monitor, instance),
  };
}

function hooksOf(
  draft: SessionDraft,
  facts: HookFacts,
  told: Pick<KnownOfSession, "turns" | "background" | "startedAt"> & Pick<StatusFacts, "phase">,
  now: EpochMs,
): HookStatus {
  const agents = [...draft.subagents].map(([id, { known }]) => [id, valueOf(known)?.transcript.fold.turns] as const);
  return hookStatus(facts, {
    now,
    // What hooks told themselves stands beside nothing.
    turns: draft.transcript === undefined ? undefined : told.turns,
    phase: draft.transcript === undefined ? undefined : told.phase,
    promptId: draft.transcript?.fold.promptId,
    lastRecordAt: draft.transcript?.fold.lastRecordAt,
    agents: new Map(agents),
    backgroundAgents: new Set(told.background.flatMap(({ id, kind }) => (kind === "subagent" ? [id] : []))),
    processStartedAt: told.startedAt,
  });
}

/** Also subagents that were started before the part of the transcript that was read. */
function withSubagents(
  background: readonly BackgroundWork[],
  subagents: readonly SubagentState[],
): readonly BackgroundWork[] {
  const told = new Set(background.map(({ id }) => id));
  const others = subagents.filter(({ id, awaited, status }) => !awaited && status === "running" && !told.has(id));
  return [...background, ...others.map(({ id, since }) => ({ id, kind: "subagent" as const, since: since ?? 0 }))];
}

function transcriptState(monitor: Monitor, draft: SessionDraft): StatusFacts["transcript"] {
  const { transcript } = draft;
  if (transcript !== undefined) return transcript.windowCapped && !transcript.fold.boundarySeen ? "unread" : "read";
  const folder = monitor.folders.get(draft.configDir);
  if (folder === undefined) return "unread";
  const listing = valueOf(folder.transcriptListing);
  // Where the whole folder was never there, there is none either.
  if (folder.transcriptListing.kind === "never" || listing?.answersFor.has(draft.id) === false) return "unread";
  // One that is there and could not be read holds nobody knows what.
  return draft.transcriptUnread ? "unread" : "none";
}

export function recordStatus(monitor: Monitor, draft: SessionDraft, { record, memory }: NewestRecord): RecordStatus {
  return {
    status: record.status,
    waitingFor: record.waitingFor,
    since: record.statusUpdatedAt ?? record.updatedAt,
    trust: recordTrust(monitor, draft, record, memory !== undefined),
  };
}

function recordTrust(
  monitor: Monitor,
  draft: SessionDraft,
  record: PidRecord,
  isOnDisk: boolean,
): RecordStatus["trust"] {
  // Read inside by the sandbox itself, where it is its own.
  const { probed } = draft;
  if (probed !== undefined && probed.session.record === record) return probed.session.isShared ? "hint" : "own";
  const overwritten = draft.claims.some(({ claim }) => claim.record === record && claim.overwritten);
  if (overwritten || isContended(monitor, draft.configDir, record, withInnerPid(monitor, record.pid))) return "none";
  if (recordDomain(monitor.host, record).kind !== "other") return "own";
  return isOnDisk ? "hint" : "none";
}

function childlessOf(monitor: Monitor, instance: ProcessInstance): StatusFacts["childless"] {
  const since = monitor.childlessSince.get(instance);
  const asOf = monitor.sources.get("process-table")?.answeredAt;
  return since === undefined || asOf === undefined ? undefined : { since, asOf };
}

function instanceOf(draft: SessionDraft, monitor: Monitor, process: ProcessMemory): ProcessInstance | undefined {
  return draft.claims.find(({ instance }) => monitor.processes.get(instance) === process)?.instance;
}
