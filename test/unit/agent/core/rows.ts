// Rosters of small histories, and what their only row says.
import assert from "node:assert/strict";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { rosterSchema, type Roster, type Session } from "../../../../protocol/roster.ts";
import { observe, second } from "./builders.ts";

export const iso = (at: number): string => new Date(at).toISOString();

export function rosterOf(events: readonly MonitorEvent[], now = second(6), all = false): Roster {
  return rosterSchema.parse(projectRoster(observe(events), { now, all, onlyWatchedFolders: false }));
}

export function only(rows: readonly Session[]): Session {
  const [row] = rows;
  assert.ok(row !== undefined && rows.length === 1, `${rows.length} rows`);
  return row;
}

/** The only row of these events has these fields. */
export function checkRow(
  events: readonly MonitorEvent[],
  expected: Readonly<Record<string, unknown>>,
  now = second(6),
): void {
  const { sessions } = rosterOf(events, now);
  assert.equal(sessions.length, 1);
  const row = sessions[0] as unknown as Record<string, unknown>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, row[key]])), expected);
}
