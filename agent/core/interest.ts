// What is worth asking after, by what is known: the pids to look at, the conversations whose transcripts to follow.
// How and when to ask is the observer's.
import type { Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { instanceOfRecord, recordDomain } from "./recordDomain.ts";
import type { ProbedSession } from "./probeMemory.ts";
import type { ListedSandbox } from "./sandboxListing.ts";
import { sandboxOfProcess } from "./sandboxNames.ts";

/** The pids that have to be asked after: of processes that may live, and of records that no process answers yet. */
export function pidsOfInterest(monitor: Monitor): ReadonlySet<number> {
  const pids = new Set<number>();
  for (const { facts, life } of monitor.processes.values()) if (life.kind !== "gone") pids.add(facts.pid);
  for (const { records } of monitor.folders.values()) {
    for (const memory of records.values()) {
      const record = valueOf(memory.known);
      if (record === undefined || recordDomain(monitor.host, record).kind === "other") continue;
      const look = monitor.pidLooks.get(record.pid);
      const settled = look?.look.kind === "gone" && look.at >= memory.firstReadAt;
      if (!settled && instanceOfRecord(monitor, record) === undefined) pids.add(record.pid);
    }
  }
  return pids;
}

/** The pid namespaces, and the pids inside, of records of other namespaces that no known process answers. */
export function namespacesOfInterest(monitor: Monitor): ReadonlyMap<string, ReadonlySet<number>> {
  const wanted = new Map<string, Set<number>>();
  for (const { records, leftAt } of monitor.folders.values()) {
    if (leftAt !== undefined) continue;
    for (const { known } of records.values()) {
      const record = valueOf(known);
      const domain = record === undefined ? undefined : recordDomain(monitor.host, record);
      if (record === undefined || domain?.kind !== "other" || domain.namespace === undefined) continue;
      if (!domain.mayBeOfThisHost || instanceOfRecord(monitor, record) !== undefined) continue;
      const pids = wanted.get(domain.namespace) ?? new Set();
      wanted.set(domain.namespace, pids.add(record.pid));
    }
  }
  return wanted;
}

/** Pid namespaces other than ours in which a session lives or lived. */
export function namespacesOfSessions({ host, processes }: Monitor): ReadonlySet<string> {
  const namespaces = new Set<string>();
  for (const { facts } of processes.values())
    if (facts.role.kind === "session" && facts.namespace !== undefined && facts.namespace !== host.namespace)
      namespaces.add(facts.namespace);
  return namespaces;
}

/** Whether this kernel shows a sandbox' processes, and the config folder of every session that a probe found in it. */
export function showsAllInside(monitor: Monitor, { identity, namespace }: ListedSandbox): boolean {
  if (namespace === undefined) return false;
  const shown = new Set<string>();
  for (const { facts, life } of monitor.processes.values())
    if (life.kind !== "gone" && facts.configDir !== undefined && facts.namespace === namespace)
      shown.add(`${facts.namespacePid}:${facts.startToken}`);
  const { sessions } = monitor.sandboxes.probes.get(identity) ?? { sessions: new Map<string, ProbedSession>() };
  return [...sessions].every(([key, { life }]) => life.kind === "gone" || shown.has(key));
}

/** Containers and pid namespaces in which a session lives and which no list holds. */
export function unlistedSandboxes(monitor: Monitor): ReadonlySet<string> {
  const unlisted = new Set<string>();
  for (const { facts, life } of monitor.processes.values()) {
    if (facts.role.kind !== "session" || life.kind === "gone") continue;
    const { namespace, containers } = facts;
    const isOurs = containers === undefined && (namespace === undefined || namespace === monitor.host.namespace);
    if (isOurs || sandboxOfProcess(monitor.sandboxes, facts) !== undefined) continue;
    unlisted.add(containers?.[0] ?? namespace ?? "");
  }
  return unlisted;
}

/** Conversations that a process or a record names. */
export function namedConversations(monitor: Monitor): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const claims of monitor.claims.values()) for (const { id } of claims) ids.add(id);
  for (const { records } of monitor.folders.values()) {
    for (const memory of records.values()) {
      const record = valueOf(memory.known);
      if (record !== undefined) ids.add(record.sessionId);
    }
  }
  return ids;
}

/** Those of which no transcript is known. */
export function conversationsUnread(monitor: Monitor): ReadonlySet<string> {
  const unread = new Set(namedConversations(monitor));
  for (const { transcripts } of monitor.folders.values()) {
    for (const { known } of transcripts.values()) {
      const transcript = valueOf(known);
      if (transcript !== undefined) unread.delete(transcript.id);
    }
  }
  return unread;
}

/** The config folders that living sessions use. */
export function usedFolders(monitor: Monitor): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { facts, life } of monitor.processes.values())
    if (life.kind !== "gone" && facts.role.kind === "session" && facts.configDir !== undefined)
      folders.add(facts.configDir);
  return folders;
}
