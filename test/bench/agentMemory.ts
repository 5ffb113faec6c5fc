// The agent's memory beside a Node that does nothing.
import type { Bench } from "./benchWorld.ts";
import { against, type Figure } from "./figures.ts";
import { bareNodeBytes, residentBytes } from "./processCost.ts";

const MB = 2 ** 20;
const limitMB = 45;

export async function agentMemory({ agentPid }: Bench): Promise<readonly Figure[]> {
  const bare = (await bareNodeBytes()) / MB;
  const agent = residentBytes(agentPid) / MB;
  return [
    against("agent's memory above a bare Node", agent - bare, limitMB, "MB", `a bare one has ${Math.round(bare)}`),
  ];
}
