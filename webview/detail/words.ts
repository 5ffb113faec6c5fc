// The page's words for what is not a status: how turns and tools ended, who asked, what a mark is.
import type { MarkWhat, TimelineTurn, ToolState, TurnEnd } from "../../protocol/sessionDetail.ts";

export const turnEndWords = {
  running: "running",
  completed: "completed",
  interrupted: "interrupted",
  failed: "failed",
  unmarked: "no end was written",
  abandoned: "abandoned: its process is gone",
} as const satisfies Record<TurnEnd, string>;

export const toolStateWords = {
  open: "open",
  done: "done",
  failed: "failed",
  rejected: "rejected",
  unanswered: "no answer was written",
  abandoned: "abandoned",
} as const satisfies Record<ToolState, string>;

export const markWords = {
  compaction: "Conversation compacted",
  error: "Error",
  retry: "Request tried again",
  "subagents-killed": "Subagents stopped",
} as const satisfies Record<MarkWhat, string>;

/** Undefined where it is a person, which goes without saying, or not told. */
export const askedByWords = {
  person: undefined,
  task: "background task",
  program: "program",
  unknown: undefined,
} as const satisfies Record<TimelineTurn["askedBy"], string | undefined>;

/** "12 tools, 2 open" */
export function toolCountWords(tools: number, open: number, dropped: number): string {
  const all = tools + dropped;
  if (all === 0) return "no tools";
  const counted = `${all} ${all === 1 ? "tool" : "tools"}`;
  return open === 0 ? counted : `${counted}, ${open} open`;
}

/** What of a transcript the timeline does not show, in one sentence; undefined where it shows all. */
export function notShownWords(itemsDropped: number, bytesNotRead: number): string | undefined {
  if (itemsDropped === 0 && bytesNotRead === 0) return undefined;
  const counted =
    itemsDropped === 0 ? "Earlier turns" : `${itemsDropped} earlier ${itemsDropped === 1 ? "turn" : "turns"}`;
  const unread = bytesNotRead === 0 ? "" : ` and what stands in the first ${sizeWords(bytesNotRead)} of the transcript`;
  return itemsDropped === 0
    ? `Turns in the first ${sizeWords(bytesNotRead)} of the transcript are not shown.`
    : `${counted}${unread} are not shown.`;
}

function sizeWords(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024))} KB`;
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
