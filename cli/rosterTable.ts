// The roster as a table for people: what needs them first, every row with its age, and below it the sources
// that do not answer. "None" is said only where every source answered.
import { coarseAge, coarseAgo } from "../base/coarseAge.ts";
import type { Roster, Session, SourceState, StatusKind } from "../protocol/roster.ts";
import { statusWords } from "../protocol/statusWords.ts";
import type { CommandIO } from "./command.ts";
import { sandboxLines } from "./sandboxTable.ts";
import { fitWidth, textWidth } from "./textWidth.ts";

const order = {
  "needs-you": 0,
  error: 1,
  working: 2,
  compacting: 2,
  background: 3,
  waiting: 4,
  starting: 5,
  unknown: 6,
  idle: 7,
  ended: 8,
} as const satisfies Record<StatusKind, number>;

const colour = {
  "needs-you": 33,
  error: 31,
  working: 36,
  compacting: 36,
  background: 36,
  waiting: 32,
  starting: 36,
  unknown: 35,
  idle: 0,
  ended: 90,
} as const satisfies Record<StatusKind, number>;

const header = ["STATUS", "SINCE", "TITLE", "FOLDER", "PID", "SESSION"] as const;
const gap = 2;

export interface TableIO extends Pick<CommandIO, "columns" | "colours" | "now"> {
  /** What a person can do where there is no session; it follows the sentence that says so. */
  readonly whenNone?: string;
}

export function rosterTable(roster: Roster, io: TableIO): string {
  const now = io.now();
  const sessions = [...roster.sessions].sort(
    (a, b) => order[a.status.kind] - order[b.status.kind] || compare(a.title, b.title),
  );
  const silent = roster.sources.filter((source) => source.state === "unobserved");
  const body = sessions.length === 0 ? emptyWords(silent, io.whenNone) : table(sessions, io, now);
  const notes = [
    ...sandboxLines(roster, now),
    ...silent.map((source) => silentWords(source, now)),
    ...skippedWords(roster),
  ];
  return `${[body, ...notes].join("\n")}\n`;
}

function table(sessions: readonly Session[], io: Pick<CommandIO, "columns" | "colours">, now: number): string {
  const rows = sessions.map((session) => ({ session, cells: cells(session, now) }));
  const widths = header.map((name, column) =>
    rows.reduce((most, { cells: row }) => Math.max(most, textWidth(row[column] ?? "")), textWidth(name)),
  );
  fit(widths, io.columns);
  const lines = rows.map(({ session, cells: row }) => {
    const text = line(row, widths);
    const code = colour[session.status.kind];
    return io.colours && code !== 0 ? `\u001b[${code}m${text}\u001b[0m` : text;
  });
  return [line(header, widths), ...lines].join("\n");
}

function cells(session: Session, now: number): readonly string[] {
  const { status, liveness, openTurns } = session;
  const open = openTurns.find((turn) => !turn.abandoned)?.tool;
  const doing =
    status.kind === "working" && open !== undefined
      ? `${statusWords(status, liveness)}: ${open}`
      : statusWords(status, liveness);
  const stale = liveness.stale ? ` (stale, ${coarseAgo(now - Date.parse(liveness.asOf))})` : "";
  const since = status.since === undefined ? "" : coarseAge(now - Date.parse(status.since));
  const title = session.sandbox === null ? session.title : `${session.title} [${session.sandbox}]`;
  return [
    `${doing}${stale}`,
    since,
    title,
    session.cwd ?? "?",
    session.pid === undefined ? "" : String(session.pid),
    shortId(session.id),
  ];
}

function shortId(id: string): string {
  return id.startsWith("proc:") ? id : id.slice(0, 8);
}

/** Takes what is too much from title and folder, the two that may be cut. */
function fit(widths: number[], columns: number | undefined): void {
  if (columns === undefined) return;
  const floor = 12;
  for (const column of [3, 2]) {
    const excess = widths.reduce((sum, value) => sum + value, 0) + gap * (widths.length - 1) - columns;
    const current = widths[column] ?? 0;
    if (excess > 0) widths[column] = Math.max(Math.min(current, floor), current - excess);
  }
}

function line(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => fitWidth(cell, widths[column] ?? 0, column === 3 ? "end" : "start"))
    .join(" ".repeat(gap))
    .trimEnd();
}

function emptyWords(silent: readonly SourceState[], whenNone: string | undefined): string {
  if (silent.length > 0)
    return 'Cannot tell whether there are sessions: not every source answers. "rollcall doctor" checks what is wrong.';
  return ["No sessions: every source answered.", ...(whenNone === undefined ? [] : [whenNone])].join("\n");
}

function silentWords(source: SourceState, now: number): string {
  const since = source.since === undefined ? "" : ` since ${source.since}`;
  const last =
    source.asOf === undefined ? "it never answered" : `last answer ${coarseAgo(now - Date.parse(source.asOf))}`;
  return `stale: ${source.id}${since}: ${source.cause ?? "no answer"}; ${last}`;
}

function skippedWords(roster: Roster): readonly string[] {
  return roster.skipped.map(
    (skipped) => `read over: ${skipped.count} of ${skipped.path ?? skipped.source}: ${skipped.why}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
