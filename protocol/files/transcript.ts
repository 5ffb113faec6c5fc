// The lines of a coding agent's transcript, `<config>/projects/<slug>/<session id>.jsonl`. The format is internal
// to the agent and changes monthly: only the fields that carry a fact are named, a field of an unexpected
// type counts as not told, an unknown record type is a record without facts.
import { z } from "zod";

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const contentBlockSchema = z
  .object({
    type: z.string(),
    id: text,
    name: text,
    text: text,
    tool_use_id: text,
    is_error: flag,
  })
  .catch({ type: "unreadable" });

const messageSchema = z
  .object({
    id: text,
    model: text,
    stop_reason: z.string().nullable().optional().catch(undefined),
    content: z
      .union([z.string(), z.array(contentBlockSchema)])
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

const toolUseResultSchema = z
  .object({ backgroundTaskId: text, status: text, agentId: text, task_id: text, shell_id: text })
  .optional()
  .catch(undefined);

export const transcriptLineSchema = z.object({
  type: z.string(),
  subtype: text,
  timestamp: text,
  sessionId: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  apiErrorStatus: z.number().optional().catch(undefined),
  error: text,
  cwd: text,
  version: text,
  entrypoint: text,
  message: messageSchema,
  toolUseResult: toolUseResultSchema,
  toolDenialKind: text,
  interruptedMessageId: text,
  rowSource: text,
  origin: z.object({ kind: text }).optional().catch(undefined),
  operation: text,
  content: text,
  customTitle: text,
  agentName: text,
  aiTitle: text,
  lastPrompt: text,
});

export type TranscriptLine = z.output<typeof transcriptLineSchema>;
