// Says when transcripts move while no process of the agent is found: it runs elsewhere, was killed, or a newer version
// looks different and is not recognised any more. Without a word, that would look like a quiet day for months.
import type { EpochMs } from "../../base/clock.ts";
import type { Session, Skipped } from "../../protocol/roster.ts";
import type { Monitor } from "./monitor.ts";

/** A turn that runs writes this often, tools that take longer aside. */
const movedWithinMs = 10 * 60_000;

export function projectDrift(monitor: Monitor, sessions: readonly Session[], now: EpochMs): Skipped[] {
  // Where nobody could look, its source says so.
  const source = monitor.host.kernelAnswers ? "proc" : "process-table";
  if (monitor.sources.get(source)?.last !== "observed") return [];
  const drifts: Skipped[] = [];
  for (const configDir of monitor.folders.keys()) {
    const rows = sessions.filter((session) => session.configDir === configDir);
    if (rows.some(({ liveness }) => liveness.kind === "live")) continue;
    const moved = rows.filter((row) => movesAlone(row, configDir, now)).length;
    if (moved === 0) continue;
    const transcripts = moved === 1 ? "1 transcript" : `${moved} transcripts`;
    const why = `${transcripts} moved in the middle of a turn, and no process of the agent was found: it was killed, runs elsewhere, or is not recognised`;
    drifts.push({ source, path: configDir, count: moved, why });
  }
  return drifts;
}

/** Only its transcript tells of it, and that a turn runs. */
function movesAlone({ liveness, status }: Session, configDir: string, now: EpochMs): boolean {
  if (liveness.kind !== "unknown" || liveness.source !== `transcripts:${configDir}`) return false;
  return status.kind === "working" && now - Date.parse(liveness.asOf) < movedWithinMs;
}
