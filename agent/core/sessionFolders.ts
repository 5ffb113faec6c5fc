// Where a session works, and where it began: it is resumed from the second and shown with the first. The folder may
// change under way, which its transcript tells line by line and its record does not always follow.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";

export interface FolderSources {
  readonly record: PidRecord | undefined;
  readonly transcript: TranscriptFacts | undefined;
  readonly processCwd: string | undefined;
  /** As the registry keeps it: where it began. */
  readonly recordedCwd: string | undefined;
  readonly processStartedAt: EpochMs | undefined;
  /** As an earlier agent knew them. */
  readonly remembered: { readonly cwd: string | null; readonly startCwd: string | null } | undefined;
}

/** Process starts are reckoned from ticks, transcript times from the clock. */
const slackMs = 2_000;

export function sessionFolders(sources: FolderSources): {
  readonly cwd: string | null;
  readonly startCwd: string | null;
} {
  const { record, transcript, processCwd, remembered, recordedCwd } = sources;
  const written = transcript?.fold.lastCwd;
  const cwd =
    (isBehind(sources) ? written : record?.cwd) ?? written ?? processCwd ?? remembered?.cwd ?? recordedCwd ?? null;
  return { cwd, startCwd: transcript?.startCwd ?? remembered?.startCwd ?? recordedCwd ?? record?.cwd ?? cwd };
}

/** A record that still names the folder of the start, while this process went on in another one. */
function isBehind({ record, transcript, processStartedAt }: FolderSources): boolean {
  if (record?.cwd === undefined || record.cwd !== transcript?.startCwd) return false;
  const writtenAt = transcript.fold.lastRecordAt;
  if (writtenAt === undefined) return false;
  return processStartedAt === undefined || writtenAt >= processStartedAt - slackMs;
}
