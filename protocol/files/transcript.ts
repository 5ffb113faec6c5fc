// The lines of a coding agent's transcript, `<config>/projects/<slug>/<session id>.jsonl`. The format is internal
// to the agent and changes monthly: only the fields that carry a fact are named, a field of an unexpected
// type counts as not told, an unknown record type is a record without facts.
import { z } from "zod";

const text = z.string().optional().catch(undefined);
/** Ids, names and paths; a longer one is none. */
const name = z.string().max(4096).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const contentBlockSchema = z
  .object({
    type: z.string(),
    id: name,
    name,
    text,
    tool_use_id: name,
    is_error: flag,
    /** What a tool was called with; looked at only where a session is watched closely. */
    input: z.unknown().optional(),
  })
  .catch({ type: "unreadable" });

const messageSchema = z
  .object({
    id: name,
    model: name,
    stop_reason: z.string().nullable().optional().catch(undefined),
    content: z
      .union([z.string(), z.array(contentBlockSchema)])
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

const toolUseResultSchema = z
  .object({
    backgroundTaskId: name,
    taskId: name,
    timeoutMs: z.number().optional().catch(undefined),
    status: name,
    agentId: name,
    task_id: name,
    shell_id: name,
  })
  .optional()
  .catch(undefined);

export const transcriptLineSchema = z.object({
  type: z.string(),
  subtype: name,
  uuid: name,
  timestamp: name,
  sessionId: name,
  /** The first conversation of the process that wrote the line: another one after `/clear` and in forks. */
  session_id: name,
  isSidechain: flag,
  agentId: name,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  apiErrorStatus: z.number().optional().catch(undefined),
  error: name,
  cwd: name,
  version: name,
  entrypoint: name,
  message: messageSchema,
  toolUseResult: toolUseResultSchema,
  toolDenialKind: name,
  interruptedMessageId: name,
  compactMetadata: z
    .object({ trigger: name, preTokens: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  rowSource: name,
  attachment: z
    .object({
      type: name,
      taskId: name,
      taskType: name,
      status: name,
      shell: z.object({ kind: name }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  origin: z.object({ kind: name }).optional().catch(undefined),
  operation: name,
  content: text,
  customTitle: text,
  agentName: text,
  aiTitle: text,
  lastPrompt: text,
  summary: text,
  relocatedCwd: name,
  worktreeSession: z.object({ worktreePath: name }).optional().catch(undefined),
  forkedFrom: z.object({ sessionId: name }).optional().catch(undefined),
});

export type TranscriptLine = z.output<typeof transcriptLineSchema>;
