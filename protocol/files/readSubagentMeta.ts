// A note beside a subagent's transcript as `subagentMeta.ts` describes it, read by hand.
import type { SubagentMeta } from "./subagentMeta.ts";
import { flagOf, textOf, toldOf, withoutUntold } from "./tolerant.ts";

const nameChars = 4096;

/** Undefined for what is no object. */
export function readSubagentMeta(value: unknown): SubagentMeta | undefined {
  const told = toldOf(value);
  if (told === undefined) return undefined;
  return withoutUntold({
    agentType: textOf(told["agentType"], nameChars),
    description: textOf(told["description"], nameChars),
    toolUseId: textOf(told["toolUseId"], nameChars),
    parentAgentId: textOf(told["parentAgentId"], nameChars),
    finished: flagOf(told["finished"]),
  });
}
