// The ladder's highest rung: what a process that held the conversation says of its life. It ends with its process, or
// when the process went on to another conversation. The ladder is `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { periods, staleAfterPeriods } from "../../base/limits.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { ClaimOnSession, EndedHow, LivenessVerdict, SessionSources } from "./livenessVerdict.ts";
import type { Claim, Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import { instanceOfRecord } from "./recordDomain.ts";

export function processRung(
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
