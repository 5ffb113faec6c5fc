// What was read over: files that could not be read, and lines of transcripts that could not be understood.
import { limits } from "../../base/limits.ts";
import type { Skipped } from "../../protocol/roster.ts";
import type { Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { probesSkipped } from "./probeNotes.ts";
import { holdsOnlySubagents } from "./sessionDraft.ts";

/** @param ofOthers how many sessions of other sandboxes each spool spoke of */
export function projectSkipped(monitor: Monitor, ofOthers: ReadonlyMap<string, number> = new Map()): Skipped[] {
  const skipped: Skipped[] = [];
  for (const [configDir, folder] of monitor.folders) {
    for (const [path, memory] of folder.records) {
      if (memory.unreadable !== undefined)
        skipped.push({ source: `pid-records:${configDir}`, path, count: 1, why: memory.unreadable });
      for (const time of memory.oddTimes ?? [])
        skipped.push({
          source: `pid-records:${configDir}`,
          path,
          count: 1,
          why: `its ${time} is no time in milliseconds`,
        });
    }
    const source = `transcripts:${configDir}`;
    for (const { path, count, why } of folder.readOver) skipped.push({ source, path, count, why });
    for (const [path, { known, unreadable }] of folder.transcripts) {
      if (unreadable !== undefined) skipped.push({ source, path, count: 1, why: unreadable });
      const transcript = valueOf(known);
      if (transcript === undefined) continue;
      if (holdsOnlySubagents(transcript))
        skipped.push({ source, path, count: 1, why: "a subagent's transcript among those of sessions" });
      for (const [why, count] of transcript.fold.skipped) skipped.push({ source, path, count, why });
    }
    for (const of of folder.subagents.values())
      for (const { known, unreadable } of of.values()) {
        const path = valueOf(known)?.transcript.path;
        if (unreadable !== undefined)
          skipped.push({ source, ...(path === undefined ? {} : { path }), count: 1, why: unreadable });
        for (const [why, count] of valueOf(known)?.transcript.fold.skipped ?? [])
          skipped.push({ source, ...(path === undefined ? {} : { path }), count, why });
      }
  }
  for (const path of monitor.foldersLeftOut)
    skipped.push({ source: `pid-records:${path}`, path, count: 1, why: "not watched: too many config folders are" });
  for (const [source, known] of monitor.registries) {
    const facts = valueOf(known);
    for (const [why, count] of facts?.skipped ?? []) skipped.push({ source, path: facts?.path ?? source, count, why });
  }
  for (const [spool, { refused }] of monitor.hooks.spools)
    for (const [why, count] of refused) skipped.push({ source: "hooks", path: spool, count, why });
  for (const [source, known] of monitor.sandboxes.lists)
    for (const [why, count] of valueOf(known)?.skipped ?? []) skipped.push({ source, count, why });
  for (const [spool, count] of ofOthers)
    skipped.push({ source: "hooks", path: spool, count, why: "events of a session of another sandbox" });
  skipped.push(...probesSkipped(monitor));
  return bounded(skipped);
}

/** Of too many the rest is told in sums, so that nothing is read over in silence. */
function bounded(skipped: readonly Skipped[]): Skipped[] {
  if (skipped.length <= limits.skippedEntries) return [...skipped];
  const rest = new Map<string, Skipped>();
  for (const { source, count, why } of skipped.slice(limits.skippedEntries)) {
    const key = `${source}\n${why}`;
    rest.set(key, { source, why, count: (rest.get(key)?.count ?? 0) + count });
  }
  return [...skipped.slice(0, limits.skippedEntries), ...[...rest.values()].slice(0, limits.skippedEntries)];
}
