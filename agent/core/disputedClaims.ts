// Claims that rest on a record which another process may have changed. Two sandboxes that share a config folder and have
// the same pid inside write one file: the last one to start wrote it whole, and a `/clear` of either replaces the
// conversation in it. Who sees that record for the first time only afterwards believes it where something else agrees,
// or where nobody was there to change it; between two nothing is guessed. What was seen to change is `claims.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import { emptyFolder, type Claim, type ConfigFolder, type Monitor } from "./monitor.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import { withInnerPid } from "./recordDomain.ts";

/** Process starts are reckoned from ticks, the times of records and transcripts from the clock. */
const slackMs = 2_000;

/** The same, without the claims that another process may have made. */
export function withoutDisputed(monitor: Monitor): Monitor {
  const claims = new Map<ProcessInstance, readonly Claim[]>();
  let disputed = false;
  for (const [instance, held] of monitor.claims) {
    const process = monitor.processes.get(instance);
    const kept = process === undefined ? held : held.filter((claim) => !isDisputed(monitor, process, claim));
    disputed ||= kept.length < held.length;
    if (kept.length > 0) claims.set(instance, kept);
  }
  return disputed ? { ...monitor, claims } : monitor;
}

function isDisputed(monitor: Monitor, process: ProcessMemory, claim: Claim): boolean {
  const { record } = claim;
  if (claim.by !== "record" || record === undefined || claim.asStarted === true) return false;
  const others = withInnerPid(monitor, record.pid).flatMap(([, other]) =>
    mayHaveWritten(other, process, claim) ? [other] : [],
  );
  if (others.length === 0 || argumentsName(process, claim.id)) return false;
  const transcripts = transcriptsOf(monitor, claim.configDir);
  const own = transcripts.get(claim.id);
  const origin = own?.fold.originId;
  const isFirst = origin === undefined || origin === claim.id;
  if (!isFirst && argumentsName(process, origin)) return false;
  if (own !== undefined && origin === claim.id && startedBefore(process, own.firstRecordAt)) return false;
  const before = isFirst
    ? [...transcripts.values()].filter((transcript) => wasLeft(transcript, process, claim))
    : [transcripts.get(origin)];
  return others.some(
    (other) =>
      before.some((transcript) => mayHaveHeld(other, transcript)) &&
      !isElsewhere(monitor, transcripts, other, process, claim),
  );
}

/** A session of another pid namespace with the same pid there, which lived when the record came to name this. */
function mayHaveWritten(other: ProcessMemory, process: ProcessMemory, { configDir, record, since }: Claim): boolean {
  const { facts, life } = other;
  if (facts.namespace === process.facts.namespace || facts.role.kind !== "session") return false;
  if (facts.configDir !== undefined && facts.configDir !== configDir) return false;
  if (life.kind === "gone" && life.at < (process.facts.startedAt ?? 0)) return false;
  return startedBefore(other, Math.min(since, record?.updatedAt ?? since));
}

/** In order, as by `/clear`, between the start that wrote the record whole and its reading. */
function wasLeft({ id, fold, modifiedAt }: TranscriptFacts, { facts }: ProcessMemory, claim: Claim): boolean {
  if (id === claim.id || !fold.closed || modifiedAt > claim.since + slackMs) return false;
  return modifiedAt >= (facts.startedAt ?? 0) - slackMs;
}

/** Wide on purpose: a conversation begun before may have been resumed. */
function mayHaveHeld(other: ProcessMemory, transcript: TranscriptFacts | undefined): boolean {
  if (transcript === undefined) return true;
  return worksIn(other, transcript) && startedBefore(other, transcript.fold.lastRecordAt);
}

/** It holds another conversation, which it began before the record's process ran and nobody else can hold. */
function isElsewhere(
  monitor: Monitor,
  transcripts: ReadonlyMap<string, TranscriptFacts>,
  rival: ProcessMemory,
  process: ProcessMemory,
  { id, configDir }: Claim,
): boolean {
  const start = process.facts.startedAt;
  return [...transcripts.values()].some((transcript) => {
    const { fold, firstRecordAt } = transcript;
    if (transcript.id === id || fold.closed || fold.originId !== transcript.id || !worksIn(rival, transcript))
      return false;
    if (firstRecordAt === undefined || start === undefined || firstRecordAt >= start - slackMs) return false;
    if (rival.facts.startedAt === undefined || !startedBefore(rival, firstRecordAt)) return false;
    return ![...monitor.processes.values()].some(
      (other) =>
        other !== rival &&
        other !== process &&
        other.facts.role.kind === "session" &&
        (other.facts.configDir === undefined || other.facts.configDir === configDir) &&
        worksIn(other, transcript) &&
        startedBefore(other, firstRecordAt),
    );
  });
}

function worksIn({ facts }: ProcessMemory, { startCwd, fold }: TranscriptFacts): boolean {
  return facts.cwd === undefined || startCwd === undefined || facts.cwd === startCwd || facts.cwd === fold.lastCwd;
}

/** Also where a time is not told. */
function startedBefore({ facts }: ProcessMemory, at: EpochMs | undefined): boolean {
  return facts.startedAt === undefined || at === undefined || facts.startedAt <= at + slackMs;
}

function argumentsName({ facts }: ProcessMemory, id: string | undefined): boolean {
  return facts.role.kind === "session" && id !== undefined && facts.role.conversationId === id;
}

type ById = ReadonlyMap<string, TranscriptFacts>;
const byIds = new WeakMap<ConfigFolder["transcripts"], ById>();

function transcriptsOf(monitor: Monitor, configDir: string): ById {
  const { transcripts } = monitor.folders.get(configDir) ?? emptyFolder;
  const known = byIds.get(transcripts) ?? byId(transcripts);
  byIds.set(transcripts, known);
  return known;
}

function byId(transcripts: ConfigFolder["transcripts"]): ById {
  const found = new Map<string, TranscriptFacts>();
  for (const { known } of transcripts.values()) {
    const transcript = valueOf(known);
    if (transcript !== undefined) found.set(transcript.id, transcript);
  }
  return found;
}
