// Small facts and events, from which the tests of the monitor build their histories.
import { newMonitor, type HostFacts, type Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent, PidLook, TranscriptFacts } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import type { ProcessFacts } from "../../../../agent/core/processes.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { emptyTranscript, foldTranscriptLine } from "../../../../agent/core/transcript.ts";
import { pidRecordSchema, type PidRecord } from "../../../../protocol/files/pidRecord.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../../../protocol/observation.ts";
import type { Session } from "../../../../protocol/roster.ts";

/** The tests' clock begins here; events name seconds after it. */
export const began = Date.parse("2026-11-30T17:00:00.000Z");
export const second = (count: number): number => began + count * 1_000;

export const configDir = "/home/dev/.claude";
export const domain = "linux:0123456789abcdef:pid:[4026531836]";
export const otherDomain = "linux:0123456789abcdef:pid:[4026532250]";

export const kernelHost: HostFacts = {
  pidDomain: domain,
  namespace: "4026531836",
  bootedAt: second(-100_000),
  bootId: "boot-1",
  kernelAnswers: true,
};
/** As on macOS: only process tables tell of processes. */
export const tableHost: HostFacts = {
  pidDomain: undefined,
  namespace: undefined,
  bootedAt: second(-100_000),
  bootId: undefined,
  kernelAnswers: false,
};

export function record(fields: Partial<PidRecord> = {}): PidRecord {
  return pidRecordSchema.parse({
    pid: 20,
    sessionId: "s1",
    cwd: "/home/dev/app",
    procStart: "500",
    startedAt: second(-60),
    pidDomain: domain,
    status: "idle",
    statusUpdatedAt: second(-50),
    updatedAt: second(-50),
    ...fields,
  });
}

export function facts(fields: Partial<ProcessFacts> = {}): ProcessFacts {
  return {
    pid: 20,
    startToken: "500",
    startedAt: second(-60),
    ppid: 1,
    namespace: "4026531836",
    namespacePid: fields.pid ?? 20,
    role: { kind: "session", conversationId: undefined },
    cwd: "/home/dev/app",
    configDir,
    ...fields,
  };
}

export const fileOf = (pid: number, dir = configDir): string => `${dir}/sessions/${pid}.json`;

function answer<T>(source: SourceId, at: number, value: T | "absent" | Failure): Observation<T> {
  if (value === "absent") return absent(source, at);
  return value instanceof Failure ? unobserved(source, at, value.cause) : observed(source, at, value);
}

export class Failure {
  readonly cause: string;
  constructor(cause: string) {
    this.cause = cause;
  }
}
export const failure = new Failure("EIO");

export function recordRead(
  at: number,
  value: PidRecord | "absent" | Failure,
  file?: string,
  dir = configDir,
): MonitorEvent {
  const path = file ?? fileOf(typeof value === "object" && "pid" in value ? value.pid : 20, dir);
  return { kind: "pid-record", configDir: dir, file: path, record: answer(`pid-records:${dir}`, at, value) };
}

export function recordListing(
  at: number,
  files: readonly string[] | "absent" | Failure,
  dir = configDir,
): MonitorEvent {
  const value = Array.isArray(files) ? new Set(files as readonly string[]) : (files as "absent" | Failure);
  return { kind: "pid-record-listing", configDir: dir, listing: answer(`pid-records:${dir}`, at, value) };
}

export function look(at: number, value: ProcessFacts | "gone" | Failure, pid?: number): MonitorEvent {
  const of = pid ?? (typeof value === "object" && "pid" in value ? value.pid : 20);
  return { kind: "pid-look", pid: of, at, look: lookOf(value) };
}

function lookOf(value: ProcessFacts | "gone" | Failure): PidLook {
  if (value === "gone") return { kind: "gone", because: "no such process" };
  return value instanceof Failure ? { kind: "unobserved", cause: value.cause } : { kind: "alive", facts: value };
}

export function proc(at: number, value: "answers" | Failure): MonitorEvent {
  return { kind: "proc", state: answer<"answers">("proc", at, value) };
}

export interface TableOptions {
  readonly parents?: readonly number[];
  /** False as where the kernel can be asked: rows are hints only. */
  readonly identities?: boolean;
}

export function table(at: number, rows: readonly ProcessFacts[] | Failure, options: TableOptions = {}): MonitorEvent {
  if (rows instanceof Failure) return { kind: "process-table", table: unobserved("process-table", at, rows.cause) };
  const identities = options.identities ?? true;
  const value = {
    rows: new Map(
      rows.map((row) => [row.pid, { pid: row.pid, startedAt: row.startedAt, facts: identities ? row : undefined }]),
    ),
    parents: new Set(options.parents ?? []),
  };
  return { kind: "process-table", table: observed("process-table", at, value) };
}

export const pathOf = (id: string, dir = configDir): string => `${dir}/projects/-home-dev-app/${id}.jsonl`;

export function transcriptFacts(
  id: string,
  lines: readonly object[],
  fields: Partial<TranscriptFacts> = {},
): TranscriptFacts {
  const fold = lines.map((line) => JSON.stringify(line)).reduce(foldTranscriptLine, emptyTranscript);
  return {
    id,
    path: pathOf(id),
    fold,
    startCwd: fold.firstCwd,
    firstRecordAt: fold.firstRecordAt,
    modifiedAt: fold.lastRecordAt ?? began,
    sizeBytes: 100,
    windowCapped: false,
    ...fields,
  };
}

export function transcriptRead(
  at: number,
  id: string,
  value: TranscriptFacts | "absent" | Failure,
  dir = configDir,
): MonitorEvent {
  return {
    kind: "transcript",
    configDir: dir,
    path: pathOf(id, dir),
    transcript: answer(`transcripts:${dir}`, at, value),
  };
}

class EveryConversation extends Set<string> {
  override has(): boolean {
    return true;
  }
}
const everyConversation = new EveryConversation();

export function transcriptListing(
  at: number,
  ids: readonly string[] | "absent" | Failure,
  dir = configDir,
): MonitorEvent {
  const value = Array.isArray(ids)
    ? {
        recent: new Set((ids as readonly string[]).map((id) => pathOf(id, dir))),
        older: 0,
        answersFor: everyConversation,
      }
    : (ids as "absent" | Failure);
  return { kind: "transcript-listing", configDir: dir, listing: answer(`transcripts:${dir}`, at, value) };
}

const iso = (at: number): string => new Date(at).toISOString();

export const lines = {
  prompt: (at: number, text = "do it") => ({
    type: "user",
    timestamp: iso(at),
    cwd: "/home/dev/app",
    message: { content: text },
  }),
  call: (at: number, id: string, name = "Bash") => ({
    type: "assistant",
    timestamp: iso(at),
    message: { stop_reason: "tool_use", content: [{ type: "tool_use", id, name }] },
  }),
  result: (at: number, id: string, toolUseResult: object = {}) => ({
    type: "user",
    timestamp: iso(at),
    message: { content: [{ type: "tool_result", tool_use_id: id }] },
    toolUseResult,
  }),
  end: (at: number) => ({ type: "system", subtype: "turn_duration", timestamp: iso(at) }),
} as const;

/** From a host whose folder of transcripts has answered once, and was empty. */
export function observe(events: readonly MonitorEvent[], host = kernelHost): Monitor {
  const nothing = observed(("transcripts:" + configDir) as SourceId, second(-1_000), {
    recent: new Set<string>(),
    older: 0,
    answersFor: everyConversation,
  });
  return observeAll(newMonitor(host), [{ kind: "transcript-listing", configDir, listing: nothing }, ...events]);
}

export function rowsAt(monitor: Monitor, now: number, all = false): readonly Session[] {
  return projectRoster(monitor, { now, all, onlyWatchedFolders: false }).sessions;
}

/** "live", "live stale", "ended: killed", then the status. */
export function rowWords({ liveness, status }: Session): string {
  const stale = liveness.stale ? " stale" : "";
  const how = liveness.how === undefined ? "" : `: ${liveness.how}`;
  const why = status.why === undefined ? "" : `: ${status.why}`;
  return `${liveness.kind}${how}${stale}, ${status.kind}${why}`;
}

/** Each row's words by the session's id. */
export function shown(monitor: Monitor, now: number, all = false): Readonly<Record<string, string>> {
  return Object.fromEntries(rowsAt(monitor, now, all).map((row) => [row.id, rowWords(row)]));
}
