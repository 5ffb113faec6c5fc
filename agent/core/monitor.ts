// Everything the agent knows, and how one batch of observations changes it. A pure fold: the same
// observations give the same state. What a client sees of it is `roster.ts`; how sources are asked is observe/.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { processInstance, type ProcessInstance } from "../../protocol/ids.ts";
import type { Cause, Known, Observation, SourceId } from "../../protocol/observation.ts";
import type { Session } from "../../protocol/roster.ts";
import { neverKnown, retain } from "./observation.ts";
import { firstSeen, foldLife, type LifeSign, type ProcessFacts, type ProcessMemory } from "./processes.ts";
import type { TranscriptFold } from "./transcript.ts";

/** What holds for this host while the agent runs. */
export interface HostFacts {
  /** Our own `pidDomain`, as the coding agent writes it; undefined where it could not be told. */
  readonly pidDomain: string | undefined;
  readonly namespace: string | undefined;
  readonly bootedAt: EpochMs | undefined;
  /** Changes with every start of the host; undefined where it could not be told. */
  readonly bootId: string | undefined;
  /** True where the kernel can be asked about one process (`/proc`). */
  readonly kernelAnswers: boolean;
}

/** A whole process table: the agents in it, and which pids have children. */
export interface ProcessTable {
  readonly rows: ReadonlyMap<number, TableRow>;
  readonly parents: ReadonlySet<number>;
}

export interface TableRow {
  readonly pid: number;
  readonly startedAt: EpochMs | undefined;
  /** Set where the kernel cannot be asked and the row itself is the identity. */
  readonly facts: ProcessFacts | undefined;
}

/** One look at one pid through the kernel. */
export type PidLook =
  | { readonly kind: "alive"; readonly facts: ProcessFacts }
  | { readonly kind: "gone"; readonly because: string }
  | { readonly kind: "unobserved"; readonly cause: Cause };

export interface TranscriptFacts {
  readonly id: string;
  readonly path: string;
  readonly fold: TranscriptFold;
  /** From the head of the file. */
  readonly startCwd: string | undefined;
  readonly firstRecordAt: EpochMs | undefined;
  readonly modifiedAt: EpochMs;
  readonly sizeBytes: number;
  /** True when reading back stopped at the cap before a turn boundary was found. */
  readonly windowCapped: boolean;
}

export interface TranscriptListing {
  /** Files touched lately, by path. */
  readonly recent: ReadonlySet<string>;
  readonly older: number;
}

export type MonitorEvent =
  | { readonly kind: "process-table"; readonly table: Observation<ProcessTable> }
  | { readonly kind: "proc"; readonly state: Observation<"answers"> }
  | { readonly kind: "pid-look"; readonly pid: number; readonly at: EpochMs; readonly look: PidLook }
  | {
      readonly kind: "pid-record-listing";
      readonly configDir: string;
      readonly listing: Observation<ReadonlySet<string>>;
    }
  | {
      readonly kind: "pid-record";
      readonly configDir: string;
      readonly file: string;
      readonly record: Observation<PidRecord>;
    }
  | {
      readonly kind: "transcript-listing";
      readonly configDir: string;
      readonly listing: Observation<TranscriptListing>;
    }
  | {
      readonly kind: "transcript";
      readonly configDir: string;
      readonly path: string;
      readonly transcript: Observation<TranscriptFacts>;
    };

/** A conversation that a process instance held, by its record or its arguments. */
export interface Claim {
  readonly configDir: string;
  readonly id: string;
  readonly since: EpochMs;
  readonly by: "record" | "arguments";
  readonly record: PidRecord | undefined;
}

export interface RecordMemory {
  readonly known: Known<PidRecord>;
  /** When a record of this pid and start was first read. */
  readonly firstReadAt: EpochMs;
  /** The last attempt to read it. */
  readonly readAt: EpochMs;
  /** Why its last read failed. */
  readonly unreadable: Cause | undefined;
}

export interface TranscriptMemory {
  readonly known: Known<TranscriptFacts>;
  readonly unreadable: Cause | undefined;
  /** When it was not there although seen before: it is kept until its folder answers without it. */
  readonly goneAt: EpochMs | undefined;
}

export interface ConfigFolder {
  readonly recordListing: Known<ReadonlySet<string>>;
  readonly records: ReadonlyMap<string, RecordMemory>;
  readonly transcriptListing: Known<TranscriptListing>;
  readonly transcripts: ReadonlyMap<string, TranscriptMemory>;
}

/** The last attempt of a source, answered or not. */
export interface SourceAttempt {
  readonly id: SourceId;
  readonly last: "observed" | "absent" | "unobserved";
  readonly at: EpochMs;
  readonly answeredAt: EpochMs | undefined;
  readonly failingSince: EpochMs | undefined;
  readonly cause: Cause | undefined;
}

export interface Monitor {
  readonly host: HostFacts;
  readonly sources: ReadonlyMap<SourceId, SourceAttempt>;
  readonly processes: ReadonlyMap<ProcessInstance, ProcessMemory>;
  /** Pids that were looked at and had no process, or could not be looked at. */
  readonly pidLooks: ReadonlyMap<number, { readonly at: EpochMs; readonly look: Exclude<PidLook, { kind: "alive" }> }>;
  /** Oldest first; the last one is what the process holds now. */
  readonly claims: ReadonlyMap<ProcessInstance, readonly Claim[]>;
  /** Since when whole tables show no child of a process. */
  readonly childlessSince: ReadonlyMap<ProcessInstance, EpochMs>;
  readonly folders: ReadonlyMap<string, ConfigFolder>;
  /** Rows as an earlier agent last knew them; each serves until its sources answered this one. */
  readonly remembered: ReadonlyMap<string, Session>;
}

export const emptyFolder: ConfigFolder = {
  recordListing: neverKnown,
  records: new Map(),
  transcriptListing: neverKnown,
  transcripts: new Map(),
};

export function newMonitor(host: HostFacts): Monitor {
  return {
    host,
    sources: new Map(),
    processes: new Map(),
    pidLooks: new Map(),
    claims: new Map(),
    childlessSince: new Map(),
    folders: new Map(),
    remembered: new Map(),
  };
}

/** The pids that have to be asked after: of processes that may live, and of records that no process answers yet. */
export function pidsOfInterest(monitor: Monitor): ReadonlySet<number> {
  const pids = new Set<number>();
  for (const { facts, life } of monitor.processes.values()) if (life.kind !== "gone") pids.add(facts.pid);
  for (const { records } of monitor.folders.values()) {
    for (const memory of records.values()) {
      const record = valueOf(memory.known);
      if (record === undefined || recordDomain(monitor.host, record).kind === "other") continue;
      const look = monitor.pidLooks.get(record.pid);
      const settled = look?.look.kind === "gone" && look.at >= memory.firstReadAt;
      if (!settled && instanceOfRecord(monitor, record) === undefined) pids.add(record.pid);
    }
  }
  return pids;
}

/** Conversations that a process or a record names. */
export function namedConversations(monitor: Monitor): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const claims of monitor.claims.values()) for (const { id } of claims) ids.add(id);
  for (const { records } of monitor.folders.values()) {
    for (const memory of records.values()) {
      const record = valueOf(memory.known);
      if (record !== undefined) ids.add(record.sessionId);
    }
  }
  return ids;
}

type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : T[K];
};

/** The copies that one batch works on; each map is copied once, when it is first needed. */
interface Draft extends Mutable<Omit<Monitor, "folders">> {
  readonly folders: Map<string, ConfigFolder>;
  readonly ownedFolders: Map<string, Mutable<ConfigFolder>>;
  readonly instancesByPid: Map<number, Set<ProcessInstance>>;
  /** Where records name a pid: config folder by file. */
  readonly recordsByPid: Map<number, Map<string, string>>;
}

/** Folds one batch; the state given stays as it was. */
export function observeAll(monitor: Monitor, events: readonly MonitorEvent[]): Monitor {
  const instancesByPid = new Map<number, Set<ProcessInstance>>();
  for (const [instance, { facts }] of monitor.processes) indexPid(instancesByPid, facts.pid, instance);
  const draft: Draft = {
    host: monitor.host,
    sources: new Map(monitor.sources),
    processes: new Map(monitor.processes),
    pidLooks: new Map(monitor.pidLooks),
    claims: new Map(monitor.claims),
    childlessSince: new Map(monitor.childlessSince),
    folders: new Map(monitor.folders),
    remembered: new Map(monitor.remembered),
    ownedFolders: new Map(),
    instancesByPid,
    recordsByPid: new Map(),
  };
  for (const [configDir, { records }] of monitor.folders)
    for (const [file, { known }] of records) indexRecord(draft, configDir, file, valueOf(known));
  for (const event of events) fold(draft, event);
  forgetOldest(draft);
  const { host, sources, processes, pidLooks, claims, childlessSince, folders, remembered } = draft;
  return { host, sources, processes, pidLooks, claims, childlessSince, folders, remembered };
}

function indexPid(index: Map<number, Set<ProcessInstance>>, pid: number, instance: ProcessInstance): void {
  const instances = index.get(pid);
  if (instances === undefined) index.set(pid, new Set([instance]));
  else instances.add(instance);
}

function indexRecord(draft: Draft, configDir: string, file: string, record: PidRecord | undefined): void {
  if (record === undefined) return;
  const files = draft.recordsByPid.get(record.pid);
  if (files === undefined) draft.recordsByPid.set(record.pid, new Map([[file, configDir]]));
  else files.set(file, configDir);
}

function remember(draft: Draft, instance: ProcessInstance, memory: ProcessMemory): void {
  draft.processes.set(instance, memory);
  indexPid(draft.instancesByPid, memory.facts.pid, instance);
}

function fold(draft: Draft, event: MonitorEvent): void {
  switch (event.kind) {
    case "process-table":
      if (event.table.at < (draft.sources.get(event.table.source)?.answeredAt ?? event.table.at)) return;
      attempted(draft, event.table);
      if (event.table.kind === "observed") foldTable(draft, event.table.value, event.table.at);
      else if (event.table.kind === "unobserved" && !draft.host.kernelAnswers)
        unobservedProcesses(draft, event.table.at, event.table.cause);
      return;
    case "proc":
      attempted(draft, event.state);
      if (event.state.kind === "unobserved") unobservedProcesses(draft, event.state.at, event.state.cause);
      return;
    case "pid-look":
      foldPidLook(draft, event.pid, event.at, event.look);
      return;
    case "pid-record-listing": {
      attempted(draft, event.listing);
      const folder = folderOf(draft, event.configDir);
      folder.recordListing = retain(folder.recordListing, event.listing);
      dropUnlistedRecords(folder);
      return;
    }
    case "pid-record":
      foldRecord(draft, event.configDir, event.file, event.record);
      return;
    case "transcript-listing": {
      attempted(draft, event.listing);
      const folder = folderOf(draft, event.configDir);
      folder.transcriptListing = retain(folder.transcriptListing, event.listing);
      dropUnlistedTranscripts(folder);
      return;
    }
    case "transcript":
      foldTranscript(draft, event.configDir, event.path, event.transcript);
      return;
    default:
      return unreachable(event);
  }
}

function attempted(draft: Draft, observation: Observation<unknown>): void {
  const previous = draft.sources.get(observation.source);
  if (previous !== undefined && observation.at < previous.at) return;
  const answered = observation.kind !== "unobserved";
  draft.sources.set(observation.source, {
    id: observation.source,
    last: observation.kind,
    at: observation.at,
    answeredAt: answered ? observation.at : previous?.answeredAt,
    failingSince: answered ? undefined : (previous?.failingSince ?? observation.at),
    cause: observation.kind === "unobserved" ? observation.cause : undefined,
  });
}

function folderOf(draft: Draft, configDir: string): Mutable<ConfigFolder> {
  const owned = draft.ownedFolders.get(configDir);
  if (owned !== undefined) return owned;
  const folder = draft.folders.get(configDir) ?? emptyFolder;
  const copy = { ...folder, records: new Map(folder.records), transcripts: new Map(folder.transcripts) };
  draft.ownedFolders.set(configDir, copy);
  draft.folders.set(configDir, copy);
  return copy;
}

function foldTable(draft: Draft, table: ProcessTable, at: EpochMs): void {
  for (const row of table.rows.values()) {
    if (row.facts === undefined) continue;
    const instance = processInstance(row.facts.pid, row.facts.startToken);
    if (draft.processes.has(instance) || isKnownBySlack(draft, row)) continue;
    remember(draft, instance, firstSeen(row.facts, at, "process-table"));
    claimFor(draft, instance);
  }
  for (const [instance, memory] of draft.processes) {
    const sign = tableSign(draft.host, table.rows.get(memory.facts.pid), memory, at);
    if (sign !== undefined) draft.processes.set(instance, foldLife(memory, sign));
    if (table.parents.has(memory.facts.pid)) draft.childlessSince.delete(instance);
    else if (!draft.childlessSince.has(instance)) draft.childlessSince.set(instance, at);
  }
}

/** What a whole table says of one known process; undefined where it says nothing. */
function tableSign(
  { kernelAnswers }: HostFacts,
  row: TableRow | undefined,
  memory: ProcessMemory,
  at: EpochMs,
): LifeSign | undefined {
  switch (row === undefined ? "another" : compareStart(row, memory.facts)) {
    case "another":
      return { kind: "not-in-table", at, kernelAnswers };
    case "same":
      // Where the kernel told of this very process, its word is the newer and stronger one.
      return kernelAnswers && memory.unobserved === undefined
        ? undefined
        : { kind: "alive", at, source: "process-table" };
    case "cannot-tell":
      return undefined;
  }
}

/** A table tells starts in whole seconds; a start that is not told is no other start. */
function compareStart(row: TableRow, facts: ProcessFacts): "same" | "another" | "cannot-tell" {
  if (row.facts?.startToken === facts.startToken) return "same";
  if (row.startedAt === undefined || facts.startedAt === undefined) return "cannot-tell";
  return Math.abs(row.startedAt - facts.startedAt) <= 2_000 ? "same" : "another";
}

/** A start that was reckoned a second off is no other process. */
function isKnownBySlack(draft: Draft, row: TableRow): boolean {
  return [...(draft.instancesByPid.get(row.pid) ?? [])].some((instance) => {
    const memory = draft.processes.get(instance);
    return memory !== undefined && memory.life.kind !== "gone" && compareStart(row, memory.facts) === "same";
  });
}

function unobservedProcesses(draft: Draft, at: EpochMs, cause: Cause): void {
  for (const [instance, memory] of draft.processes)
    draft.processes.set(instance, foldLife(memory, { kind: "unobserved", at, cause }));
}

function foldPidLook(draft: Draft, pid: number, at: EpochMs, look: PidLook): void {
  const held = look.kind === "alive" ? processInstance(pid, look.facts.startToken) : undefined;
  for (const instance of draft.instancesByPid.get(pid) ?? []) {
    const memory = draft.processes.get(instance);
    if (memory !== undefined) draft.processes.set(instance, foldLife(memory, signFor(instance, held, at, look)));
  }
  const before = draft.pidLooks.get(pid);
  const late = before !== undefined && at < before.at;
  if (look.kind !== "alive") {
    // An end stays known while later looks do not tell.
    const kept = late || (look.kind === "unobserved" && before?.look.kind === "gone");
    if (!kept) draft.pidLooks.set(pid, { at, look });
    return;
  }
  if (!late) draft.pidLooks.delete(pid);
  if (held === undefined) return;
  remember(draft, held, aliveMemory(draft, held, look.facts, at));
  claimFor(draft, held);
}

function aliveMemory(draft: Draft, held: ProcessInstance, facts: ProcessFacts, at: EpochMs): ProcessMemory {
  const known = draft.processes.get(held);
  if (known !== undefined) {
    // A process that ran another program since then is judged by what it runs now.
    return known.life.kind === "alive" && known.life.asOf <= at ? { ...known, facts } : known;
  }
  const seen = firstSeen(facts, at, "proc");
  const end = laterEnd(draft, facts.pid, at);
  return end === undefined ? seen : foldLife(seen, { kind: "gone", source: "proc", ...end });
}

/** A look that came late: what a newer one already said of this pid. */
function laterEnd(
  draft: Draft,
  pid: number,
  at: EpochMs,
): { readonly at: EpochMs; readonly because: string } | undefined {
  const look = draft.pidLooks.get(pid);
  if (look?.look.kind === "gone" && look.at > at) return { at: look.at, because: look.look.because };
  for (const instance of draft.instancesByPid.get(pid) ?? []) {
    const life = draft.processes.get(instance)?.life;
    if (life?.kind === "alive" && life.asOf > at) return { at: life.asOf, because: "its pid has another start time" };
  }
  return undefined;
}

function signFor(instance: ProcessInstance, held: ProcessInstance | undefined, at: EpochMs, look: PidLook): LifeSign {
  switch (look.kind) {
    case "alive":
      if (instance === held) return { kind: "alive", at, source: "proc" };
      return { kind: "gone", at, source: "proc", because: "its pid has another start time" };
    case "gone":
      return { kind: "gone", at, source: "proc", because: look.because };
    case "unobserved":
      return { kind: "unobserved", at, cause: look.cause };
    default:
      return unreachable(look);
  }
}

/** A record that a later whole listing lacks was removed by its session; its claims keep what it said. */
function dropUnlistedRecords(folder: Mutable<ConfigFolder>): void {
  const listing = folder.recordListing;
  if (listing.kind !== "current") return;
  for (const [file, { readAt }] of folder.records)
    if (readAt <= listing.asOf && !listing.value.has(file)) folder.records.delete(file);
}

/** A transcript that was not there goes when its folder answers later, and without it. */
function dropUnlistedTranscripts(folder: Mutable<ConfigFolder>): void {
  const listing = folder.transcriptListing;
  if (listing.kind !== "current") return;
  for (const [path, { goneAt }] of folder.transcripts)
    if (goneAt !== undefined && goneAt <= listing.asOf && !listing.value.recent.has(path))
      folder.transcripts.delete(path);
}

function foldRecord(draft: Draft, configDir: string, file: string, record: Observation<PidRecord>): void {
  const { records, recordListing } = folderOf(draft, configDir);
  if (recordListing.kind === "current" && record.at < recordListing.asOf && !recordListing.value.has(file)) return;
  const previous = records.get(file);
  const known = retain(previous?.known ?? neverKnown, record, { goneIsAnAnswer: true });
  if (known.kind === "none") {
    records.delete(file);
    return;
  }
  const same = previous !== undefined && sameProcess(previous.known, known);
  records.set(file, {
    known,
    firstReadAt: same ? previous.firstReadAt : record.at,
    readAt: Math.max(record.at, previous?.readAt ?? record.at),
    unreadable: unreadableCause(known, record),
  });
  const read = valueOf(known);
  if (read === undefined) return;
  indexRecord(draft, configDir, file, read);
  const instance = instanceOfRecord(draft, read);
  if (instance !== undefined) claimFor(draft, instance);
}

function sameProcess(a: Known<PidRecord>, b: Known<PidRecord>): boolean {
  const [left, right] = [valueOf(a), valueOf(b)];
  return left !== undefined && right !== undefined && left.pid === right.pid && left.procStart === right.procStart;
}

/** The value that is known, current or stale. */
export function valueOf<T>(known: Known<T>): T | undefined {
  switch (known.kind) {
    case "never":
    case "none":
      return undefined;
    case "current":
    case "stale":
      return known.value;
    default:
      return unreachable(known);
  }
}

function foldTranscript(draft: Draft, configDir: string, path: string, transcript: Observation<TranscriptFacts>): void {
  const { transcripts } = folderOf(draft, configDir);
  const known = retain<TranscriptFacts>(transcripts.get(path)?.known ?? neverKnown, transcript);
  if (known.kind === "none") {
    transcripts.delete(path);
    return;
  }
  const gone = known.kind === "stale" && transcript.kind === "absent";
  transcripts.set(path, {
    known,
    unreadable: unreadableCause(known, transcript),
    goneAt: gone ? transcript.at : undefined,
  });
}

function unreadableCause(known: Known<unknown>, last: Observation<unknown>): Cause | undefined {
  if (known.kind === "stale") return known.cause;
  return known.kind === "never" && last.kind === "unobserved" ? last.cause : undefined;
}

/** Lets a process claim the conversation that a record of it names, else the one its arguments name. */
function claimFor(draft: Draft, instance: ProcessInstance): void {
  const memory = draft.processes.get(instance);
  if (memory === undefined) return;
  const { role, configDir } = memory.facts;
  const byRecord = recordClaim(draft, instance, memory.facts);
  if (byRecord !== undefined) claim(draft, instance, byRecord);
  if (role.kind !== "session" || role.conversationId === undefined || configDir === undefined) return;
  if (draft.claims.has(instance) || memory.life.kind !== "alive") return;
  const since = memory.life.asOf;
  claim(draft, instance, { configDir, id: role.conversationId, since, by: "arguments", record: undefined });
}

/** What the records say that this process holds; of several, such as in a copied folder, the newest. */
function recordClaim(draft: Draft, instance: ProcessInstance, facts: ProcessFacts): Claim | undefined {
  let newest: Claim | undefined;
  let newestAt = Number.NEGATIVE_INFINITY;
  for (const pid of new Set([facts.pid, facts.namespacePid])) {
    for (const [file, configDir] of draft.recordsByPid.get(pid) ?? []) {
      const known = draft.folders.get(configDir)?.records.get(file)?.known;
      if (known === undefined || known.kind === "never" || known.kind === "none") continue;
      const record = known.value;
      // A spare waits for a conversation and holds none yet.
      if (record.spare === true || instanceOfRecord(draft, record) !== instance) continue;
      const at = record.updatedAt ?? record.startedAt ?? known.asOf;
      if (at <= newestAt) continue;
      newestAt = at;
      newest = { configDir, id: record.sessionId, since: known.asOf, by: "record", record };
    }
  }
  return newest;
}

function claim(draft: Draft, instance: ProcessInstance, next: Claim): void {
  const held = draft.claims.get(instance) ?? [];
  const last = held.at(-1);
  if (last?.id === next.id && last.configDir === next.configDir) {
    if (last.record !== next.record) draft.claims.set(instance, [...held.slice(0, -1), { ...next, since: last.since }]);
    return;
  }
  // A stronger word replaces a guess from the arguments.
  const kept = last?.by === "arguments" ? held.slice(0, -1) : held;
  draft.claims.set(instance, [...kept, next].slice(-limits.evidencePerRow));
}

/** The known process that a record speaks of: same namespace, same pid there, same start. */
export function instanceOfRecord(
  monitor: Pick<Monitor, "host" | "processes">,
  record: PidRecord,
): ProcessInstance | undefined {
  if (record.procStart === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  if (domain.kind === "own" || domain.kind === "unnamed") {
    const instance = processInstance(record.pid, record.procStart);
    return monitor.processes.has(instance) ? instance : undefined;
  }
  if (domain.namespace === undefined) return undefined;
  for (const [instance, { facts }] of monitor.processes) {
    if (
      facts.namespace === domain.namespace &&
      facts.namespacePid === record.pid &&
      facts.startToken === record.procStart
    )
      return instance;
  }
  return undefined;
}

export type RecordDomain =
  | { readonly kind: "own" }
  | { readonly kind: "other"; readonly namespace: string | undefined }
  /** Written by a version that names no domain, or ours could not be told. */
  | { readonly kind: "unnamed" };

export function recordDomain(host: HostFacts, record: PidRecord): RecordDomain {
  if (record.pidDomain === undefined || host.pidDomain === undefined) return { kind: "unnamed" };
  if (record.pidDomain === host.pidDomain) return { kind: "own" };
  return { kind: "other", namespace: /pid:\[(\d+)\]$/.exec(record.pidDomain)?.[1] };
}

/** Memory is bounded: processes that are gone longest go first. */
function forgetOldest(draft: Draft): void {
  const excess = draft.processes.size - limits.processesRemembered;
  if (excess <= 0) return;
  const gone = [...draft.processes].flatMap(([instance, { life }]) =>
    life.kind === "gone" ? [{ instance, at: life.at }] : [],
  );
  gone.sort((a, b) => a.at - b.at);
  for (const { instance } of gone.slice(0, excess)) {
    draft.processes.delete(instance);
    draft.claims.delete(instance);
    draft.childlessSince.delete(instance);
  }
}
