// What a process holds after `/clear` where its session record still names the conversation before: some versions only
// moved the record's time. The only new transcript of the same folder that began while the process ran, after the old
// one fell silent and no later than its record moved, is the process'; between two, or between two processes, nothing
// is guessed.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Claim, ConfigFolder, Monitor } from "./monitor.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";
import { valueOf } from "./observation.ts";
import { isContended, withInnerPid } from "./recordDomain.ts";

/** The record is written within this long of what it tells. */
const slackMs = 2_000;

export interface Rotation {
  readonly instance: ProcessInstance;
  readonly from: Claim;
  readonly to: TranscriptFacts;
}

/** @param free transcripts that no claim and no record names */
export function rotationsTo(
  monitor: Monitor,
  configDir: string,
  folder: ConfigFolder,
  free: readonly TranscriptFacts[],
): readonly Rotation[] {
  const possible: Rotation[] = [];
  const byFolder = groupBy(free, ({ path }) => folderOf(path));
  const held = heldTranscripts(folder, monitor, configDir);
  for (const [instance, claims] of monitor.claims) {
    const from = claims.at(-1);
    if (from?.by !== "record" || from.configDir !== configDir || from.record === undefined) continue;
    if (monitor.processes.get(instance)?.life.kind === "gone") continue;
    // Whose the time is that such a record tells nobody knows.
    if (isContended(monitor, configDir, from.record, withInnerPid(monitor, from.record.pid))) continue;
    const old = held.get(from.id);
    const near = old === undefined ? free : (byFolder.get(folderOf(old.path)) ?? []);
    for (const to of near) if (couldFollow(from, old, to)) possible.push({ instance, from, to });
  }
  const once = (key: (rotation: Rotation) => unknown): ((rotation: Rotation) => boolean) => {
    const counts = groupBy(possible, key);
    return (rotation) => counts.get(key(rotation))?.length === 1;
  };
  const ofOneProcess = once(({ instance }) => instance);
  const ofOneTranscript = once(({ to }) => to);
  return possible.filter((rotation) => ofOneProcess(rotation) && ofOneTranscript(rotation));
}

function couldFollow({ record, id }: Claim, old: TranscriptFacts | undefined, to: TranscriptFacts): boolean {
  const began = to.firstRecordAt;
  if (record?.startedAt === undefined || record.updatedAt === undefined || began === undefined) return false;
  if (began < record.startedAt || began > record.updatedAt + slackMs) return false;
  if (old === undefined ? to.startCwd !== record.cwd : began < (lastWritten(old) ?? 0)) return false;
  const { originId, entrypoint } = to.fold;
  if (originId !== undefined && originId !== id) return false;
  return entrypoint === undefined || record.entrypoint === undefined || entrypoint === record.entrypoint;
}

function lastWritten({ fold, modifiedAt }: TranscriptFacts): EpochMs | undefined {
  return fold.lastRecordAt ?? modifiedAt;
}

function heldTranscripts(
  folder: ConfigFolder,
  monitor: Monitor,
  configDir: string,
): ReadonlyMap<string, TranscriptFacts> {
  const wanted = new Set<string>();
  for (const claims of monitor.claims.values()) {
    const last = claims.at(-1);
    if (last?.configDir === configDir) wanted.add(last.id);
  }
  const held = new Map<string, TranscriptFacts>();
  for (const { known } of folder.transcripts.values()) {
    const transcript = valueOf(known);
    if (transcript !== undefined && wanted.has(transcript.id)) held.set(transcript.id, transcript);
  }
  return held;
}

function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
}
