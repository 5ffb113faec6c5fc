// Which terminal a session runs in: the one whose shell is the session's process or its nearest ancestor.
import type { Session } from "../../protocol/roster.ts";

/** Sources that look at this host's own processes, so that a pid of theirs is one of this host. */
const hostSources: ReadonlySet<string> = new Set(["proc", "process-table"]);

/** The process to look for; undefined where its number may be another namespace's, or another process' by now. */
export function hostPidOf({ liveness, pid }: Session): number | undefined {
  return liveness.kind === "live" && hostSources.has(liveness.source) ? pid : undefined;
}

/**
 * @param chain the session's process, its parent, its parent's parent, and so on
 * @param terminalPids the process of each terminal; undefined where it has none
 */
export function nearestTerminal(
  chain: readonly number[],
  terminalPids: readonly (number | undefined)[],
): number | undefined {
  for (const pid of chain) {
    const index = terminalPids.indexOf(pid);
    if (index >= 0) return index;
  }
  return undefined;
}
