// Whether a roster's sources have answered at all: what tells "there is none" from "nothing can tell". A source
// that is not listed has not been asked yet, which is no answer either.
import type { Roster, Session, SourceState } from "../../protocol/roster.ts";

export type Coverage =
  | { readonly kind: "answered" }
  /** Sources that this window needs and that were not asked yet. */
  | { readonly kind: "pending"; readonly missing: readonly string[] }
  | { readonly kind: "silent"; readonly silent: readonly SourceState[] };

/** What can be said on the whole of it: only `answered` makes an empty roster mean that there is nothing. */
export function coverageOf(roster: Roster, configDirs: readonly string[]): Coverage {
  const silent = silentSources(roster);
  if (silent.length > 0) return { kind: "silent", silent };
  const listed = new Set(roster.sources.map((source) => source.id));
  const missing = neededSources(configDirs).filter((id) => !listed.has(id));
  return missing.length === 0 ? { kind: "answered" } : { kind: "pending", missing };
}

export function silentSources(roster: Roster): readonly SourceState[] {
  return roster.sources.filter((source) => source.state === "unobserved");
}

/** Whether every source that could show this session has answered, so that its absence means something. */
export function answersForSession(roster: Roster, session: Session, configDirs: readonly string[]): boolean {
  const answered = new Set(roster.sources.flatMap(({ id, asOf, state }) => (hasAnswered(state, asOf) ? [id] : [])));
  const inFolder = [processTable, ...folderSources(session.configDir)];
  if (inFolder.every((id) => answered.has(id))) return true;
  // A folder that is watched no more never answers again; the rest of the roster then decides.
  return !configDirs.includes(session.configDir) && neededSources(configDirs).every((id) => answered.has(id));
}

const processTable = "process-table";

function neededSources(configDirs: readonly string[]): readonly string[] {
  return [processTable, ...configDirs.flatMap(folderSources)];
}

function folderSources(configDir: string): readonly string[] {
  return [`pid-records:${configDir}`, `transcripts:${configDir}`];
}

function hasAnswered(state: SourceState["state"], asOf: string | undefined): boolean {
  return state !== "unobserved" || asOf !== undefined;
}
