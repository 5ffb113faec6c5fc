// What the coding agent notes beside a subagent's transcript, `agent-<id>.meta.json`: what it was started for, by which
// call, and that it finished. Undocumented: a field of an unexpected type counts as not told.
import { z } from "zod";

const name = z.string().max(4096).optional().catch(undefined);

export const subagentMetaSchema = z.object({
  agentType: name,
  description: name,
  /** The call that started it. */
  toolUseId: name,
  /** The subagent that started it; missing where the session itself did. */
  parentAgentId: name,
  finished: z.boolean().optional().catch(undefined),
});

export type SubagentMeta = z.output<typeof subagentMetaSchema>;
