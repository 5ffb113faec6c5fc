// What was read over: files that could not be read, and lines of transcripts that could not be understood.
import { limits } from "../../base/limits.ts";
import type { Skipped } from "../../protocol/roster.ts";
import type { Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";

export function projectSkipped(monitor: Monitor): Skipped[] {
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
  for (const [source, known] of monitor.registries) {
    const facts = valueOf(known);
    for (const [why, count] of facts?.skipped ?? []) skipped.push({ source, path: facts?.path ?? source, count, why });
  }
  return skipped.slice(0, limits.skippedEntries);
}
