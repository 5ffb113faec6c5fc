// Which of the conversations that other sources know the facts of a spool's session speak of. The mount is the identity:
// what a sandbox' own spool says of a session that is another's is refused. In the shared spool whoever writes there is
// believed as a hint, since what it says of a session is held against that session's process.
import { sessionKey, type SessionKey } from "../../protocol/ids.ts";
import { sharedSpool } from "../../protocol/hookSpool.ts";
import { toldConfigDir } from "./hookConfigDir.ts";
import type { Monitor } from "./monitor.ts";
import { emptySessionDraft, type SessionDraft } from "./sessionDraft.ts";

/** Joins what hooks told to the drafts, and makes drafts of sessions that only hooks know. */
export function joinHooks(
  monitor: Monitor,
  drafts: ReadonlyMap<SessionKey, SessionDraft>,
  { onlyWatchedFolders }: { readonly onlyWatchedFolders: boolean },
): ReadonlyMap<SessionKey, SessionDraft> {
  if (monitor.hooks.spools.size === 0) return drafts;
  const byId = new Map<string, SessionDraft[]>();
  for (const draft of drafts.values()) byId.set(draft.id, [...(byId.get(draft.id) ?? []), draft]);
  const all = new Map(drafts);
  for (const [spool, { sessions }] of monitor.hooks.spools) {
    for (const facts of sessions.values()) {
      const told = toldConfigDir(facts);
      const same = byId.get(facts.sessionId) ?? [];
      const match = same.find(({ configDir }) => configDir === told) ?? (same.length === 1 ? same[0] : undefined);
      if (match !== undefined) {
        if (isRefused(monitor, spool, match) || (match.hooks !== undefined && spool === sharedSpool)) continue;
        match.hooks = { spool, facts };
        continue;
      }
      // What another program wrote that reads the same settings names no process.
      if (same.length > 0 || facts.pid === undefined || told === undefined) continue;
      if (onlyWatchedFolders && spool === sharedSpool && !monitor.folders.has(told)) continue;
      const key = sessionKey(told, facts.sessionId);
      const draft = { ...emptySessionDraft(key, { configDir: told, id: facts.sessionId }), hooks: { spool, facts } };
      all.set(key, draft);
    }
  }
  return all;
}

/** Events that were told of sessions of another sandbox, by spool. */
export function refusedSessions(monitor: Monitor, drafts: Iterable<SessionDraft>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const draft of drafts) {
    for (const [spool, { sessions }] of monitor.hooks.spools)
      if (sessions.has(draft.id) && isRefused(monitor, spool, draft)) counts.set(spool, (counts.get(spool) ?? 0) + 1);
  }
  return counts;
}

function isRefused(monitor: Monitor, spool: string, draft: SessionDraft): boolean {
  if (spool === sharedSpool) return false;
  const recorded = draft.recorded?.sandbox;
  if (recorded !== undefined) return recorded !== spool;
  return draft.claims.some(({ instance, next }) => {
    const process = monitor.processes.get(instance);
    if (process === undefined || next !== undefined || process.life.kind === "gone") return false;
    return process.facts.namespace !== undefined && process.facts.namespace === monitor.host.namespace;
  });
}
