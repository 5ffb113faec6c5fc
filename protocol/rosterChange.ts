// Differences between rosters: what the agent pushes and how a client applies it. Times at which a source was
// only asked again are no difference: a row is pushed when what it says changed, not when it got older.
import { sameJson } from "../base/sameJson.ts";
import type { Evidence, Liveness, Roster, RosterChange, Sandbox, Session, SourceState } from "./roster.ts";

/** Undefined where nothing that a person could see has changed. */
export function diffRosters(before: Roster, after: Roster): RosterChange | undefined {
  const old = new Map(before.sessions.map((session) => [session.key, session]));
  const upsert = after.sessions.filter((session) => {
    const previous = old.get(session.key);
    return previous === undefined || !saysTheSame(previous, session);
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
  const sessions = after.sessions.map(asBefore(before));
  return { ...after, sessions, sandboxes: keepSame(before.sandboxes, after.sandboxes) };
}

/** Gives the row of before where it says the same, else the row itself. */
export function asBefore(before: Pick<Roster, "sessions">): (row: Session) => Session {
  const old = new Map(before.sessions.map((session) => [session.key, session]));
  return (row) => {
    const previous = old.get(row.key);
    return previous !== undefined && saysTheSame(previous, row) ? previous : row;
  };
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

function sandboxContent({ asOf, evidence: _evidence, insideAsOf: _insideAsOf, ...rest }: Sandbox): string {
  // A stale one's age is part of what it says.
  return JSON.stringify([rest, rest.stale ? asOf : ""]);
}

function saysTheSame(before: Session, after: Session): boolean {
  if (before === after) return true;
  for (const key in before)
    if (!judgedApart.has(key) && !sameJson(before[key as keyof Session], after[key as keyof Session])) return false;
  // A key that only the later one has.
  for (const key in after) {
    const field = key as keyof Session;
    if (!judgedApart.has(key) && before[field] === undefined && after[field] !== undefined) return false;
  }
  return sameLiveness(before.liveness, after.liveness) && sameEvidence(before.evidence, after.evidence);
}

/** Those that hold times at which a source was only asked again. */
const judgedApart: ReadonlySet<string> = new Set<keyof Session>(["liveness", "evidence"]);

function sameLiveness(before: Liveness, after: Liveness): boolean {
  const { asOf: _before, ...decided } = before;
  const { asOf: _after, ...decidedNow } = after;
  // A stale row's age is part of what it says.
  return sameJson(decided, decidedNow) && (!after.stale || before.asOf === after.asOf);
}

function sameEvidence(before: readonly Evidence[], after: readonly Evidence[]): boolean {
  if (before.length !== after.length) return false;
  return after.every(({ source, says }, index) => before[index]?.source === source && before[index].says === says);
}
