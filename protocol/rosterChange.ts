// Differences between rosters: what the agent pushes and how a client applies it. Times at which a source was
// only asked again are no difference: a row is pushed when what it says changed, not when it got older.
import type { Roster, RosterChange, Sandbox, Session, SourceState } from "./roster.ts";

/** Undefined where nothing that a person could see has changed. */
export function diffRosters(before: Roster, after: Roster): RosterChange | undefined {
  const old = new Map(before.sessions.map((session) => [session.key, session]));
  const upsert = after.sessions.filter((session) => {
    const previous = old.get(session.key);
    return previous === undefined || sessionContent(previous) !== sessionContent(session);
  });
  const kept = new Set(after.sessions.map((session) => session.key));
  const remove = before.sessions.flatMap((session) => (kept.has(session.key) ? [] : [session.key]));
  const sources = changed(before.sources, after.sources, sourceContent) ? after.sources : [];
  const sandboxes = changed(before.sandboxes, after.sandboxes, sandboxContent);
  const skipped = changed(before.skipped, after.skipped, (entry) => JSON.stringify(entry));
  if (upsert.length === 0 && remove.length === 0 && sources.length === 0 && !sandboxes && !skipped) return undefined;
  return {
    observedAt: after.observedAt,
    upsert,
    remove,
    sources,
    ...(sandboxes ? { sandboxes: after.sandboxes } : {}),
    ...(skipped ? { skipped: after.skipped } : {}),
  };
}

export function applyRosterChange(roster: Roster, change: RosterChange): Roster {
  const sessions = new Map(roster.sessions.map((session) => [session.key, session]));
  for (const key of change.remove) sessions.delete(key);
  for (const session of change.upsert) sessions.set(session.key, session);
  return {
    ...roster,
    observedAt: change.observedAt,
    sessions: [...sessions.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    sources: change.sources.length === 0 ? roster.sources : change.sources,
    sandboxes: change.sandboxes === undefined ? roster.sandboxes : keepSame(roster.sandboxes, change.sandboxes),
    skipped: change.skipped ?? roster.skipped,
  };
}

/**
 * A whole roster that follows on another one, with the rows that say the same as before as the same objects: who
 * draws them sees by that what need not be drawn again.
 */
export function keepUnchanged(before: Roster, after: Roster): Roster {
  const old = new Map(before.sessions.map((session) => [session.key, session]));
  const sessions = after.sessions.map((session) => {
    const previous = old.get(session.key);
    return previous !== undefined && sessionContent(previous) === sessionContent(session) ? previous : session;
  });
  return { ...after, sessions, sandboxes: keepSame(before.sandboxes, after.sandboxes) };
}

function keepSame(before: readonly Sandbox[], after: readonly Sandbox[]): Sandbox[] {
  const old = new Map(before.map((sandbox) => [sandbox.name, sandbox]));
  return after.map((sandbox) => {
    const previous = old.get(sandbox.name);
    return previous !== undefined && sandboxContent(previous) === sandboxContent(sandbox) ? previous : sandbox;
  });
}

function changed<T>(before: readonly T[], after: readonly T[], content: (item: T) => string): boolean {
  return before.length !== after.length || after.some((item, index) => content(item) !== content(before[index] as T));
}

function sourceContent({ id, state, since, cause }: SourceState): string {
  return JSON.stringify([id, state, since, cause]);
}

function sandboxContent({ asOf, evidence: _evidence, ...rest }: Sandbox): string {
  // A stale one's age is part of what it says.
  return JSON.stringify([rest, rest.stale ? asOf : ""]);
}

/** A row is compared with the next one again and again while it stays as it is. */
const contents = new WeakMap<Session, string>();

function sessionContent(session: Session): string {
  const known = contents.get(session);
  if (known !== undefined) return known;
  const content = contentOf(session);
  contents.set(session, content);
  return content;
}

function contentOf(session: Session): string {
  const { liveness, evidence, ...rest } = session;
  const { asOf: _asOf, ...decided } = liveness;
  // A stale row's age is part of what it says.
  const age = liveness.stale ? liveness.asOf : "";
  return JSON.stringify([rest, decided, age, evidence.map(({ source, says }) => [source, says])]);
}
