// Rosters and rows for the tests of the extension's core, small and with fixed times.
import type { Roster, Session, SourceState } from "../../../../protocol/roster.ts";
import { reduceRoster, initialState, type RosterState } from "../../../../extension/core/rosterState.ts";

export const now = Date.parse("2026-03-01T12:00:00.000Z");
export const configDir = "/home/u/.claude";

export function at(agoMs: number): string {
  return new Date(now - agoMs).toISOString();
}

export function session(id: string, more: Partial<Session> = {}): Session {
  return {
    key: `${configDir}#${id}`,
    id,
    sandbox: null,
    configDir,
    cwd: "/home/u/src/app",
    startCwd: "/home/u/src/app",
    title: `Title of ${id}`,
    agent: "claude-code",
    pid: 4242,
    liveness: { kind: "live", source: "proc", asOf: at(0), stale: false },
    status: { kind: "working", rule: "call-open", since: at(3 * 60_000) },
    openTurns: [],
    background: [],
    subagents: [],
    registry: { recorded: false },
    evidence: [],
    ...more,
  };
}

export function ended(id: string, agoMs: number): Session {
  return session(id, {
    endedAt: at(agoMs),
    liveness: { kind: "ended", source: "proc", asOf: at(agoMs), stale: false, how: "exited" },
    status: { kind: "ended", rule: "session-ended", since: at(agoMs) },
  });
}

export function observed(id: string): SourceState {
  return { id, state: "observed", at: at(0), asOf: at(0) };
}

export function silent(id: string, agoMs?: number): SourceState {
  const asOf = agoMs === undefined ? {} : { asOf: at(agoMs) };
  return { id, state: "unobserved", at: at(0), since: at(agoMs ?? 0), cause: "EIO", ...asOf };
}

export const allSources: readonly SourceState[] = [
  observed("process-table"),
  observed("proc"),
  observed(`pid-records:${configDir}`),
  observed(`transcripts:${configDir}`),
];

export function roster(sessions: readonly Session[], sources: readonly SourceState[] = allSources): Roster {
  return {
    version: 1,
    observedAt: at(0),
    sources: [...sources],
    nodes: [],
    sandboxes: [],
    sessions: [...sessions],
    skipped: [],
  };
}

export function live(told: Roster, agoMs = 0): RosterState {
  const start = initialState(now - agoMs, undefined);
  return reduceRoster(start, { kind: "connected", at: now - agoMs, roster: told, configDirs: [configDir] });
}

export function gone(told: Roster, agoMs: number): RosterState {
  return reduceRoster(live(told, agoMs), {
    kind: "failed",
    at: now - agoMs + 1_000,
    cause: "it closed the connection",
    nextAttemptAt: now + 5_000,
  });
}
