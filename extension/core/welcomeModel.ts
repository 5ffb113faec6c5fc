// What an empty tree means. That there is nothing is said only when every source answered so; a window that cannot
// tell says that it cannot tell.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { coverageOf, type Coverage } from "./answers.ts";
import { lastRoster, type RosterState } from "./rosterState.ts";

/** The literals stand in the manifest's `when` clauses. */
export type Welcome = "sessions" | "none" | "cannot-tell" | "connecting";

/** How long a fresh agent may take for its first look before its silence counts. */
export const firstLookMs = 10_000;

export function welcomeOf(state: RosterState, now: EpochMs): Welcome {
  const shown = lastRoster(state)?.roster;
  if (shown !== undefined && (shown.sessions.length > 0 || shown.sandboxes.length > 0)) return "sessions";
  switch (state.kind) {
    case "connecting":
      return "connecting";
    case "gone":
      return "cannot-tell";
    case "live":
      return emptyMeans(coverageOf(state.roster, state.configDirs), now - state.connectedAt);
    default:
      return unreachable(state);
  }
}

function emptyMeans(coverage: Coverage, connectedMs: number): Welcome {
  switch (coverage.kind) {
    case "answered":
      return "none";
    case "silent":
      // One that has never answered may be looking for the first time.
      if (coverage.silent.some((source) => source.asOf !== undefined)) return "cannot-tell";
      return connectedMs < firstLookMs ? "connecting" : "cannot-tell";
    case "pending":
      return connectedMs < firstLookMs ? "connecting" : "cannot-tell";
    default:
      return unreachable(coverage);
  }
}
