// As of when a row holds, and why it is older than now: the agent is gone, its sources fell silent, or the row was
// said by an earlier agent. Undefined for what is fresh.
import type { EpochMs } from "../../base/clock.ts";
import type { Sandbox, Session } from "../../protocol/roster.ts";
import type { RosterState } from "./rosterState.ts";

export interface Staleness {
  readonly asOf: EpochMs;
  readonly why: string;
}

export function stalenessOf(state: RosterState, session: Session): Staleness | undefined {
  const sourceAsOf = Date.parse(session.liveness.asOf);
  if (state.kind === "live") {
    if (state.retained.some(({ key }) => key === session.key)) {
      return { asOf: sourceAsOf, why: "said by an earlier agent, not looked at again yet" };
    }
    return session.liveness.stale ? { asOf: sourceAsOf, why: `${session.liveness.source} does not answer` } : undefined;
  }
  const heardAt = state.last?.heardAt ?? sourceAsOf;
  const asOf = session.liveness.stale ? Math.min(sourceAsOf, heardAt) : heardAt;
  return { asOf, why: agentAway(state) };
}

/** The same of a sandbox, whose state its adapter tells. */
export function sandboxStaleness(
  state: RosterState,
  sandbox: Pick<Sandbox, "asOf" | "stale" | "adapter">,
): Staleness | undefined {
  const sourceAsOf = Date.parse(sandbox.asOf);
  if (state.kind === "live") {
    return sandbox.stale ? { asOf: sourceAsOf, why: `${sandbox.adapter} does not answer` } : undefined;
  }
  const heardAt = state.last?.heardAt ?? sourceAsOf;
  return { asOf: sandbox.stale ? Math.min(sourceAsOf, heardAt) : heardAt, why: agentAway(state) };
}

function agentAway(state: Exclude<RosterState, { kind: "live" }>): string {
  return state.kind === "connecting" ? "the agent is not connected yet" : "the agent is gone";
}
