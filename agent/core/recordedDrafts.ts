// Joins recorded sessions to the conversations that other sources know, by their id, and makes drafts of those that
// only a registry knows. One conversation that is recorded in two sandboxes is two rows: which of them is the one
// that runs cannot be told from its id.
import { sessionKey, type SessionKey } from "../../protocol/ids.ts";
import { recordedSessions, type RecordedSession } from "./recorded.ts";
import type { Monitor } from "./monitor.ts";
import { sandboxOfProcess } from "./sandboxNames.ts";
import { emptySessionDraft, type SessionDraft } from "./sessionDraft.ts";

/** Adds to the drafts that were collected from the other sources. */
export function joinRecorded(
  monitor: Monitor,
  collected: ReadonlyMap<SessionKey, SessionDraft>,
): ReadonlyMap<SessionKey, SessionDraft> {
  const drafts = new Map(collected);
  const byId = new Map<string, SessionDraft[]>();
  for (const draft of collected.values()) {
    const same = byId.get(draft.id);
    if (same === undefined) byId.set(draft.id, [draft]);
    else same.push(draft);
  }
  const asStored = recordedSessions(monitor.registries);
  const firstOf = firstByKey(asStored);
  const recorded = [...asStored].sort((a, b) => presence(b) - presence(a));
  for (const session of recorded) {
    const { entry, sandbox } = session;
    const id = entry.session_id;
    const told = configDirOf(entry.transcript);
    const free = (byId.get(id) ?? []).filter(
      (draft) => draft.recorded === undefined && !runsElsewhere(monitor, draft, sandbox),
    );
    const match = free.find((draft) => draft.configDir === told) ?? free[0];
    if (match !== undefined) {
      match.recorded = session;
      continue;
    }
    const configDir = told ?? "unknown";
    const key = sessionKey(configDir, id);
    const own = collected.has(key) || firstOf.get(key) !== session ? sessionKey(configDir, `${id}@${sandbox}`) : key;
    drafts.set(own, { ...emptySessionDraft(own, { configDir, id }), recorded: session });
  }
  nameNeighbours(monitor, collected);
  return drafts;
}

/** It is known to run in another sandbox, by that one's exact name: whoever is inside may name any conversation. */
function runsElsewhere(monitor: Monitor, { claims, probed }: SessionDraft, recorded: string): boolean {
  const own = claims.flatMap(({ instance, next }) => {
    const process = monitor.processes.get(instance);
    const found =
      process === undefined || next !== undefined ? undefined : sandboxOfProcess(monitor.sandboxes, process.facts);
    return found === undefined || found.listed.derived === true ? [] : [found.name];
  });
  const names = own.length > 0 || probed === undefined ? own : [probed.sandbox];
  return names.length > 0 && !names.includes(recorded);
}

/** The one that stands first keeps the plain key, whichever of them departs: a row's key does not go to another row. */
function firstByKey(recorded: readonly RecordedSession[]): ReadonlyMap<SessionKey, RecordedSession> {
  const first = new Map<SessionKey, RecordedSession>();
  for (const session of recorded) {
    const key = sessionKey(configDirOf(session.entry.transcript) ?? "unknown", session.entry.session_id);
    if (!first.has(key)) first.set(key, session);
  }
  return first;
}

/** A pid namespace in which recorded sessions live has their sandbox's name, unless they disagree. */
function nameNeighbours(monitor: Monitor, drafts: ReadonlyMap<SessionKey, SessionDraft>): void {
  const names = new Map<string, string | undefined>();
  for (const draft of drafts.values()) {
    const namespace = namespaceOf(monitor, draft);
    if (namespace === undefined || draft.recorded === undefined) continue;
    const { sandbox } = draft.recorded;
    names.set(namespace, names.has(namespace) && names.get(namespace) !== sandbox ? undefined : sandbox);
  }
  if (names.size === 0) return;
  for (const draft of drafts.values()) {
    const namespace = draft.recorded === undefined ? namespaceOf(monitor, draft) : undefined;
    if (namespace !== undefined) draft.neighbourSandbox = names.get(namespace);
  }
}

/** The pid namespace of a process that holds it and is not known to be gone, where it is not ours. */
function namespaceOf(monitor: Monitor, { claims }: SessionDraft): string | undefined {
  for (const { instance, next } of claims) {
    const process = monitor.processes.get(instance);
    if (process === undefined || next !== undefined || process.life.kind === "gone") continue;
    const { namespace } = process.facts;
    if (namespace !== undefined && namespace !== monitor.host.namespace) return namespace;
  }
  return undefined;
}

/** What is there before what departed, what began later first. */
function presence({ departedAt, entry }: RecordedSession): number {
  return (departedAt === undefined ? 1e15 : 0) + (entry.started_at_ms ?? 0);
}

/** Its config folder, as far as the place of its transcript tells. */
function configDirOf(transcript: string | undefined): string | undefined {
  return transcript === undefined
    ? undefined
    : /^(.+)[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/.exec(transcript)?.[1];
}
