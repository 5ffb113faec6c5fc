// The ladder of liveness: process first, then the session's record, then its transcript. `ended` needs a positive
// fact; a rung that cannot tell leaves the row unknown or at what was last known, with its age.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { periods, staleAfterPeriods } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Claim, Monitor, RecordMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import { compareStarts, startOfRecord } from "./recordStart.ts";
import { initialNamespace, instanceOfRecord, recordDomain, type RecordDomain } from "./recordDomain.ts";

export type EndedHow = "exited" | "killed" | "departed" | "rotated";

export interface LivenessVerdict {
  readonly kind: "live" | "ended" | "unknown";
  /** The rung that decided. */
  readonly source: string;
  readonly asOf: EpochMs;
  readonly stale: boolean;
  readonly how: EndedHow | undefined;
  readonly endedAt: EpochMs | undefined;
  readonly says: string;
  /** The process that lives or lived. */
  readonly process: ProcessMemory | undefined;
  /** The start of the first of the processes that live: two may hold one conversation, and each writes its turns. */
  readonly heldSince?: EpochMs | undefined;
}

/** A process instance that held this conversation at some time. */
export interface ClaimOnSession {
  readonly instance: ProcessInstance;
  readonly claim: Claim;
  /** The claim that came after this one, where the process holds another conversation now. */
  readonly next: Claim | undefined;
}

export interface SessionSources {
  readonly configDir: string;
  readonly claims: readonly ClaimOnSession[];
  readonly records: readonly RecordMemory[];
  readonly transcriptSeenAt: EpochMs | undefined;
}

export function decideLiveness(monitor: Monitor, session: SessionSources, now: EpochMs): LivenessVerdict {
  const byProcess = session.claims.flatMap((claim) => processRung(monitor, session, claim, now) ?? []);
  const byRecord = session.records.flatMap((record) => recordRung(monitor, session.configDir, record) ?? []);
  const verdicts = [...byProcess, ...byRecord];
  const allLive = verdicts.filter((verdict) => verdict.kind === "live");
  const live = latest(allLive);
  if (live !== undefined) return { ...live, heldSince: earliestStart(allLive) };
  // A newer record whose process is not known to be gone outlives the end of an earlier process.
  const unknown = latest(verdicts.filter((verdict) => verdict.kind === "unknown"));
  const ended = latest(verdicts.filter((verdict) => verdict.kind === "ended"));
  if (ended !== undefined && (unknown === undefined || unknown.asOf <= ended.asOf)) return ended;
  return unknown ?? transcriptRung(session, now);
}

function earliestStart(verdicts: readonly LivenessVerdict[]): EpochMs | undefined {
  const starts = verdicts.map(({ process }) => process?.facts.startedAt);
  return starts.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.min(a, b)));
}

function latest(verdicts: readonly LivenessVerdict[]): LivenessVerdict | undefined {
  return verdicts.reduce<LivenessVerdict | undefined>(
    (best, verdict) => (best === undefined || verdict.asOf >= best.asOf ? verdict : best),
    undefined,
  );
}

function processRung(
  monitor: Monitor,
  session: SessionSources,
  on: ClaimOnSession,
  now: EpochMs,
): LivenessVerdict | undefined {
  const process = monitor.processes.get(on.instance);
  if (process === undefined) return undefined;
  const { facts, life } = process;
  const name = `process ${facts.pid}`;
  const base = { process, stale: false, how: undefined, endedAt: undefined };
  // Its end is the rotation, whatever becomes of the process later.
  if (on.next !== undefined) {
    return {
      ...base,
      kind: "ended",
      how: "rotated",
      source: `pid-records:${on.next.configDir}`,
      asOf: on.next.since,
      endedAt: on.next.since,
      says: `${name} went on with another conversation`,
    };
  }
  switch (life.kind) {
    case "alive": {
      if (facts.role.kind === "other") {
        // Not recognised is no end: it may be a program that was not seen before.
        return {
          ...base,
          kind: "unknown",
          source: life.source,
          asOf: life.asOf,
          says: `${name} runs a program that is not known to be the agent`,
        };
      }
      const stale = process.unobserved !== undefined || now - life.asOf > staleAfter(life.source);
      return {
        ...base,
        kind: "live",
        source: life.source,
        asOf: life.asOf,
        stale,
        says: `${aliveWords(name, process, stale)}${claimWords(on.claim)}`,
      };
    }
    case "missing":
      return {
        ...base,
        kind: "live",
        source: "process-table",
        asOf: life.aliveAsOf,
        stale: true,
        says: `${name} was missing from one process table; the next one tells${claimWords(on.claim)}`,
      };
    case "gone": {
      const how = endedHow(monitor, session, on.claim, process, life.at);
      return {
        ...base,
        kind: "ended",
        how,
        source: life.source,
        asOf: life.at,
        endedAt: life.at,
        says: `${name} is gone: ${life.because}`,
      };
    }
    default:
      return unreachable(life);
  }
}

function staleAfter(source: "proc" | "process-table"): number {
  return staleAfterPeriods * (source === "proc" ? periods.procMs : periods.processTableMs);
}

/** What stands in for a record, where another process has overwritten it. */
function claimWords({ by }: Claim): string {
  if (by === "hook") return "; it has no record here, and its own hooks name the conversation";
  return by === "transcript"
    ? "; it has no record of its own, and the transcript is one that only this process can have written"
    : "";
}

function aliveWords(name: string, process: ProcessMemory, stale: boolean): string {
  const started = `${name} runs, start ${process.facts.startToken}`;
  if (!stale) return started;
  return `${started}, when last seen; since then: ${process.unobserved?.cause ?? "not asked"}`;
}

const none = "" as ProcessInstance;

/** A session removes its record when it ends in order; one that was killed leaves it. Unknown while the folder cannot be read. */
function endedHow(
  monitor: Monitor,
  session: SessionSources,
  claim: Claim,
  process: ProcessMemory,
  goneAt: EpochMs,
): EndedHow | undefined {
  const folder = monitor.folders.get(session.configDir);
  if (folder === undefined) return undefined;
  const left = [...folder.records.values()].some((memory) => {
    const record = valueOf(memory.known);
    return record !== undefined && monitor.processes.get(instanceOfRecord(monitor, record) ?? none) === process;
  });
  if (left) return "killed";
  // Without a record of its own there is none whose removal could tell.
  if (claim.overwritten || claim.by === "transcript" || claim.by === "hook") return undefined;
  const listing = folder.recordListing;
  return listing.kind === "current" && listing.asOf >= goneAt ? "exited" : undefined;
}

function recordRung(monitor: Monitor, configDir: string, memory: RecordMemory): LivenessVerdict | undefined {
  const record = valueOf(memory.known);
  if (record === undefined || memory.known.kind === "never" || memory.known.kind === "none") return undefined;
  const source = `pid-records:${configDir}`;
  const base = {
    source,
    stale: memory.known.kind === "stale",
    asOf: memory.known.asOf,
    process: undefined,
    how: undefined,
    endedAt: undefined,
  };
  const unknown = (says: string): LivenessVerdict => ({ ...base, kind: "unknown", says });
  const ended = (at: EpochMs, by: string, says: string): LivenessVerdict => ({
    ...base,
    kind: "ended",
    how: "killed",
    source: by,
    asOf: at,
    endedAt: at,
    stale: false,
    says,
  });

  // Its claim speaks for it.
  if (instanceOfRecord(monitor, record) !== undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  const booted = startedBeforeBoot(monitor, record);
  if (domain.kind === "other") {
    const missing = missingFromNamespace(monitor, record, domain, memory.firstReadAt);
    if (missing !== undefined) return ended(missing.at, "proc", missing.says);
    if (booted !== undefined && domain.machine === "same") return ended(booted, "proc", bootWords);
    return unknown("its record is of another pid namespace, where nobody could be asked");
  }
  if (domain.kind === "unnamed")
    return unknown("its record names no pid namespace, so a missing process proves nothing");
  if (record.procStart === undefined)
    return unknown("its record tells no start time, so a process of that pid proves nothing");
  if (!/^\d+$/.test(startOfRecord(monitor.host, record.procStart)))
    return unknown("its record tells the start in a way that cannot be compared here");

  const other = sameOwnPid(monitor, record, memory.firstReadAt);
  if (other !== undefined)
    return ended(other.asOf, "proc", `pid ${record.pid} has another start time: it is another process`);
  const look = monitor.pidLooks.get(record.pid);
  if (look?.look.kind === "gone" && look.at >= memory.firstReadAt)
    return ended(look.at, "proc", `process ${record.pid} is gone: ${look.look.because}`);
  if (booted !== undefined) return ended(booted, "proc", bootWords);
  if (look?.look.kind === "unobserved")
    return unknown(`process ${record.pid} could not be looked at: ${look.look.cause}`);
  return unknown(`process ${record.pid} was not looked at yet`);
}

/** Whether the process that a record speaks of lives. */
export function lifeOfRecord(monitor: Monitor, configDir: string, memory: RecordMemory): "live" | "ended" | "unknown" {
  const record = valueOf(memory.known);
  const instance = record === undefined ? undefined : instanceOfRecord(monitor, record);
  if (instance === undefined) return recordRung(monitor, configDir, memory)?.kind ?? "unknown";
  return monitor.processes.get(instance)?.life.kind === "gone" ? "ended" : "live";
}

/** The boot time is reckoned from a clock that may have been set since. */
const bootSlackMs = 60_000;

const bootWords = "the host was started after this session";

function startedBeforeBoot({ host }: Monitor, { startedAt }: PidRecord): EpochMs | undefined {
  if (host.bootedAt === undefined || startedAt === undefined) return undefined;
  return startedAt < host.bootedAt - bootSlackMs ? host.bootedAt : undefined;
}

function samePidInside(
  monitor: Monitor,
  record: PidRecord,
  namespace: string | undefined,
  readAt: EpochMs,
): { readonly at: EpochMs; readonly says: string } | undefined {
  if (record.procStart === undefined) return undefined;
  for (const { facts, life } of monitor.processes.values()) {
    if (facts.namespace !== namespace || facts.namespacePid !== record.pid || life.kind !== "alive") continue;
    if (compareStarts(monitor.host, record.procStart, facts) === "another" && life.asOf >= readAt)
      return {
        at: life.asOf,
        says: `pid ${record.pid} of its namespace has another start time: it is another process`,
      };
  }
  return undefined;
}

/** Only a pid that its own namespace lacks, by a whole look at it, is an end; a namespace without anybody is one too. */
function missingFromNamespace(
  monitor: Monitor,
  record: PidRecord,
  domain: Extract<RecordDomain, { kind: "other" }>,
  readAt: EpochMs,
): { readonly at: EpochMs; readonly says: string } | undefined {
  const look = domain.namespace === undefined ? undefined : monitor.namespaceLooks.get(domain.namespace);
  if (look === undefined || look.at < readAt || !domain.mayBeOfThisHost) return undefined;
  if (look.pids.size > 0) {
    // The same number on another machine is another namespace.
    if (domain.machine !== "same") return undefined;
    if (look.pids.has(record.pid)) return samePidInside(monitor, record, domain.namespace, readAt);
    return { at: look.at, says: `pid ${record.pid} is missing from its own pid namespace` };
  }
  // From the host's first namespace every other one of this machine is seen.
  if (domain.machine !== "same" || monitor.host.namespace !== initialNamespace) return undefined;
  return { at: look.at, says: "its pid namespace is gone: nobody runs in it on this host" };
}

/** What was seen of the pid before the record was read may be the one that the record's process followed. */
function sameOwnPid(monitor: Monitor, record: PidRecord, readAt: EpochMs): { readonly asOf: EpochMs } | undefined {
  for (const { facts, life } of monitor.processes.values()) {
    if (facts.pid !== record.pid || record.procStart === undefined) continue;
    if (compareStarts(monitor.host, record.procStart, facts) !== "another") continue;
    if (life.kind === "alive" && life.asOf >= readAt) return { asOf: life.asOf };
  }
  return undefined;
}

function transcriptRung(session: SessionSources, now: EpochMs): LivenessVerdict {
  const seen = session.transcriptSeenAt;
  return {
    kind: "unknown",
    source: seen === undefined ? "none" : `transcripts:${session.configDir}`,
    asOf: seen ?? now,
    stale: false,
    how: undefined,
    endedAt: undefined,
    says: "only its transcript is known, which cannot tell whether a process lives",
    process: undefined,
  };
}
