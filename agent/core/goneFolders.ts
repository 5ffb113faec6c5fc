// Marks the rows whose folder is gone: a session's own, or the one it began in, from which it would be resumed. A
// folder of another sandbox cannot be judged from here.
import type { Session } from "../../protocol/roster.ts";

/** The folders of these rows that can be looked for on this host. */
export function foldersOf(sessions: readonly Session[]): ReadonlySet<string> {
  const folders = sessions.flatMap((session) => (session.sandbox === null ? [session.cwd, session.startCwd] : []));
  return new Set(folders.filter((folder) => folder !== null));
}

export function markGoneFolder(session: Session, gone: ReadonlySet<string>): Session {
  const isGone = (folder: string | null): boolean => folder !== null && gone.has(folder);
  if (session.sandbox !== null || !(isGone(session.cwd) || isGone(session.startCwd))) return session;
  return { ...session, folderGone: true };
}
