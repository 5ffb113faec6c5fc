// What the spools told: by spool, then by session, and what of them was read over. The spool's name is the sandbox'
// identity where that has a mount of its own. Which conversation a session's facts speak of is `hookSessions.ts`.
import { limits } from "../../base/limits.ts";
import type { HookEvent } from "../../protocol/files/hookEvent.ts";
import { addHookEvents, type HookFacts } from "./hookFacts.ts";

export interface HookKnowledge {
  readonly spools: ReadonlyMap<string, HookSpool>;
}

export interface HookSpool {
  readonly sessions: ReadonlyMap<string, HookFacts>;
  /** What was refused, by why. */
  readonly refused: ReadonlyMap<string, number>;
}

export const noHooks: HookKnowledge = { spools: new Map() };

const tooManySessions = "an event of one session too many";

export interface SpoolRead {
  readonly spool: string;
  readonly events: readonly HookEvent[];
  readonly refused: ReadonlyMap<string, number>;
}

export function foldSpool(known: HookKnowledge, { spool: name, events, refused }: SpoolRead): HookKnowledge {
  if (events.length === 0 && refused.size === 0) return known;
  const before = known.spools.get(name);
  const bySession = new Map<string, HookEvent[]>();
  for (const event of events) {
    const same = bySession.get(event.sessionId);
    if (same === undefined) bySession.set(event.sessionId, [event]);
    else same.push(event);
  }
  const sessions = new Map(before?.sessions);
  const counts = new Map(before?.refused);
  for (const [why, count] of refused) add(counts, why, count);
  for (const [id, of] of bySession) {
    const facts = addHookEvents(sessions.get(id), of);
    if (facts !== undefined) sessions.set(id, facts);
  }
  for (const { sessionId } of oldest(sessions, limits.hookSessionsPerSpool)) {
    sessions.delete(sessionId);
    add(counts, tooManySessions, bySession.get(sessionId)?.length ?? 0);
  }
  return { ...known, spools: new Map(known.spools).set(name, { sessions, refused: counts }) };
}

/** Those beyond the bound that were heard of longest ago. */
function oldest(sessions: ReadonlyMap<string, HookFacts>, most: number): readonly HookFacts[] {
  if (sessions.size <= most) return [];
  return [...sessions.values()].sort((a, b) => a.last.at - b.last.at).slice(0, sessions.size - most);
}

function add(counts: Map<string, number>, why: string, count: number): void {
  if (count > 0 && (counts.has(why) || counts.size < limits.hookNotesPerKind * 4))
    counts.set(why, (counts.get(why) ?? 0) + count);
}
