// What a client sees of what the agent knows: one row for each conversation, with the evidence for its liveness
// and its status. A pure projection: the same state and time give the same roster.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { latestShownMs, limits, periods, staleAfterPeriods } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { processSessionId, sessionKey, type ProcessInstance, type SessionKey } from "../../protocol/ids.ts";
import type { SourceId } from "../../protocol/observation.ts";
import type { Evidence, Roster, Sandbox, Session, Skipped, SourceState } from "../../protocol/roster.ts";
import { decideLiveness, type ClaimOnSession, type LivenessVerdict } from "./liveness.ts";
import {
  recordDomain,
  valueOf,
  type Monitor,
  type RecordMemory,
  type SourceAttempt,
  type TranscriptFacts,
} from "./monitor.ts";
import type { ProcessMemory } from "./processes.ts";
import { decideStatus, type RecordStatus, type StatusFacts, type StatusVerdict } from "./status.ts";
import { shortText } from "./shortText.ts";
import type { OpenCall, TurnPhase, Turns } from "./turns.ts";

const dayMs = 86_400_000;
const endedProcessMs = 30_000;
/** Process starts are reckoned from ticks, transcript times from the clock. */
const startSlackMs = 2_000;

export interface RosterOptions {
  readonly now: EpochMs;
  /** Also rows that ended or were last touched more than a day ago. */
  readonly all: boolean;
  /** Leaves out processes that are known to belong to another config folder than those that are watched. */
  readonly onlyWatchedFolders: boolean;
}

export function projectRoster(monitor: Monitor, options: RosterOptions): Roster {
  const drafts = collectSessions(monitor, options);
  const sessions: Session[] = [];
  for (const draft of drafts.values()) {
    const row = projectSession(monitor, draft, options.now);
    if (options.all || isShown(row, draft, options.now)) sessions.push(row);
  }
  for (const [key, row] of monitor.remembered) {
    if (drafts.has(key as SessionKey) || isRefuted(monitor, row)) continue;
    if (options.all || isRecent(row, options.now)) sessions.push(rememberedRow(row, options.now));
  }
  sessions.sort((a, b) => compareText(a.key, b.key));
  return {
    version: 1,
    observedAt: iso(options.now),
    sources: projectSources(monitor, options.now),
    nodes: [],
    sandboxes: projectSandboxes(sessions, options.now),
    sessions,
    skipped: projectSkipped(monitor),
  };
}

/** A row of an earlier agent goes when both folders that would show it have answered without it, and all of it could be read. */
function isRefuted(monitor: Monitor, row: Session): boolean {
  const folder = monitor.folders.get(row.configDir);
  if (folder?.recordListing.kind !== "current" || folder.transcriptListing.kind !== "current") return false;
  const unread = [...folder.records.values(), ...folder.transcripts.values()].some(
    ({ known }) => known.kind === "never",
  );
  return !unread;
}

function isRecent(row: Session, now: EpochMs): boolean {
  return row.liveness.kind === "live" || now - Date.parse(row.liveness.asOf) < dayMs;
}

function rememberedRow(row: Session, now: EpochMs): Session {
  const says = "as an earlier agent last knew it; its folders have not answered since";
  const note: Evidence = { source: "last-known", says, at: iso(now), asOf: row.liveness.asOf };
  return {
    ...row,
    liveness: { ...row.liveness, stale: true },
    evidence: [note, ...row.evidence.filter(({ source }) => source !== note.source)].slice(0, limits.evidencePerRow),
  };
}

interface SessionDraft {
  readonly key: SessionKey;
  readonly id: string;
  readonly configDir: string;
  readonly claims: ClaimOnSession[];
  readonly records: RecordMemory[];
  transcript: TranscriptFacts | undefined;
  transcriptStale: { readonly since: EpochMs; readonly cause: string } | undefined;
  transcriptReadAt: EpochMs | undefined;
}

function collectSessions(
  monitor: Monitor,
  { onlyWatchedFolders }: RosterOptions,
): ReadonlyMap<SessionKey, SessionDraft> {
  const drafts = new Map<SessionKey, SessionDraft>();
  const draftOf = (configDir: string, id: string): SessionDraft => {
    const key = sessionKey(configDir, id);
    const known = drafts.get(key);
    if (known !== undefined) return known;
    const draft: SessionDraft = {
      key,
      id,
      configDir,
      claims: [],
      records: [],
      transcript: undefined,
      transcriptStale: undefined,
      transcriptReadAt: undefined,
    };
    drafts.set(key, draft);
    return draft;
  };
  for (const [instance, claims] of monitor.claims) {
    for (const [index, claim] of claims.entries()) {
      draftOf(claim.configDir, claim.id).claims.push({ instance, claim, next: claims[index + 1] });
    }
  }
  for (const [configDir, folder] of monitor.folders) {
    for (const memory of folder.records.values()) {
      const record = valueOf(memory.known);
      if (record !== undefined && record.spare !== true) draftOf(configDir, record.sessionId).records.push(memory);
    }
    for (const { known } of folder.transcripts.values()) {
      const transcript = valueOf(known);
      if (transcript === undefined) continue;
      const draft = draftOf(configDir, transcript.id);
      // A conversation that moved to another folder left its older file behind.
      if (draft.transcript !== undefined && draft.transcript.modifiedAt > transcript.modifiedAt) continue;
      draft.transcriptStale = undefined;
      draft.transcript = transcript;
      if (known.kind === "current" || known.kind === "stale") draft.transcriptReadAt = known.asOf;
      if (known.kind === "stale") draft.transcriptStale = known;
    }
  }
  for (const [instance, memory] of monitor.processes) {
    if (memory.facts.role.kind !== "session" || monitor.claims.has(instance)) continue;
    const { facts } = memory;
    if (onlyWatchedFolders && facts.configDir !== undefined && !monitor.folders.has(facts.configDir)) continue;
    const id = processSessionId(facts.namespace ?? "host", facts.pid, facts.startToken);
    const claim = {
      configDir: facts.configDir ?? "unknown",
      id,
      since: lastHeardOf(memory),
      by: "arguments",
      record: undefined,
    } as const;
    draftOf(claim.configDir, id).claims.push({ instance, claim, next: undefined });
  }
  return drafts;
}

function projectSession(monitor: Monitor, draft: SessionDraft, now: EpochMs): Session {
  const liveness = decideLiveness(
    monitor,
    {
      configDir: draft.configDir,
      claims: draft.claims,
      records: draft.records,
      transcriptSeenAt: draft.transcript?.modifiedAt,
    },
    now,
  );
  const record = newestRecord(draft);
  const startedAt = liveness.process?.facts.startedAt ?? record?.record.startedAt;
  const turns = draft.transcript?.fold.turns;
  const calls = splitCalls(turns, liveness, startedAt);
  const status = decideStatus(statusFacts(monitor, draft, liveness, record, turns, calls.open, startedAt, now));
  const { transcript } = draft;
  const remembered = transcript === undefined ? monitor.remembered.get(draft.key) : undefined;
  const path = transcript?.path ?? remembered?.transcript;
  const cwd = record?.record.cwd ?? transcript?.fold.lastCwd ?? liveness.process?.facts.cwd ?? remembered?.cwd ?? null;
  const sandbox = sandboxOf(monitor, liveness, record?.record);
  const pid = liveness.process?.facts.pid ?? record?.record.pid;
  const entrypoint = record?.record.entrypoint ?? transcript?.fold.entrypoint;
  const background = liveness.kind === "ended" ? [] : backgroundOf(turns, startedAt);
  return {
    key: draft.key,
    id: draft.id,
    sandbox: sandbox ?? null,
    ...(sandbox === undefined ? {} : { sandboxDerived: true }),
    configDir: draft.configDir,
    cwd,
    startCwd: transcript?.startCwd ?? remembered?.startCwd ?? record?.record.cwd ?? cwd,
    title: remembered?.title ?? titleOf(draft, record?.record, cwd),
    agent: "claude-code",
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(path === undefined ? {} : { transcript: path }),
    ...(pid === undefined ? {} : { pid }),
    ...(startedAt === undefined ? {} : { startedAt: iso(startedAt) }),
    ...(liveness.endedAt === undefined ? {} : { endedAt: iso(liveness.endedAt) }),
    liveness: {
      kind: liveness.kind,
      source: liveness.source,
      asOf: iso(Math.min(liveness.asOf, now)),
      stale: liveness.stale,
      ...(liveness.how === undefined ? {} : { how: liveness.how }),
    },
    status: {
      kind: status.kind,
      ...(status.why === undefined ? {} : { why: status.why }),
      rule: status.rule,
      ...(status.since === undefined ? {} : { since: iso(Math.min(status.since, now)) }),
      ...(status.until === undefined ? {} : { until: iso(status.until) }),
    },
    openTurns: [
      ...calls.open.map((call) => openTurn(call, now, false)),
      ...calls.abandoned.map((call) => openTurn(call, now, true)),
    ],
    background: background.map((task) => ({ id: task.id, kind: task.kind, since: iso(Math.min(task.since, now)) })),
    subagents: background
      .filter((task) => task.kind === "subagent")
      .map((task) => ({ id: task.id, status: "running", openTurns: [] })),
    registry: { recorded: false },
    evidence: evidenceOf(draft, liveness, record, status, now),
  };
}

interface NewestRecord {
  readonly record: PidRecord;
  readonly memory: RecordMemory | undefined;
  readonly asOf: EpochMs;
}

/** The record on disk, else what a process' claim keeps of one that was removed. */
function newestRecord(draft: SessionDraft): NewestRecord | undefined {
  const found: NewestRecord[] = [];
  for (const memory of draft.records) {
    const record = valueOf(memory.known);
    if (record === undefined || memory.known.kind === "never" || memory.known.kind === "none") continue;
    found.push({ record, memory, asOf: memory.known.asOf });
  }
  for (const { claim } of found.length > 0 ? [] : draft.claims) {
    if (claim.record !== undefined) found.push({ record: claim.record, memory: undefined, asOf: claim.since });
  }
  return found.reduce<NewestRecord | undefined>(
    (best, next) => (best === undefined || recordTimeOf(next) >= recordTimeOf(best) ? next : best),
    undefined,
  );
}

function recordTimeOf(found: NewestRecord): EpochMs {
  return found.record.updatedAt ?? found.record.startedAt ?? found.asOf;
}

function splitCalls(
  turns: Turns | undefined,
  liveness: LivenessVerdict,
  startedAt: EpochMs | undefined,
): { readonly open: readonly OpenCall[]; readonly abandoned: readonly OpenCall[] } {
  const open: OpenCall[] = [];
  const abandoned: OpenCall[] = [];
  for (const call of turns?.openCalls.values() ?? []) {
    const earlier = startedAt !== undefined && call.since < startedAt - startSlackMs;
    (liveness.kind === "ended" || earlier ? abandoned : open).push(call);
  }
  return { open, abandoned };
}

function statusFacts(
  monitor: Monitor,
  draft: SessionDraft,
  liveness: LivenessVerdict,
  newest: NewestRecord | undefined,
  turns: Turns | undefined,
  openCalls: readonly OpenCall[],
  startedAt: EpochMs | undefined,
  now: EpochMs,
): StatusFacts {
  const instance = liveness.process === undefined ? undefined : instanceOf(draft, monitor, liveness.process);
  return {
    now,
    liveness: liveness.kind,
    endedAt: liveness.endedAt,
    processStartedAt: startedAt,
    record: newest === undefined ? undefined : recordStatus(monitor, newest.record),
    phase: turns === undefined ? undefined : phaseOfProcess(turns, liveness, startedAt),
    openCalls,
    background: backgroundOf(turns, startedAt),
    lastSignAt: turns?.lastSignAt === undefined ? undefined : Math.min(turns.lastSignAt, now),
    childless: instance === undefined ? undefined : childlessOf(monitor, instance),
  };
}

function childlessOf(monitor: Monitor, instance: ProcessInstance): StatusFacts["childless"] {
  const since = monitor.childlessSince.get(instance);
  const asOf = monitor.sources.get("process-table")?.answeredAt;
  return since === undefined || asOf === undefined ? undefined : { since, asOf };
}

function instanceOf(draft: SessionDraft, monitor: Monitor, process: ProcessMemory): ProcessInstance | undefined {
  return draft.claims.find(({ instance }) => monitor.processes.get(instance) === process)?.instance;
}

function recordStatus(monitor: Monitor, record: PidRecord): RecordStatus {
  return {
    status: record.status,
    waitingFor: record.waitingFor,
    since: record.statusUpdatedAt ?? record.updatedAt,
    trust: recordDomain(monitor.host, record).kind === "other" ? "hint" : "own",
  };
}

/** What an earlier process of the conversation left unfinished is over for the one that lives now. */
function phaseOfProcess(turns: Turns, liveness: LivenessVerdict, startedAt: EpochMs | undefined): TurnPhase {
  const { phase } = turns;
  if (liveness.kind !== "live" || startedAt === undefined) return phase;
  switch (phase.kind) {
    case "none":
    case "ended":
      return phase;
    case "running": {
      const sign = turns.lastSignAt ?? phase.since;
      return sign < startedAt - startSlackMs ? { kind: "ended", at: sign, how: "interrupted", marked: false } : phase;
    }
    case "failed":
      return phase.at < startedAt - startSlackMs
        ? { kind: "ended", at: phase.at, how: "completed", marked: false }
        : phase;
    default:
      return unreachable(phase);
  }
}

/** Background work dies with its process. */
function backgroundOf(
  turns: Turns | undefined,
  startedAt: EpochMs | undefined,
): Turns["background"] extends ReadonlyMap<string, infer Task> ? readonly Task[] : never {
  return [...(turns?.background.values() ?? [])].filter(
    (task) => startedAt === undefined || task.since >= startedAt - startSlackMs,
  );
}

function openTurn(call: OpenCall, now: EpochMs, abandoned: boolean): Session["openTurns"][number] {
  return { toolUseId: call.toolUseId, tool: call.tool, since: iso(Math.min(call.since, now)), abandoned };
}

function titleOf(draft: SessionDraft, record: PidRecord | undefined, cwd: string | null): string {
  const titles = draft.transcript?.fold.titles;
  const recordName = shortText(record?.name);
  const explicit = titles?.custom ?? (record?.nameSource === "user" ? recordName : undefined);
  const folder = cwd?.split(/[\\/]/).at(-1);
  return explicit ?? titles?.agent ?? titles?.prompt ?? recordName ?? shortText(folder) ?? draft.id.slice(0, 8);
}

/** A namespace that no adapter names is shown by its number. */
function sandboxOf(monitor: Monitor, liveness: LivenessVerdict, record: PidRecord | undefined): string | undefined {
  const own = monitor.host.namespace;
  const seen = liveness.process?.facts.namespace;
  if (seen !== undefined) return own === undefined || seen === own ? undefined : `pidns:${seen}`;
  if (record === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  return domain.kind === "other" && domain.namespace !== undefined ? `pidns:${domain.namespace}` : undefined;
}

function evidenceOf(
  draft: SessionDraft,
  liveness: LivenessVerdict,
  newest: NewestRecord | undefined,
  status: StatusVerdict,
  now: EpochMs,
): Evidence[] {
  const evidence: Evidence[] = [];
  const add = (source: string, says: string, at: EpochMs, asOf: EpochMs): void => {
    if (evidence.length < limits.evidencePerRow)
      evidence.push({ source, says, at: iso(at), asOf: iso(Math.min(asOf, now)) });
  };
  add(liveness.source, liveness.says, liveness.asOf, liveness.asOf);
  if (newest !== undefined) {
    const stale = newest.memory?.known.kind === "stale" ? newest.memory.known : undefined;
    const removed = newest.memory === undefined ? "the record that was here said: " : "";
    const suffix = stale === undefined ? "" : `; unreadable since ${iso(stale.since)}: ${stale.cause}`;
    add(
      `pid-records:${draft.configDir}`,
      `${removed}${recordWords(newest.record)}${suffix}`,
      newest.asOf,
      newest.record.statusUpdatedAt ?? newest.asOf,
    );
  }
  const { transcript } = draft;
  if (transcript !== undefined) {
    const suffix =
      draft.transcriptStale === undefined
        ? ""
        : `; unreadable since ${iso(draft.transcriptStale.since)}: ${draft.transcriptStale.cause}`;
    const readAt = draft.transcriptReadAt ?? transcript.modifiedAt;
    add(
      `transcripts:${draft.configDir}`,
      `${transcriptWords(transcript)}${suffix}`,
      readAt,
      transcript.fold.lastRecordAt ?? transcript.modifiedAt,
    );
  }
  add("rule", `${status.rule}: ${status.says}`, now, status.since ?? now);
  for (const { rule, by } of status.refuted) add("rule", `${rule} does not hold: ${by}`, now, now);
  return evidence;
}

function recordWords(record: PidRecord): string {
  const status = record.status === undefined ? "no status yet" : `status ${record.status}`;
  return `${status}${record.waitingFor === undefined ? "" : `, waiting for ${record.waitingFor}`}`;
}

function transcriptWords(transcript: TranscriptFacts): string {
  const { turns } = transcript.fold;
  const open =
    turns.openCalls.size === 0 ? "" : `, ${[...turns.openCalls.values()].map((call) => call.tool).join(", ")} open`;
  const capped = transcript.windowCapped ? ", read back to the cap without a turn's begin" : "";
  return `${phaseWords(turns.phase)}${open}${capped}`;
}

function phaseWords(phase: TurnPhase): string {
  switch (phase.kind) {
    case "none":
      return "no turn";
    case "running":
      return "a turn runs";
    case "ended":
      return phase.how === "interrupted" ? "the last turn was interrupted" : "the last turn ended";
    case "failed":
      return `the last turn failed: ${shortText(phase.says) ?? phase.why}`;
    default:
      return unreachable(phase);
  }
}

/** Rows leave when they ended or were last touched a day ago; what may live stays. */
function isShown(row: Session, draft: SessionDraft, now: EpochMs): boolean {
  if (row.liveness.kind === "live") return true;
  // Of a process that ended and left neither record nor transcript there is nothing more to tell.
  if (row.endedAt !== undefined && row.id.startsWith("proc:")) return now - Date.parse(row.endedAt) < endedProcessMs;
  if (row.liveness.kind === "unknown" && (draft.claims.length > 0 || draft.records.length > 0)) return true;
  const touched = Math.max(
    draft.transcript?.modifiedAt ?? 0,
    row.endedAt === undefined ? 0 : Date.parse(row.endedAt),
    newestRecord(draft)?.record.updatedAt ?? 0,
  );
  return now - touched < dayMs;
}

function lastHeardOf(memory: ProcessMemory): EpochMs {
  return memory.life.kind === "gone" ? memory.life.at : memory.life.asOf;
}

function projectSources(monitor: Monitor, now: EpochMs): SourceState[] {
  return [...monitor.sources.values()]
    .sort((a, b) => compareText(a.id, b.id))
    .map((attempt) => sourceState(attempt, now));
}

function sourceState(attempt: SourceAttempt, now: EpochMs): SourceState {
  const overdue = now - attempt.at > staleAfterPeriods * periodOf(attempt.id);
  const since = attempt.failingSince ?? (overdue ? attempt.at : undefined);
  const cause = attempt.cause ?? (overdue ? "no answer for three of its periods" : undefined);
  return {
    id: attempt.id,
    state: overdue ? "unobserved" : attempt.last,
    at: iso(attempt.at),
    ...(attempt.answeredAt === undefined ? {} : { asOf: iso(attempt.answeredAt) }),
    ...(since === undefined ? {} : { since: iso(since) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

function periodOf(id: SourceId): number {
  if (id === "process-table") return periods.processTableMs;
  return id === "proc" ? periods.procMs : periods.polledFolderMs;
}

function projectSandboxes(sessions: readonly Session[], now: EpochMs): Sandbox[] {
  const sandboxes = new Map<string, Sandbox>();
  for (const session of sessions) {
    if (session.sandbox === null) continue;
    const live = session.liveness.kind === "live";
    const known = sandboxes.get(session.sandbox);
    if (known !== undefined && (known.state === "running" || !live)) continue;
    sandboxes.set(session.sandbox, {
      name: session.sandbox,
      adapter: "proc",
      stale: session.liveness.stale,
      asOf: session.liveness.asOf,
      derived: true,
      state: live ? "running" : "unknown",
      evidence: [
        {
          source: "proc",
          says: live ? "a session runs in this pid namespace" : "a record names this pid namespace",
          at: iso(now),
          asOf: session.liveness.asOf,
        },
      ],
    });
  }
  return [...sandboxes.values()].sort((a, b) => compareText(a.name, b.name));
}

function projectSkipped(monitor: Monitor): Skipped[] {
  const skipped: Skipped[] = [];
  for (const [configDir, folder] of monitor.folders) {
    for (const [path, memory] of folder.records) {
      if (memory.unreadable !== undefined)
        skipped.push({ source: `pid-records:${configDir}`, path, count: 1, why: memory.unreadable });
    }
    for (const [path, { known, unreadable }] of folder.transcripts) {
      if (unreadable !== undefined)
        skipped.push({ source: `transcripts:${configDir}`, path, count: 1, why: unreadable });
      for (const [why, count] of valueOf(known)?.fold.skipped ?? [])
        skipped.push({ source: `transcripts:${configDir}`, path, count, why });
    }
  }
  return skipped.slice(0, limits.skippedEntries);
}

/** A time of a file or a record may be anything; what a client reads is between the years 1970 and 9999. */
function iso(at: EpochMs): string {
  return new Date(Math.min(Math.max(at, 0), latestShownMs)).toISOString();
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
