// What the hand-written reader of a transcript's line takes is what this schema takes, field by field, whatever stands
// there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { readTranscriptLine } from "../../../../protocol/files/transcript.ts";

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

const transcriptLineSchema = z.object({
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

const fields = Object.keys(transcriptLineSchema.shape);
const inner = ["type", "id", "name", "text", "tool_use_id", "is_error", "input", "content", "model", "stop_reason"];
const more = ["backgroundTaskId", "taskId", "timeoutMs", "status", "agentId", "task_id", "shell_id", "taskType"];
const deep = ["shell", "kind", "trigger", "preTokens", "worktreePath", "sessionId"];
const scalar = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constant("x".repeat(4097)),
  fc.boolean(),
  fc.double(),
  fc.constant(null),
  fc.constant([]),
);
const object = (keys: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(fc.constantFrom(...keys), value);
const block = object(inner, scalar);
const value = fc.oneof(
  scalar,
  object(
    [...inner, ...more, ...deep],
    fc.oneof(scalar, object(deep, scalar), fc.array(fc.oneof(scalar, block), { maxLength: 3 })),
  ),
);

describe("a line of a transcript", () => {
  it("is read as its schema reads it", () => {
    fc.assert(
      fc.property(fc.oneof(value, object(fields, value)), (line) => {
        const wanted = transcriptLineSchema.safeParse(line);
        assert.deepEqual(plain(readTranscriptLine(line)), plain(wanted.data));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A field that is not told is the same as one that is not there. */
function plain(line: unknown): unknown {
  return line === undefined ? undefined : JSON.parse(JSON.stringify(line));
}
