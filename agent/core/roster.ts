// What a client sees of what the agent knows: one row for each conversation, how the sources fare, which sandboxes
// there are. A pure projection: the same state and time give the same roster. What one row says is `sessionRow.ts`.
import { recentMs } from "../../base/limits.ts";
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { projectDrift } from "./drift.ts";
import { markGoneFolder, nameRealFolder } from "./goneFolders.ts";
import { iso } from "./isoTime.ts";
import type { Monitor } from "./monitor.ts";
import { joinHooks } from "./hookSessions.ts";
import { silentHooks } from "./hookSilence.ts";
import { joinProbed } from "./probedSessions.ts";
import { rememberedRows } from "./rememberedRows.ts";
import { joinRecorded } from "./recordedDrafts.ts";
import { projectSandboxes } from "./sandboxes.ts";
import { collectSessions, type SessionDraft } from "./sessionDraft.ts";
import { newestRecord } from "./sessionRecord.ts";
import { projectSession } from "./sessionRow.ts";
import { projectSkipped } from "./skipped.ts";
import { projectSources } from "./sourceStates.ts";

const endedProcessMs = 30_000;

export interface RosterOptions {
  readonly now: EpochMs;
  /** Also rows that ended or were last touched more than a day ago. */
  readonly all: boolean;
  /** Leaves out processes that are known to belong to another config folder than those that are watched. */
  readonly onlyWatchedFolders: boolean;
  /** Folders of sessions that are not there. */
  readonly goneFolders?: ReadonlySet<string>;
  /** Real paths of folders of sessions that are named through links. */
  readonly realFolders?: ReadonlyMap<string, string>;
  /** Takes each row as soon as it is made, and may give an earlier one that says the same in its place. */
  readonly keep?: (row: Session) => Session;
}

const noFolders: ReadonlySet<string> = new Set();
const noPaths: ReadonlyMap<string, string> = new Map();

export function projectRoster(monitor: Monitor, options: RosterOptions): Roster {
  const { goneFolders = noFolders, realFolders = noPaths, keep = asItIs } = options;
  const judged = (row: Session): Session => nameRealFolder(markGoneFolder(row, goneFolders), realFolders);
  const collected = joinProbed(monitor, collectSessions(monitor, options));
  const { drafts, refused } = joinHooks(monitor, joinRecorded(monitor, collected), options);
  const sessions: Session[] = [];
  for (const draft of drafts.values()) {
    const session = projectSession(monitor, draft, options.now);
    const row = hasOtherMounts(monitor, draft) ? session : judged(session);
    if (options.all || isShown(row, draft, options.now)) sessions.push(keep(row));
  }
  sessions.push(...rememberedRows(monitor, drafts, options).map((row) => keep(judged(row))));
  sessions.sort((a, b) => compareText(a.key, b.key));
  return {
    version: 1,
    observedAt: iso(options.now),
    sources: projectSources(monitor, options.now, silentHooks(monitor, drafts.values(), options.now)),
    nodes: [],
    sandboxes: projectSandboxes(monitor, sessions, options.now),
    sessions,
    skipped: [...projectDrift(monitor, sessions, options.now), ...projectSkipped(monitor, refused)],
  };
}

function asItIs(row: Session): Session {
  return row;
}

/** What is mounted where it ran is not what is mounted here. */
function hasOtherMounts(monitor: Monitor, { claims }: SessionDraft): boolean {
  return claims.some(({ instance }) => monitor.processes.get(instance)?.facts.hasOtherMounts === true);
}

/** Rows leave when they ended or were last touched a day ago; what may live stays. */
function isShown(row: Session, draft: SessionDraft, now: EpochMs): boolean {
  if (row.liveness.kind === "live" || row.registry.recorded) return true;
  // Of a process that ended and left neither record nor transcript there is nothing more to tell.
  if (row.endedAt !== undefined && row.id.startsWith("proc:")) return now - Date.parse(row.endedAt) < endedProcessMs;
  if (
    row.liveness.kind === "unknown" &&
    (draft.claims.length > 0 || draft.records.some(({ goneAt }) => goneAt === undefined))
  )
    return true;
  // Of a process that was gone before the first look, that look is not its end.
  const wasSeen = draft.claims.length > 0 || draft.probed?.session.wasSeenAlive === true;
  const endedAt = row.endedAt === undefined || !wasSeen ? 0 : Date.parse(row.endedAt);
  const record = newestRecord(draft)?.record;
  const touched = Math.max(
    draft.hooks?.facts.last.at ?? 0,
    draft.transcript?.modifiedAt ?? 0,
    endedAt,
    record?.updatedAt ?? record?.startedAt ?? 0,
  );
  return now - touched < recentMs;
}
