// Which conversation a process holds whose session record another one overwrote: two sandboxes that share a config
// folder share its record names too, so that the second one's record replaces the first one's. Told by what only that
// process can have written: a transcript that goes on from one it held, or the only transcript of its folder that
// began while it ran and that nobody else can have. Between two nothing is guessed. What records and arguments say is
// `claims.ts`, and is believed before this.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Claim, ConfigFolder, Monitor } from "./monitor.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import { isContended, withInnerPid } from "./recordDomain.ts";
import { rotationsTo } from "./rotations.ts";

/** Process starts are reckoned from ticks, transcript times from the clock. */
const slackMs = 2_000;

/** What each process of these holds beyond what `monitor.claims` tells, oldest first. */
export function claimsByTranscript(monitor: Monitor): ReadonlyMap<ProcessInstance, readonly Claim[]> {
  const found = new Map<ProcessInstance, readonly Claim[]>();
  for (const [configDir, folder] of monitor.folders) {
    const free = freeTranscripts(monitor, configDir, folder);
    if (free.length === 0) continue;
    const continued = takeContinuations(monitor, configDir, free, found);
    const rest = takeRotations(monitor, configDir, folder, continued, found);
    takeOnlyOnes(monitor, configDir, rest, found);
  }
  return found;
}

/** Those that no claim names, and no record that is its process' own word. */
function freeTranscripts(monitor: Monitor, configDir: string, folder: ConfigFolder): readonly TranscriptFacts[] {
  const taken = new Set<string>();
  for (const claims of monitor.claims.values())
    for (const claim of claims) if (claim.configDir === configDir) taken.add(claim.id);
  for (const { known } of folder.records.values()) {
    const record = valueOf(known);
    if (record !== undefined && record.spare !== true && !isShared(monitor, configDir, record))
      taken.add(record.sessionId);
  }
  const free: TranscriptFacts[] = [];
  for (const { known } of folder.transcripts.values()) {
    const transcript = valueOf(known);
    if (transcript !== undefined && !taken.has(transcript.id)) free.push(transcript);
  }
  return free;
}

/** What such a record names may be the conversation of whoever else writes it. */
function isShared(monitor: Monitor, configDir: string, record: PidRecord): boolean {
  return isContended(monitor, configDir, record, withInnerPid(monitor, record.pid));
}

/**
 * After `/clear` the lines of the new transcript name the first conversation of their process, and the old file is
 * closed; a fork's name it too, but it leaves the old one open and begins with its lines.
 */
function takeContinuations(
  monitor: Monitor,
  configDir: string,
  free: readonly TranscriptFacts[],
  found: Map<ProcessInstance, readonly Claim[]>,
): readonly TranscriptFacts[] {
  const inOrder = [...free].sort((a, b) => (a.firstRecordAt ?? 0) - (b.firstRecordAt ?? 0));
  const holders = holdersByConversation(monitor, configDir);
  const rest: TranscriptFacts[] = [];
  for (const transcript of inOrder) {
    const { originId } = transcript.fold;
    const instances = (originId === undefined ? undefined : holders.get(originId)) ?? [];
    const [instance] = instances;
    const held =
      instance === undefined ? undefined : [...(monitor.claims.get(instance) ?? []), ...(found.get(instance) ?? [])];
    const last = held?.at(-1);
    if (
      instance === undefined ||
      last === undefined ||
      instances.length > 1 ||
      !goesOnFrom(monitor, last, transcript)
    ) {
      rest.push(transcript);
      continue;
    }
    found.set(instance, [...(found.get(instance) ?? []), claimOf(configDir, transcript)]);
  }
  return rest;
}

function takeRotations(
  monitor: Monitor,
  configDir: string,
  folder: ConfigFolder,
  free: readonly TranscriptFacts[],
  found: Map<ProcessInstance, readonly Claim[]>,
): readonly TranscriptFacts[] {
  const taken = new Set<TranscriptFacts>();
  for (const { instance, from, to } of rotationsTo(monitor, configDir, folder, free)) {
    if (found.has(instance)) continue;
    // Its record goes on to tell how the process fares.
    found.set(instance, [{ ...claimOf(configDir, to), record: from.record }]);
    taken.add(to);
  }
  return free.filter((transcript) => !taken.has(transcript));
}

/** The processes that hold or held a conversation of this folder, by its id. */
function holdersByConversation(monitor: Monitor, configDir: string): ReadonlyMap<string, readonly ProcessInstance[]> {
  const holders = new Map<string, ProcessInstance[]>();
  for (const [instance, claims] of monitor.claims) {
    for (const claim of claims) {
      if (claim.configDir !== configDir) continue;
      const known = holders.get(claim.id);
      if (known === undefined) holders.set(claim.id, [instance]);
      else if (known.at(-1) !== instance) known.push(instance);
    }
  }
  return holders;
}

function goesOnFrom(monitor: Monitor, last: Claim, next: TranscriptFacts): boolean {
  const before = transcriptOf(monitor, last);
  if (before === undefined || !before.fold.closed || next.firstRecordAt === undefined) return false;
  return next.firstRecordAt >= (before.fold.lastRecordAt ?? 0) - slackMs;
}

/** A process and a transcript belong together when each can only be the other's. */
function takeOnlyOnes(
  monitor: Monitor,
  configDir: string,
  free: readonly TranscriptFacts[],
  found: Map<ProcessInstance, readonly Claim[]>,
): void {
  const nameless = [...monitor.processes].filter(
    ([instance, { facts }]) => facts.role.kind === "session" && !monitor.claims.has(instance),
  );
  for (const [instance, memory] of nameless) {
    if (memory.facts.configDir !== configDir) continue;
    const possible = free.filter((transcript) => canHold(memory, transcript));
    const [only] = possible;
    if (only === undefined || possible.length > 1 || !beganIn(memory, only)) continue;
    const rivals = nameless.filter(([other, { facts }]) => other !== instance && mayShare(facts.configDir, configDir));
    if (rivals.some(([, rival]) => canHold(rival, only))) continue;
    found.set(instance, [claimOf(configDir, only)]);
  }
}

/** Wide on purpose, what is not certain counts: it decides between how many there is nothing to choose. */
function canHold({ facts, life }: ProcessMemory, { fold, startCwd }: TranscriptFacts): boolean {
  const { cwd, startedAt } = facts;
  if (cwd !== undefined && cwd !== startCwd && cwd !== fold.lastCwd) return false;
  const written = fold.lastRecordAt;
  if (startedAt === undefined || written === undefined) return true;
  if (written < startedAt - slackMs) return false;
  // The file of a conversation that ended in order is nobody's who lives.
  return life.kind === "gone" ? written <= life.at + slackMs : !fold.closed;
}

/** Narrow on purpose: all of it was written while this process ran in that folder. */
function beganIn({ facts }: ProcessMemory, { firstRecordAt }: TranscriptFacts): boolean {
  if (facts.cwd === undefined || facts.startedAt === undefined || firstRecordAt === undefined) return false;
  return firstRecordAt >= facts.startedAt - slackMs;
}

function mayShare(configDir: string | undefined, other: string): boolean {
  return configDir === undefined || configDir === other;
}

function claimOf(configDir: string, transcript: TranscriptFacts): Claim {
  const since: EpochMs = transcript.firstRecordAt ?? transcript.modifiedAt;
  return { configDir, id: transcript.id, since, by: "transcript", record: undefined, overwritten: false };
}

function transcriptOf(monitor: Monitor, claim: Claim): TranscriptFacts | undefined {
  for (const { known } of monitor.folders.get(claim.configDir)?.transcripts.values() ?? []) {
    const transcript = valueOf(known);
    if (transcript?.id === claim.id) return transcript;
  }
  return undefined;
}
