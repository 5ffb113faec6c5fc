// One transcript line into the facts it carries about turns: a pure parser, for whoever reads lines in whatever
// order and for whatever purpose; what follows from a run of events is `turns.ts`. Recognised by structure, not by the wording that
// the coding agent shows to people, save the two markers it writes for machines: the interrupt row and the
// task notification. A record without facts yields no events.
import type { EpochMs } from "../../base/clock.ts";
import type { TranscriptLine } from "../../protocol/files/transcript.ts";
import type { StatusWhy } from "../../protocol/roster.ts";
import { latestShownMs } from "../../base/limits.ts";
import { limitReset } from "./limitReset.ts";
import { shortText } from "./shortText.ts";

export type TurnErrorWhy = Extract<StatusWhy, "login" | "billing" | "limit" | "server" | "other">;
export type BackgroundKind = "shell" | "subagent" | "monitor" | "other";

export type TurnEvent =
  | { readonly kind: "prompt"; readonly at: EpochMs }
  | { readonly kind: "sign"; readonly at: EpochMs }
  | { readonly kind: "call"; readonly at: EpochMs; readonly toolUseId: string; readonly tool: string }
  | { readonly kind: "result"; readonly at: EpochMs; readonly toolUseId: string }
  | { readonly kind: "answered"; readonly at: EpochMs }
  | { readonly kind: "turn-ended"; readonly at: EpochMs }
  | { readonly kind: "interrupted"; readonly at: EpochMs }
  | {
      readonly kind: "failed";
      readonly at: EpochMs;
      readonly why: TurnErrorWhy;
      readonly says: string;
      readonly until?: EpochMs;
    }
  | { readonly kind: "background-started"; readonly at: EpochMs; readonly id: string; readonly task: BackgroundKind }
  | { readonly kind: "background-ended"; readonly at: EpochMs; readonly id: string }
  | { readonly kind: "subagents-killed"; readonly at: EpochMs };

const interruptMarker = "[Request interrupted by user";
const notificationMarker = "<task-notification>";
const localCommandMarkers = ["<local-command-", "<command-name>", "<command-message>", "<bash-input>", "<bash-stdout>"];
const finalStopReasons = new Set(["end_turn", "stop_sequence", "refusal"]);

/** @param fallbackAt the time of the record before, for records that carry none */
export function turnEvents(line: TranscriptLine, fallbackAt: EpochMs): readonly TurnEvent[] {
  const at = recordTime(line) ?? fallbackAt;
  switch (line.type) {
    case "user":
      return userEvents(line, at);
    case "assistant":
      return assistantEvents(line, at);
    case "system":
      return systemEvents(line, at);
    case "attachment":
      return taskStatusEvents(line, at);
    case "queue-operation":
      return line.operation === "enqueue" ? endedTasks(line.content ?? "", at) : [];
    default:
      return [];
  }
}

/** Epoch milliseconds of a record's RFC 3339 time; undefined where it has none or an unreadable one. */
export function recordTime(line: TranscriptLine): EpochMs | undefined {
  if (line.timestamp === undefined) return undefined;
  const at = Date.parse(line.timestamp);
  return at >= 0 && at <= latestShownMs ? at : undefined;
}

/** The text of a record that a person or the harness wrote; blocks joined, tool results left out. */
export function recordText(line: TranscriptLine): string {
  return texts(line).join("\n");
}

function texts(line: TranscriptLine): readonly string[] {
  const content = line.message?.content;
  if (content === undefined) return [];
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []));
}

/** A prompt that begins a turn: typed, queued, from a host or a background task; not the agent's own notes. */
export function isPrompt(line: TranscriptLine): boolean {
  if (line.type !== "user" || line.isMeta === true || line.isCompactSummary === true || isInterrupt(line)) return false;
  const content = line.message?.content;
  if (content === undefined) return false;
  if (typeof content !== "string" && content.some((block) => block.type === "tool_result")) return false;
  const text = recordText(line).trimStart();
  return !localCommandMarkers.some((marker) => text.startsWith(marker));
}

/** Rows that the harness wrote; versions that name no writer are believed by the marker alone. */
function isInterrupt(line: TranscriptLine): boolean {
  if (line.rowSource !== undefined && line.rowSource !== "harness") return false;
  if (line.origin?.kind === "human") return false;
  return (
    line.interruptedMessageId !== undefined || texts(line).some((text) => text.trimStart().startsWith(interruptMarker))
  );
}

function userEvents(line: TranscriptLine, at: EpochMs): readonly TurnEvent[] {
  const events: TurnEvent[] = [];
  const content = line.message?.content;
  for (const block of typeof content === "object" ? content : []) {
    if (block.type !== "tool_result" || block.tool_use_id === undefined) continue;
    events.push({ kind: "result", at, toolUseId: block.tool_use_id });
  }
  const result = line.toolUseResult;
  if (result?.backgroundTaskId !== undefined) {
    events.push({ kind: "background-started", at, id: result.backgroundTaskId, task: "shell" });
  }
  if (result?.status === "async_launched" && result.agentId !== undefined) {
    events.push({ kind: "background-started", at, id: result.agentId, task: "subagent" });
  }
  // Other tools name tasks of a to-do list; only a watch comes with a time limit.
  if (result?.taskId !== undefined && result.timeoutMs !== undefined)
    events.push({ kind: "background-started", at, id: result.taskId, task: "monitor" });
  const stopped = result?.task_id ?? result?.shell_id;
  if (stopped !== undefined) events.push({ kind: "background-ended", at, id: stopped });
  if (isInterrupt(line)) events.push({ kind: "interrupted", at });
  else if (isPrompt(line)) events.push(...endedTasks(recordText(line), at), { kind: "prompt", at });
  return events;
}

function assistantEvents(line: TranscriptLine, at: EpochMs): readonly TurnEvent[] {
  if (line.isApiErrorMessage === true) {
    return [failed(line, at)];
  }
  const events: TurnEvent[] = [{ kind: "sign", at }];
  const content = line.message?.content;
  for (const block of typeof content === "object" ? content : []) {
    if (block.type !== "tool_use" || block.id === undefined) continue;
    events.push({ kind: "call", at, toolUseId: block.id, tool: block.name ?? "unnamed" });
  }
  if (line.isAbortedMidStream === true) events.push({ kind: "interrupted", at });
  const stopReason = line.message?.stop_reason;
  if (events.length === 1 && typeof stopReason === "string" && finalStopReasons.has(stopReason)) {
    events.push({ kind: "answered", at });
  }
  return events;
}

function systemEvents(line: TranscriptLine, at: EpochMs): readonly TurnEvent[] {
  switch (line.subtype) {
    case "turn_duration":
      return [{ kind: "turn-ended", at }];
    case "api_error":
      return [{ kind: "sign", at }];
    case "agents_killed":
      return [{ kind: "subagents-killed", at }];
    default:
      return [];
  }
}

/** After a compaction the agent tells anew how its tasks stand. */
function taskStatusEvents(line: TranscriptLine, at: EpochMs): readonly TurnEvent[] {
  const { attachment } = line;
  if (attachment?.type !== "task_status" || attachment.taskId === undefined) return [];
  const id = attachment.taskId;
  if (attachment.status !== "running" && attachment.status !== "pending") return [{ kind: "background-ended", at, id }];
  return [{ kind: "background-started", at, id, task: taskKind(attachment) }];
}

function taskKind({ taskType, shell }: NonNullable<TranscriptLine["attachment"]>): BackgroundKind {
  if (taskType === "local_agent") return "subagent";
  if (taskType !== "local_bash") return "other";
  return shell?.kind === "monitor" ? "monitor" : "shell";
}

function endedTasks(text: string, at: EpochMs): readonly TurnEvent[] {
  if (!text.trimStart().startsWith(notificationMarker)) return [];
  // Several may come in one record. One without a status tells of a task that goes on.
  return text.split(notificationMarker).flatMap((notification): readonly TurnEvent[] => {
    const id = /<task-id>([^<]{1,200})<\/task-id>/.exec(notification)?.[1];
    return id === undefined || !notification.includes("<status>") ? [] : [{ kind: "background-ended", at, id }];
  });
}

function failed(line: TranscriptLine, at: EpochMs): TurnEvent {
  const says = shortText(recordText(line)) ?? "no words";
  const why = errorWhy(line, says);
  const until = why === "limit" ? limitReset(says, at) : undefined;
  return { kind: "failed", at, why, says, ...(until === undefined ? {} : { until }) };
}

/** The kind of failure, from its error code and HTTP status; by its words only where a version tells neither. */
function errorWhy(line: TranscriptLine, says: string): TurnErrorWhy {
  switch (line.error) {
    case "authentication_failed":
    case "oauth_org_not_allowed":
      return "login";
    case "billing_error":
      return "billing";
    case "rate_limit":
      return "limit";
    case "server_error":
    case "overloaded":
      return "server";
    default:
  }
  const status = line.apiErrorStatus;
  if (status === undefined) return line.error === undefined ? whyInWords(says) : "other";
  if (status === 401 || status === 403) return "login";
  if (status === 402) return "billing";
  if (status === 429) return "limit";
  return status >= 500 ? "server" : "other";
}

function whyInWords(says: string): TurnErrorWhy {
  if (/\blimit\b.*(\bresets?\b|\breached\b)/i.test(says)) return "limit";
  if (/\/login\b|invalid api key/i.test(says)) return "login";
  return /credit balance/i.test(says) ? "billing" : "other";
}
