// Where `rollcall restore` gets its plan: from the agent, or by observing once in this process.
import { nodeScheduler } from "../base/node/nodeScheduler.ts";
import type { RestorePlan, RestoreSelection } from "../protocol/restore.ts";
import type { CommandIO } from "./command.ts";
import { allDeadlineMs, withAgent, withObserver } from "./rosterSource.ts";

export function planRestore(
  selection: RestoreSelection,
  { once }: { readonly once: boolean },
  io: CommandIO,
): Promise<RestorePlan> {
  if (!once) return withAgent(io, (agent) => agent.request("restore/plan", selection, allDeadlineMs));
  return withObserver(io, async (source) => {
    const { RestorePlanner, restorePlace } = await import("../agent/restorePlanner.ts");
    return new RestorePlanner({ source, scheduler: nodeScheduler, ...restorePlace(io.env) }).plan(selection, io);
  });
}
