// Marks the rows whose folder is gone: a session's own, or the one it began in, from which it would be resumed. A
// folder of another sandbox, or of a process with mounts of its own, cannot be judged from here.
import type { Session } from "../../protocol/roster.ts";

/** The folders of these rows that can be looked for on this host. */
export function foldersOf(sessions: readonly Session[]): ReadonlySet<string> {
  const folders = sessions.flatMap((session) => (session.sandbox === null ? [session.cwd, session.startCwd] : []));
  return new Set(folders.filter((folder) => folder !== null));
}

export function markGoneFolder(session: Session, gone: ReadonlySet<string>): Session {
  if (session.sandbox !== null) return session;
  const { cwd, startCwd } = session;
  const isGone = (cwd !== null && gone.has(cwd)) || (startCwd !== null && gone.has(startCwd));
  if (isGone) return session.folderGone === true ? session : { ...session, folderGone: true };
  if (session.folderGone === undefined) return session;
  const { folderGone: _, ...rest } = session;
  return rest;
}

/** Two texts that name one folder are one project; a row keeps its own text. */
export function nameRealFolder(session: Session, real: ReadonlyMap<string, string>): Session {
  const path = session.sandbox === null && session.startCwd !== null ? real.get(session.startCwd) : undefined;
  if (path === session.realStartCwd) return session;
  if (path !== undefined) return { ...session, realStartCwd: path };
  const { realStartCwd: _, ...rest } = session;
  return rest;
}

/** The folders that an earlier agent found gone, until they are looked for anew. */
export function goneAsRemembered(sessions: readonly Session[]): ReadonlySet<string> {
  return foldersOf(sessions.filter(({ folderGone }) => folderGone === true));
}
