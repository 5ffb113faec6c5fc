// Whose pids a session record speaks of, ours or another pid namespace's, which known process it names, and whether
// another process writes the same file. What follows for a session is `liveness.ts`.
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { processInstance, type ProcessInstance } from "../../protocol/ids.ts";
import type { HostFacts, Monitor } from "./monitor.ts";

export type RecordDomain =
  | { readonly kind: "own" }
  | { readonly kind: "other"; readonly namespace: string | undefined }
  /** Written by a version that names no domain, or ours could not be told. */
  | { readonly kind: "unnamed" };

export function recordDomain(host: HostFacts, record: PidRecord): RecordDomain {
  if (record.pidDomain === undefined || host.pidDomain === undefined) return { kind: "unnamed" };
  if (record.pidDomain === host.pidDomain) return { kind: "own" };
  return { kind: "other", namespace: /pid:\[(\d+)\]$/.exec(record.pidDomain)?.[1] };
}

/** The known process that a record speaks of: same namespace, same pid there, same start. */
export function instanceOfRecord(
  monitor: Pick<Monitor, "host" | "processes">,
  record: PidRecord,
): ProcessInstance | undefined {
  if (record.procStart === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  if (domain.kind === "own" || domain.kind === "unnamed") {
    const instance = processInstance(record.pid, record.procStart);
    return monitor.processes.has(instance) ? instance : undefined;
  }
  if (domain.namespace === undefined) return undefined;
  for (const [instance, { facts }] of monitor.processes) {
    if (
      facts.namespace === domain.namespace &&
      facts.namespacePid === record.pid &&
      facts.startToken === record.procStart
    )
      return instance;
  }
  return undefined;
}

/**
 * True where a living session of another pid namespace has the same pid there and may use the same folder: both write
 * one file, so what it says of either may be the other's.
 */
export function isContended(
  monitor: Pick<Monitor, "host" | "processes">,
  configDir: string,
  record: PidRecord,
): boolean {
  const holder = instanceOfRecord(monitor, record);
  const namespace = holder === undefined ? undefined : monitor.processes.get(holder)?.facts.namespace;
  for (const [instance, { facts, life }] of monitor.processes) {
    if (instance === holder || life.kind === "gone" || facts.role.kind !== "session") continue;
    if (facts.namespacePid !== record.pid || facts.namespace === namespace) continue;
    if (facts.configDir === undefined || facts.configDir === configDir) return true;
  }
  return false;
}
