// What watching costs while nothing happens: the agent's time on a processor and its children's.
import type { Bench } from "./benchWorld.ts";
import { against, type Figure } from "./figures.ts";
import { cpuMs } from "./processCost.ts";

/** What the start made the machine compile and clear is over by then. */
const settleMs = 45_000;
const measuredMs = 60_000;
const limitPercent = 0.5;

export async function idleCost({ agentPid, corpus }: Bench): Promise<readonly Figure[]> {
  await passed(settleMs);
  const before = cpuMs(agentPid);
  await passed(measuredMs);
  const percent = ((cpuMs(agentPid) - before) / measuredMs) * 100;
  return [against(`agent and its children, ${corpus.live.length} idle sessions`, percent, limitPercent, "% of a core")];
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
