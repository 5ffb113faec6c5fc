// Whose pids a session record speaks of, ours or another pid namespace's, which known process it names, and whether
// another process writes the same file. What follows for a session is `liveness.ts`.
import { unreachable } from "../../base/errors.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { processInstance, type ProcessInstance } from "../../protocol/ids.ts";
import type { HostFacts, Monitor } from "./monitor.ts";
import type { ProcessMemory } from "./processes.ts";
import { startOfRecord, unknownStart } from "./recordStart.ts";

export type RecordDomain =
  | { readonly kind: "own" }
  | {
      readonly kind: "other";
      readonly namespace: string | undefined;
      /** `same`: of this machine by its id; `another`: of one with another id, such as a container's or another host's. */
      readonly machine: "same" | "another" | "unnamed";
      /** False for the first namespace of another machine, which cannot be one of this host's. */
      readonly mayBeOfThisHost: boolean;
    }
  /** Written by a version that names no domain, or ours could not be told. */
  | { readonly kind: "unnamed" };

/** Every Linux host's first pid namespace has this number. */
export const initialNamespace = "4026531836";

export function recordDomain(host: HostFacts, record: PidRecord): RecordDomain {
  if (record.pidDomain === undefined || host.pidDomain === undefined) return { kind: "unnamed" };
  if (record.pidDomain === host.pidDomain) return { kind: "own" };
  const parsed = /^linux:([^:]*):pid:\[(\d+)\]$/.exec(record.pidDomain);
  const machine = machineOf(parsed?.[1], /^linux:([^:]*):/.exec(host.pidDomain)?.[1]);
  const namespace = parsed?.[2];
  const mayBeOfThisHost = namespace !== undefined && (machine === "same" || namespace !== initialNamespace);
  return { kind: "other", namespace, machine, mayBeOfThisHost };
}

function machineOf(id: string | undefined, own: string | undefined): "same" | "another" | "unnamed" {
  if (id === undefined || id === "") return "unnamed";
  return id === own ? "same" : "another";
}

/** The known process that a record speaks of: same namespace, same pid there, same start. */
export function instanceOfRecord(
  monitor: Pick<Monitor, "host" | "processes">,
  record: PidRecord,
): ProcessInstance | undefined {
  if (record.procStart === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  switch (domain.kind) {
    case "own":
    case "unnamed": {
      const start = startOfRecord(monitor.host, record.procStart);
      for (const token of [start, unknownStart]) {
        // Where tables tell no starts the file tells: whoever of the agent has the pid writes it.
        const instance = processInstance(record.pid, token);
        if (monitor.processes.has(instance)) return instance;
      }
      // Without a domain it may be of any namespace here: pid and start tell, if they fit one process only.
      return domain.kind === "own" ? undefined : onlyInstance(monitor, record, () => true);
    }
    case "other":
      if (!domain.mayBeOfThisHost) return undefined;
      return onlyInstance(monitor, record, (namespace) => namespace === domain.namespace);
    default:
      return unreachable(domain);
  }
}

function onlyInstance(
  monitor: Pick<Monitor, "host" | "processes">,
  record: PidRecord,
  isIn: (namespace: string | undefined) => boolean,
): ProcessInstance | undefined {
  const start = record.procStart === undefined ? undefined : startOfRecord(monitor.host, record.procStart);
  let found: ProcessInstance | undefined;
  for (const [instance, { facts }] of monitor.processes) {
    if (facts.namespacePid !== record.pid || facts.startToken !== start || !isIn(facts.namespace)) continue;
    if (found !== undefined) return undefined;
    found = instance;
  }
  return found;
}

/**
 * True where a living session of another pid namespace has the same pid there and may use the same folder: both write
 * one file, so what it says of either may be the other's.
 * @param suspects processes among which those are that have the record's pid in their namespace
 */
export function isContended(
  monitor: Pick<Monitor, "host" | "processes">,
  configDir: string,
  record: PidRecord,
  suspects: Iterable<readonly [ProcessInstance, ProcessMemory]> = monitor.processes,
): boolean {
  const holder = instanceOfRecord(monitor, record);
  const namespace = holder === undefined ? undefined : monitor.processes.get(holder)?.facts.namespace;
  for (const [instance, { facts, life }] of suspects) {
    if (facts.namespacePid !== record.pid || facts.namespace === namespace) continue;
    if (instance === holder || life.kind === "gone" || facts.role.kind !== "session") continue;
    if (facts.configDir === undefined || facts.configDir === configDir) return true;
  }
  return false;
}

type WithPid = ReadonlyMap<number, (readonly [ProcessInstance, ProcessMemory])[]>;
const innerPids = new WeakMap<Monitor["processes"], WithPid>();

/** Processes with this pid in their own namespace. Of a monitor, whose map is never changed; a draft's is. */
export function withInnerPid(
  { processes }: Pick<Monitor, "processes">,
  pid: number,
): readonly (readonly [ProcessInstance, ProcessMemory])[] {
  const known = innerPids.get(processes) ?? byInnerPid(processes);
  innerPids.set(processes, known);
  return known.get(pid) ?? [];
}

function byInnerPid(processes: Monitor["processes"]): WithPid {
  const found = new Map<number, (readonly [ProcessInstance, ProcessMemory])[]>();
  for (const entry of processes) {
    const pid = entry[1].facts.namespacePid;
    const same = found.get(pid);
    if (same === undefined) found.set(pid, [entry]);
    else same.push(entry);
  }
  return found;
}
