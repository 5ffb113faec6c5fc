// Which of the conversations that other sources know the facts of a spool's session speak of. The mount is the identity:
// what a sandbox' own spool says of a session that is another's is refused. In the shared spool whoever writes there is
// believed as a hint, since what it says of a session is held against that session's process.
import { sessionKey, type SessionKey } from "../../protocol/ids.ts";
import { sharedSpool } from "../../protocol/hookSpool.ts";
import { toldConfigDir } from "./hookConfigDir.ts";
import type { Monitor } from "./monitor.ts";
import { emptySessionDraft, type SessionDraft } from "./sessionDraft.ts";

export interface JoinedHooks {
  readonly drafts: ReadonlyMap<SessionKey, SessionDraft>;
  /** How many sessions of others each spool spoke of. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Joins what hooks told to the drafts, and makes drafts of sessions that only hooks know. */
export function joinHooks(
  monitor: Monitor,
  drafts: ReadonlyMap<SessionKey, SessionDraft>,
  { onlyWatchedFolders }: { readonly onlyWatchedFolders: boolean },
): JoinedHooks {
  const refused = new Map<string, number>();
  if (monitor.hooks.spools.size === 0) return { drafts, refused };
  const byId = new Map<string, SessionDraft[]>();
  for (const draft of drafts.values()) byId.set(draft.id, [...(byId.get(draft.id) ?? []), draft]);
  const all = new Map(drafts);
  for (const [spool, { sessions }] of monitor.hooks.spools) {
    for (const facts of sessions.values()) {
      const told = toldConfigDir(facts);
      const same = byId.get(facts.sessionId) ?? [];
      const own = same.filter((draft) => !isRefused(monitor, spool, draft));
      if (same.length > 0 && own.length === 0) refused.set(spool, (refused.get(spool) ?? 0) + 1);
      const match = own.find(({ configDir }) => configDir === told) ?? (own.length === 1 ? own[0] : undefined);
      if (match !== undefined) {
        // A spool of its own speaks before the shared one.
        if (match.hooks === undefined || spool !== sharedSpool) match.hooks = { spool, facts };
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
  return { drafts: all, refused };
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
