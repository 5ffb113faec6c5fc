// What this window knows of the agent's roster, as a pure machine. Its one rule: a roster that was heard once is
// kept, with its age, until another one is heard; an agent that is gone, or one that has just begun and has not
// looked yet, never empties it. Sockets and timers are the connection's business.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import type { Roster, RosterChange, Session } from "../../protocol/roster.ts";
import { applyRosterChange, keepUnchanged } from "../../protocol/rosterChange.ts";
import { answersForSession } from "./answers.ts";

export interface LastRoster {
  readonly roster: Roster;
  /** When an agent last said, or confirmed, this roster. */
  readonly heardAt: EpochMs;
}

export type RosterState =
  | { readonly kind: "connecting"; readonly since: EpochMs; readonly last: LastRoster | undefined }
  | {
      readonly kind: "live";
      readonly roster: Roster;
      readonly heardAt: EpochMs;
      readonly connectedAt: EpochMs;
      /** The config folders that this window asked the agent to watch. */
      readonly configDirs: readonly string[];
      /** Rows of an earlier agent on which this one has no answer yet. */
      readonly retained: readonly Session[];
    }
  | {
      readonly kind: "gone";
      readonly last: LastRoster | undefined;
      readonly since: EpochMs;
      readonly cause: string;
      /** Undefined while an attempt is under way. */
      readonly nextAttemptAt: EpochMs | undefined;
    };

export type RosterEvent =
  | { readonly kind: "attempting"; readonly at: EpochMs }
  | {
      readonly kind: "connected";
      readonly at: EpochMs;
      readonly roster: Roster;
      readonly configDirs: readonly string[];
    }
  | { readonly kind: "changed"; readonly at: EpochMs; readonly change: RosterChange }
  /** The whole roster again, asked for. */
  | { readonly kind: "refreshed"; readonly at: EpochMs; readonly roster: Roster }
  /** The agent answered, so that what was heard still holds. */
  | { readonly kind: "alive"; readonly at: EpochMs }
  | { readonly kind: "disconnected"; readonly at: EpochMs; readonly cause: string }
  | {
      readonly kind: "failed";
      readonly at: EpochMs;
      readonly cause: string;
      readonly nextAttemptAt: EpochMs | undefined;
    };

/** @param last what an earlier window left, if it could be read */
export function initialState(now: EpochMs, last: LastRoster | undefined): RosterState {
  return { kind: "connecting", since: now, last };
}

export function reduceRoster(state: RosterState, event: RosterEvent): RosterState {
  switch (event.kind) {
    case "attempting":
      return state.kind === "gone" ? { ...state, nextAttemptAt: undefined } : state;
    case "connected": {
      const last = lastRoster(state)?.roster;
      return withRetained(
        {
          kind: "live",
          roster: last === undefined ? event.roster : keepUnchanged(last, event.roster),
          heardAt: event.at,
          connectedAt: event.at,
          configDirs: event.configDirs,
          retained: [],
        },
        last?.sessions ?? [],
      );
    }
    case "changed":
      if (state.kind !== "live") return state;
      return withRetained(
        { ...state, roster: applyRosterChange(state.roster, event.change), heardAt: event.at },
        state.retained,
      );
    case "refreshed":
      if (state.kind !== "live") return state;
      return withRetained(
        { ...state, roster: keepUnchanged(state.roster, event.roster), heardAt: event.at },
        state.retained,
      );
    case "alive":
      return state.kind === "live" ? { ...state, heardAt: event.at } : state;
    case "disconnected":
    case "failed":
      return {
        kind: "gone",
        last: lastRoster(state),
        since: state.kind === "gone" ? state.since : event.at,
        cause: event.cause,
        nextAttemptAt: event.kind === "failed" ? event.nextAttemptAt : undefined,
      };
    default:
      return unreachable(event);
  }
}

/** The roster to show, whatever its age; undefined where none was ever heard. */
export function lastRoster(state: RosterState): LastRoster | undefined {
  if (state.kind !== "live") return state.last;
  const { roster, retained, heardAt } = state;
  return {
    roster: retained.length === 0 ? roster : { ...roster, sessions: [...roster.sessions, ...retained] },
    heardAt,
  };
}

/** Keeps the earlier rows that the roster does not hold and on which its sources have not answered. */
function withRetained(
  state: Extract<RosterState, { kind: "live" }>,
  earlier: readonly Session[],
): Extract<RosterState, { kind: "live" }> {
  if (earlier.length === 0) return state.retained.length === 0 ? state : { ...state, retained: [] };
  const present = new Set(state.roster.sessions.map((session) => session.key));
  const retained = earlier.filter(
    (session) => !present.has(session.key) && !answersForSession(state.roster, session, state.configDirs),
  );
  return { ...state, retained };
}
