// What a config folder says: listings of its session records and transcripts, and what was read of each file. A record
// may be gone by itself, a transcript leaves only by a listing that lacks it. Which process a record belongs to is
// `recordDomain.ts`, what that process holds by it `claims.ts`.
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { unobserved, type Cause, type Known, type Observation } from "../../protocol/observation.ts";
import { claimFor, markOverwritten } from "./claims.ts";
import type { EpochMs } from "../../base/clock.ts";
import { recentMs } from "../../base/limits.ts";
import type { ConfigFolder, RecordMemory } from "./monitor.ts";
import { folderOf, indexRecord, type Draft, type Mutable } from "./monitorDraft.ts";
import type { TranscriptFacts, TranscriptListing } from "./monitorEvent.ts";
import { degrade, neverKnown, retain, valueOf } from "./observation.ts";
import { instanceOfRecord, recordDomain } from "./recordDomain.ts";
import type { TranscriptFold } from "./transcript.ts";

export function foldRecordListing(draft: Draft, configDir: string, listing: Observation<ReadonlySet<string>>): void {
  const folder = folderOf(draft, configDir);
  folder.recordListing = retain(folder.recordListing, listing);
  folder.leftAt = undefined;
  dropUnlistedRecords(draft, folder);
}

export function foldRecord(
  draft: Draft,
  configDir: string,
  file: string,
  record: Observation<PidRecord>,
  oddTimes?: readonly string[],
): void {
  const { records, recordListing } = folderOf(draft, configDir);
  if (recordListing.kind === "current" && record.at < recordListing.asOf && !recordListing.value.has(file)) return;
  const previous = records.get(file);
  const known = retain(previous?.known ?? neverKnown, record, { goneIsAnAnswer: true });
  if (known.kind === "none") {
    removeRecord(draft, records, file, record.at);
    return;
  }
  const same = previous !== undefined && sameProcess(previous.known, known);
  const replaced = same || previous === undefined ? undefined : valueOf(previous.known);
  if (replaced !== undefined) markOverwritten(draft, replaced);
  records.set(file, {
    known,
    firstReadAt: same ? previous.firstReadAt : record.at,
    readAt: Math.max(record.at, previous?.readAt ?? record.at),
    unreadable: unreadableCause(known, record),
    // What could not be read leaves what was known of the record.
    oddTimes: record.kind === "observed" ? oddTimes : previous?.oddTimes,
    goneAt: undefined,
  });
  const read = valueOf(known);
  if (read === undefined) return;
  indexRecord(draft, configDir, file, read);
  const instance = instanceOfRecord(draft, read);
  if (instance !== undefined) claimFor(draft, instance);
}

export function foldTranscriptListing(draft: Draft, configDir: string, listing: Observation<TranscriptListing>): void {
  const folder = folderOf(draft, configDir);
  folder.transcriptListing = retain(folder.transcriptListing, listing);
  dropUnlistedTranscripts(draft, configDir, folder);
}

export function foldTranscript(
  draft: Draft,
  configDir: string,
  path: string,
  transcript: Observation<TranscriptFacts>,
): void {
  const { transcripts } = folderOf(draft, configDir);
  const previous = transcripts.get(path)?.known ?? neverKnown;
  const read = isEmptied(previous, transcript)
    ? unobserved<TranscriptFacts>(transcript.source, transcript.at, "it was emptied, and holds no turn any more")
    : transcript;
  const known = retain<TranscriptFacts>(previous, read);
  if (known.kind === "none") {
    transcripts.delete(path);
    return;
  }
  const gone = known.kind === "stale" && read.kind === "absent";
  transcripts.set(path, {
    known,
    unreadable: unreadableCause(known, read),
    goneAt: gone ? read.at : undefined,
  });
}

/** A record that a later whole listing lacks was removed by its session; its claims keep what it said. */
function dropUnlistedRecords(draft: Draft, folder: Mutable<ConfigFolder>): void {
  const listing = folder.recordListing;
  if (listing.kind !== "current") return;
  for (const [file, { readAt }] of folder.records)
    if (readAt <= listing.asOf && !listing.value.has(file)) removeRecord(draft, folder.records, file, listing.asOf);
}

/**
 * One of another pid namespace may have been swept away by somebody who could not see its process: where no process of
 * it is known, its row stays as last known.
 */
function removeRecord(draft: Draft, records: Map<string, RecordMemory>, file: string, at: EpochMs): void {
  const memory = records.get(file);
  const record = memory === undefined ? undefined : valueOf(memory.known);
  const isFrozen =
    record !== undefined &&
    recordDomain(draft.host, record).kind === "other" &&
    instanceOfRecord(draft, record) === undefined;
  const goneAt = memory?.goneAt ?? at;
  if (memory === undefined || !isFrozen || at - goneAt > recentMs) {
    records.delete(file);
    return;
  }
  const known = degrade(memory.known, goneAt, "record gone without an end; its namespace cannot be asked");
  records.set(file, { ...memory, known, goneAt, unreadable: undefined });
}

/** Without any turn where there were some: its session knows better what it left open than the file does now. */
function isEmptied(previous: Known<TranscriptFacts>, next: Observation<TranscriptFacts>): boolean {
  const before = valueOf(previous);
  if (before === undefined || next.kind !== "observed") return false;
  return hasTurns(before.fold) && !hasTurns(next.value.fold);
}

function hasTurns({ turns }: TranscriptFold): boolean {
  return turns.phase.kind !== "none" || turns.background.size > 0;
}

/**
 * A transcript that was not there goes when its folder answers later, and without it; not while a process holds its
 * conversation, whose open calls are then known from nowhere else.
 */
function dropUnlistedTranscripts(draft: Draft, configDir: string, folder: Mutable<ConfigFolder>): void {
  const listing = folder.transcriptListing;
  if (listing.kind !== "current") return;
  for (const [path, { known, goneAt }] of folder.transcripts) {
    if (goneAt === undefined || goneAt > listing.asOf || listing.value.recent.has(path)) continue;
    const id = valueOf(known)?.id;
    if (id === undefined || !isHeld(draft, configDir, id)) folder.transcripts.delete(path);
  }
}

function isHeld(draft: Draft, configDir: string, id: string): boolean {
  for (const [instance, claims] of draft.claims) {
    const last = claims.at(-1);
    if (last?.id !== id || last.configDir !== configDir) continue;
    if (draft.processes.get(instance)?.life.kind !== "gone") return true;
  }
  return false;
}

function sameProcess(a: Known<PidRecord>, b: Known<PidRecord>): boolean {
  const [left, right] = [valueOf(a), valueOf(b)];
  return (
    left !== undefined &&
    right !== undefined &&
    left.pid === right.pid &&
    left.procStart === right.procStart &&
    left.pidDomain === right.pidDomain
  );
}

function unreadableCause(known: Known<unknown>, last: Observation<unknown>): Cause | undefined {
  if (known.kind === "stale") return known.cause;
  return known.kind === "never" && last.kind === "unobserved" ? last.cause : undefined;
}
