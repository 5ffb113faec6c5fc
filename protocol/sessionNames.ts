// How a person names a session: by its id, the beginning of one, its key, or its pid.
import type { Session } from "./roster.ts";

/** An exact id, key or pid beats the beginning of an id. */
export function findSessions(sessions: readonly Session[], wanted: string): readonly Session[] {
  const exact = sessions.filter(({ id, key, pid }) => id === wanted || key === wanted || String(pid) === wanted);
  return exact.length > 0 || wanted === "" ? exact : sessions.filter(({ id }) => id.startsWith(wanted));
}
