// What a session's page can be told: how this window stands with the agent, and, where the agent has not told the
// detail, the row of the last roster that was heard.
import { unreachable } from "../../base/errors.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import type { AgentLink } from "../../protocol/webviewApi.ts";
import { lastRoster, type RosterState } from "./rosterState.ts";

export function agentLink(state: RosterState): AgentLink {
  switch (state.kind) {
    case "connecting":
      return { state: "connecting" };
    case "live":
      return { state: "live", heardAt: state.heardAt };
    case "gone": {
      const heardAt = state.last?.heardAt;
      return { state: "gone", since: state.since, cause: state.cause, ...(heardAt === undefined ? {} : { heardAt }) };
    }
    default:
      return unreachable(state);
  }
}

/** Undefined where no roster that was heard holds the session. */
export function detailFromRoster(state: RosterState, key: string): SessionDetail | undefined {
  const last = lastRoster(state);
  const session = last?.roster.sessions.find((each) => each.key === key);
  if (last === undefined || session === undefined) return undefined;
  return {
    version: 1,
    key,
    observedAt: last.roster.observedAt,
    session,
    sources: last.roster.sources,
    timeline: {
      state: "unreadable",
      at: last.roster.observedAt,
      cause: "the agent, which reads it, has not been reached yet",
    },
  };
}
