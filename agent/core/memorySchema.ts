// The shape of what an agent leaves for the next one. Apart from what is made of it, `memory.ts`: who only observes once
// needs neither this schema nor the long one of a row.
import { z } from "zod";
import { pidRecordSchema } from "../../protocol/files/pidRecord.ts";
import { sandboxSchema, sessionSchema } from "../../protocol/roster.ts";
import { statusHistorySchema } from "../../protocol/sessionDetail.ts";

const optionalText = z.string().optional();
const processSchema = z.object({
  instance: z.string(),
  pid: z.number().int().positive(),
  startToken: z.string(),
  startedAt: z.number().optional(),
  ppid: z.number().int().optional(),
  namespace: optionalText,
  namespacePid: z.number().int().positive(),
  conversationId: optionalText,
  cwd: optionalText,
  configDir: optionalText,
  hasOtherMounts: z.boolean().optional(),
  containers: z.array(z.string()).readonly().optional(),
  aliveAsOf: z.number(),
  gone: z.object({ at: z.number(), source: z.enum(["proc", "process-table"]), because: z.string() }).optional(),
});
const claimSchema = z.object({
  configDir: z.string(),
  id: z.string(),
  since: z.number(),
  by: z.enum(["record", "arguments", "transcript", "hook"]),
  record: pidRecordSchema.optional(),
  overwritten: z.boolean().optional(),
  asStarted: z.boolean().optional(),
});

const sandboxListSchema = z.object({
  source: z.templateLiteral(["sandboxes:", z.string()]),
  asOf: z.number(),
  sandboxes: z
    .array(
      z.object({
        identity: z.string(),
        name: z.string(),
        adapter: z.string(),
        state: sandboxSchema.shape.state,
        says: z.string(),
        title: optionalText,
        derived: z.boolean().optional(),
        namespace: optionalText,
        run: optionalText,
      }),
    )
    .readonly(),
});

export const agentMemorySchema = z.object({
  version: z.literal(1),
  writtenAt: z.number(),
  bootId: optionalText,
  namespace: optionalText,
  processes: z.array(processSchema),
  claims: z.array(z.object({ instance: z.string(), claims: z.array(claimSchema) })),
  sessions: z.array(sessionSchema),
  /** Missing in what an agent wrote before it kept them. */
  histories: z.array(z.tuple([z.string(), statusHistorySchema])).optional(),
  /** Each adapter's last list; missing likewise. */
  sandboxLists: z.array(sandboxListSchema).readonly().optional(),
});
export type AgentMemory = z.output<typeof agentMemorySchema>;
