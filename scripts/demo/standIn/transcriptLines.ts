// The lines of a conversation as Claude Code 2.1.332 writes them, keys and their order included. Pure: ids, places
// and times are handed in; what is said when is the performer's business.
import { agentMark, head, model, stamp, tail, type Envelope, type Place, type TranscriptLine } from "./envelope.ts";

export interface TurnPosition {
  readonly promptId: string;
  readonly promptIndex: number;
  readonly turnIndex: number;
}

/** One answer of the model; its blocks are lines of their own that share its ids. */
export interface Message {
  readonly id: string;
  readonly requestId: string;
  readonly requestRef: string;
  readonly blockIndex: number;
  readonly classifierRequest?: string;
}

export interface Permission {
  readonly decision: "accept";
  readonly source: string;
  readonly grantScope?: string;
  readonly reasonCode?: string;
  readonly reasonType?: string;
}

export const byUser: Permission = {
  decision: "accept",
  source: "user_temporary",
  grantScope: "once",
  reasonCode: "unknown",
};
export const byUserForSession: Permission = { ...byUser, grantScope: "session" };
export const bySettings: Permission = { decision: "accept", source: "config" };
/** Commands are weighed part by part. */
export const commandBySettings: Permission = { ...bySettings, reasonType: "subcommandResults" };

export interface ToolResult {
  readonly toolUseId: string;
  /** The line of the call. */
  readonly callUuid: string;
  readonly content: unknown;
  readonly detail: unknown;
  readonly permission: Permission;
  /** Commands tell whether they failed and whether they ran confined; dialogs and subagents do not. */
  readonly kind: "command" | "dialog" | "subagent";
}

const usage = {
  input_tokens: 100,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
  output_tokens: 12,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: "standard",
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  inference_geo: "",
  iterations: [],
  speed: "standard",
  fallback_credit: null,
};

/** As far as it had been told when the answer was cut off. */
const partialUsage = {
  input_tokens: 100,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
  output_tokens: 1,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  service_tier: "standard",
};

export function promptLine(envelope: Envelope, place: Place, turn: TurnPosition, text: string): TranscriptLine {
  const own = envelope.agentId === undefined;
  return {
    ...head(envelope, place),
    promptId: turn.promptId,
    ...agentMark(envelope),
    type: "user",
    message: { role: "user", content: text },
    ...(own ? {} : { rowSource: "recorded" }),
    ...stamp(place),
    ...(own
      ? {
          permissionMode: "default",
          origin: { kind: "human" },
          promptSource: "typed",
          turnOrigin: "human",
          turnPosition: { promptIndex: turn.promptIndex, turnIndex: turn.turnIndex },
        }
      : {}),
    ...tail(envelope, false),
  };
}

export function notificationLine(
  envelope: Envelope,
  place: Place,
  turn: TurnPosition & { readonly runId: string; readonly sentAt: number },
  text: string,
): TranscriptLine {
  return {
    ...head(envelope, place),
    promptId: turn.promptId,
    type: "user",
    message: { role: "user", content: text },
    ...stamp(place),
    permissionMode: "default",
    origin: { kind: "task-notification", producer: "session-task", runId: turn.runId },
    promptSource: "system",
    sentAtMs: turn.sentAt,
    rowSource: "recorded",
    turnOrigin: "task_notification",
    turnPosition: { promptIndex: turn.promptIndex, turnIndex: turn.turnIndex },
    queueSkipAttachments: true,
    ...tail(envelope, false),
  };
}

export function textLine(
  envelope: Envelope,
  place: Place,
  message: Message,
  text: string,
  stopReason: "end_turn" | "tool_use",
): TranscriptLine {
  return assistantLine(envelope, place, message, { type: "text", text }, stopReason);
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export function callLine(envelope: Envelope, place: Place, message: Message, call: ToolCall): TranscriptLine {
  const block = { type: "tool_use", id: call.id, name: call.name, input: call.input };
  return assistantLine(envelope, place, message, block, "tool_use");
}

function assistantLine(
  envelope: Envelope,
  place: Place,
  message: Message,
  block: Readonly<Record<string, unknown>>,
  stopReason: "end_turn" | "tool_use",
): TranscriptLine {
  return {
    ...head(envelope, place),
    ...agentMark(envelope),
    message: {
      ...answered(message.id, block),
      stop_reason: stopReason,
      stop_sequence: null,
      usage,
      stop_details: null,
    },
    ...(block["type"] === "tool_use" ? { toolInputStreamMs: 4 } : {}),
    ...(message.classifierRequest === undefined ? {} : { serverClassifierRequest: message.classifierRequest }),
    apiBlockIndex: message.blockIndex,
    ...request(message),
    ...(envelope.agentId === undefined ? {} : { attributionAgent: "general-purpose" }),
    type: "assistant",
    ...stamp(place),
    effort: "medium",
    perTurnEffort: "medium",
    madeBy: "model",
    ...tail(envelope, true),
  };
}

/** What had arrived when the user pressed Escape. */
export function abortedLine(envelope: Envelope, place: Place, message: Message, text: string): TranscriptLine {
  return {
    ...head(envelope, place),
    message: {
      ...answered(message.id, { type: "text", text }),
      stop_reason: null,
      stop_sequence: null,
      usage: partialUsage,
    },
    apiBlockIndex: message.blockIndex,
    ...request(message),
    type: "assistant",
    ...stamp(place),
    isAbortedMidStream: true,
    effort: "medium",
    perTurnEffort: "medium",
    madeBy: "model",
    ...tail(envelope, true),
  };
}

export function interruptedLine(
  envelope: Envelope,
  place: Place,
  turn: TurnPosition,
  interruptedMessageId: string,
): TranscriptLine {
  return {
    ...head(envelope, place),
    promptId: turn.promptId,
    type: "user",
    message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
    rowSource: "harness",
    ...stamp(place),
    interruptedMessageId,
    ...tail(envelope, true),
  };
}

function answered(id: string, block: Readonly<Record<string, unknown>>): TranscriptLine {
  return { id, type: "message", role: "assistant", model, content: [block] };
}

function request(message: Message): TranscriptLine {
  return {
    requestId: message.requestId,
    requestRef: message.requestRef,
    requestedModel: model,
    promptCacheRequested: "5m",
  };
}

export function resultLine(envelope: Envelope, place: Place, turn: TurnPosition, result: ToolResult): TranscriptLine {
  const { content, toolUseId } = result;
  const block =
    result.kind === "dialog"
      ? { type: "tool_result", content, tool_use_id: toolUseId }
      : { tool_use_id: toolUseId, type: "tool_result", content };
  const command = result.kind === "command";
  return {
    ...head(envelope, place),
    promptId: turn.promptId,
    ...agentMark(envelope),
    type: "user",
    message: { role: "user", content: [command ? { ...block, is_error: false } : block] },
    ...stamp(place),
    toolUseResult: result.detail,
    ...(command ? { sandboxed: false } : {}),
    sourceToolAssistantUUID: result.callUuid,
    permissionDecision: result.permission,
    ...tail(envelope, true),
  };
}

export interface TurnSum {
  readonly durationMs: number;
  readonly messageCount: number;
  readonly pendingSubagents: number;
}

export function turnEndLine(envelope: Envelope, place: Place, sum: TurnSum): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "system",
    subtype: "turn_duration",
    durationMs: sum.durationMs,
    messageCount: sum.messageCount,
    ...(sum.pendingSubagents === 0 ? {} : { pendingBackgroundAgentCount: sum.pendingSubagents }),
    timestamp: stamp(place)["timestamp"],
    uuid: place.uuid,
    isMeta: false,
    ...tail(envelope, false),
  };
}

export interface ApiError {
  readonly messageId: string;
  readonly requestId: string;
  readonly error: string;
  readonly errorType: string;
  readonly httpStatus: number;
  readonly says: string;
}

/** The model answered with an error, which ends the turn. */
export function apiErrorLine(envelope: Envelope, place: Place, failed: ApiError): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "assistant",
    ...stamp(place),
    message: {
      diagnostics: null,
      id: failed.messageId,
      container: null,
      model: "<synthetic>",
      role: "assistant",
      stop_details: null,
      stop_reason: "stop_sequence",
      stop_sequence: "",
      type: "message",
      usage: {
        output_tokens_details: null,
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        service_tier: null,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        inference_geo: null,
        iterations: null,
        speed: null,
        fallback_credit: null,
      },
      content: [{ type: "text", text: failed.says }],
      context_management: null,
    },
    requestId: failed.requestId,
    error: failed.error,
    isApiErrorMessage: true,
    apiErrorStatus: failed.httpStatus,
    apiErrorType: failed.errorType,
    perTurnEffort: "medium",
    failedResponseHadNoToolCall: true,
    madeBy: "model",
    ...tail(envelope, true),
  };
}
