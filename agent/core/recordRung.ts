// What a session record says of the life of a process that is not known: it ends a session only where its own pid
// namespace lacks the pid, by whoever can see that namespace whole, or where it is older than the boot. The ladder is
// `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { Monitor, RecordMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { initialNamespace, instanceOfRecord, recordDomain, type RecordDomain } from "./recordDomain.ts";
import { compareStarts, startOfRecord } from "./recordStart.ts";

export function recordRung(monitor: Monitor, configDir: string, memory: RecordMemory): LivenessVerdict | undefined {
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
