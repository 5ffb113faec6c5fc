// Which of a conversation's session records speaks of it: two processes may hold one conversation, each with a record of
// its own, and one that was killed leaves its record behind. What follows from it is `sessionFacts.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { Monitor, RecordMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { lifeOfRecord } from "./recordRung.ts";
import type { SessionDraft } from "./sessionDraft.ts";

export interface NewestRecord {
  readonly record: PidRecord;
  readonly memory: RecordMemory | undefined;
  readonly asOf: EpochMs;
}

/** What one of the processes waits for or does outranks that another of them rests. */
const urgency = ["shell", "busy", "waiting"];

/** While the session lives, that of a process that lives; the most urgent of several, then the newest. */
export function presentRecord(
  monitor: Monitor,
  draft: SessionDraft,
  liveness: LivenessVerdict,
): NewestRecord | undefined {
  if (liveness.kind !== "live") return newestRecord(draft);
  const lives = new Map(draft.records.map((memory) => [memory, lifeOfRecord(monitor, draft.configDir, memory)]));
  const live = draft.records.filter((memory) => lives.get(memory) === "live");
  const records = live.length > 0 ? live : draft.records.filter((memory) => lives.get(memory) === "unknown");
  const claims = draft.claims.filter(({ instance }) => monitor.processes.get(instance)?.life.kind !== "gone");
  const urgent = Math.max(...records.map(urgencyOf));
  return newestRecord({ claims, records: records.filter((memory) => urgencyOf(memory) === urgent) });
}

function urgencyOf({ known }: RecordMemory): number {
  return urgency.indexOf(valueOf(known)?.status ?? "");
}

/** The record on disk, else what a process' claim keeps of one that was removed. */
export function newestRecord(draft: Pick<SessionDraft, "claims" | "records">): NewestRecord | undefined {
  const found: NewestRecord[] = [];
  for (const memory of draft.records) {
    const record = valueOf(memory.known);
    if (record === undefined || memory.known.kind === "never" || memory.known.kind === "none") continue;
    found.push({ record, memory, asOf: memory.known.asOf });
  }
  for (const { claim } of found.length > 0 ? [] : draft.claims) {
    if (claim.record !== undefined) found.push({ record: claim.record, memory: undefined, asOf: claim.since });
  }
  return found.reduce<NewestRecord | undefined>(
    (best, next) => (best === undefined || recordTimeOf(next) >= recordTimeOf(best) ? next : best),
    undefined,
  );
}

function recordTimeOf(found: NewestRecord): EpochMs {
  return found.record.updatedAt ?? found.record.startedAt ?? found.asOf;
}
