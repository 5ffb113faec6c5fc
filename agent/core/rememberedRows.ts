// Rows that only an earlier agent knew: how they are shown, and when they go. How they come from there is `memory.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { SessionKey } from "../../protocol/ids.ts";
import type { Evidence, Session } from "../../protocol/roster.ts";
import { iso } from "./isoTime.ts";
import type { Monitor } from "./monitor.ts";

/** Those of conversations of which the sources tell nothing. */
export function rememberedRows(
  monitor: Monitor,
  told: ReadonlyMap<SessionKey, unknown>,
  { now, all }: { readonly now: EpochMs; readonly all: boolean },
): Session[] {
  const rows: Session[] = [];
  for (const [key, row] of monitor.remembered) {
    if (told.has(key as SessionKey) || isRefuted(monitor, row)) continue;
    if (all || isRecent(row, now)) rows.push(rememberedRow(row, now));
  }
  return rows;
}

/** A row of an earlier agent goes when both folders that would show it have answered without it, and all of it could be read. */
function isRefuted(monitor: Monitor, row: Session): boolean {
  if (row.registry.recorded && !registriesAnswered(monitor)) return false;
  // Only a registry knew it.
  if (row.registry.recorded && row.evidence.every(({ source }) => !isFolderSource(source))) return true;
  const folder = monitor.folders.get(row.configDir);
  if (folder?.recordListing.kind !== "current" || folder.transcriptListing.kind !== "current") return false;
  const unread = [...folder.records.values(), ...folder.transcripts.values()].some(
    ({ known }) => known.kind === "never",
  );
  return !unread;
}

/** What was recorded stays until every registry that was read before can be read again, and lacks it. */
function registriesAnswered(monitor: Monitor): boolean {
  const own = monitor.registries.get("registry");
  return (
    own !== undefined &&
    [own, ...monitor.registries.values()].every(({ kind }) => kind === "current" || kind === "none")
  );
}

function isFolderSource(source: string): boolean {
  return source.startsWith("pid-records:") || source.startsWith("transcripts:") || source === "proc";
}

function isRecent(row: Session, now: EpochMs): boolean {
  return row.registry.recorded || row.liveness.kind === "live" || now - Date.parse(row.liveness.asOf) < recentMs;
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
