// The timeline of one conversation: its turns with their tools, in the order of the transcript. A fold over lines that
// takes from `transcriptEvents.ts` what each line means, so that timeline and status never disagree about a turn, and
// adds what is only for looking at. Bounded; whether something open is *abandoned* is decided in `timelineView.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readTranscriptLine, type TranscriptLine } from "../../protocol/files/transcript.ts";
import type { MarkWhat } from "../../protocol/sessionDetail.ts";
import {
  changeTools,
  current,
  emptyTimeline,
  hasOpenTool,
  hasTool,
  replace,
  withEntry,
  withItem,
  type MarkEntry,
  type TimelineFold,
  type TurnItem,
} from "./timelineItems.ts";
import { recordAtEnd } from "./gluedRecord.ts";
import type { LineFold } from "./jsonLines.ts";
import { promptOf } from "./timelinePrompt.ts";
import { toolAbout } from "./toolAbout.ts";
import { recordTime, turnEvents, type TurnEvent } from "./transcriptEvents.ts";

export const timelineLines: LineFold<TimelineFold> = { line: foldTimelineLine, skipped: skipTimelineLine };

/** @param text one line without its newline */
export function foldTimelineLine(fold: TimelineFold, text: string): TimelineFold {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return fold;
  let parsed: unknown;
  try {
    parsed = JSON.parse(trimmed);
  } catch {
    const second = recordAtEnd(trimmed);
    if (second === undefined) return skipTimelineLine(fold, "line is not JSON");
    return foldOwn(skipTimelineLine(fold, "half a record stood before another on its line"), second);
  }
  const record = readTranscriptLine(parsed);
  if (record === undefined) return skipTimelineLine(fold, "record has no type");
  return foldOwn(fold, record);
}

/** A subagent's lines that stand in the main file are its turns, not this one's. */
function foldOwn(fold: TimelineFold, record: TranscriptLine): TimelineFold {
  return record.isSidechain === true && fold.of === "session" ? fold : foldRecord(fold, record);
}

export function skipTimelineLine(fold: TimelineFold, why: string): TimelineFold {
  return { ...fold, skipped: new Map(fold.skipped).set(why, (fold.skipped.get(why) ?? 0) + 1) };
}

function foldRecord(fold: TimelineFold, line: TranscriptLine): TimelineFold {
  const at = recordTime(line) ?? fold.lastAt;
  let next: TimelineFold = { ...fold, lastAt: at, model: modelOf(line) ?? fold.model };
  for (const event of turnEvents(line, fold.lastAt)) next = foldEvent(next, event, line);
  if (line.type !== "system") return next;
  if (line.subtype === "compact_boundary") return withMark(next, line, "compaction", at, compactionWords(line));
  if (line.subtype === "api_error") return withMark(next, line, "retry", at, undefined);
  return next;
}

function foldEvent(fold: TimelineFold, event: TurnEvent, line: TranscriptLine): TimelineFold {
  const { at } = event;
  switch (event.kind) {
    case "prompt":
      return begin(settle(fold, at, "unmarked", true), line, at, promptOf(line));
    case "sign":
      return running(fold, line, at);
    case "call":
      return call(running(fold, line, at), event, line);
    case "result":
      return result(fold, event, line);
    case "answered":
      return hasOpenTool(fold) ? fold : settle(fold, at, "completed", false);
    case "turn-ended":
      return settle(fold, at, "completed", true);
    case "interrupted":
      return settle(fold, at, "interrupted", true);
    case "failed":
      return settle(withMark(running(fold, line, at), line, "error", at, event.says), at, "failed", false);
    case "background-started":
      return fold;
    case "background-ended":
      return changeTools(fold, (tool) =>
        tool.backgroundId === event.id && tool.backgroundEndedAt === undefined
          ? { ...tool, backgroundEndedAt: at }
          : tool,
      );
    case "subagents-killed":
      return withMark(fold, line, "subagents-killed", at, undefined);
    default:
      return unreachable(event);
  }
}

function begin(
  fold: TimelineFold,
  line: TranscriptLine,
  at: EpochMs,
  { prompt, askedBy }: Pick<TurnItem, "prompt" | "askedBy">,
): TimelineFold {
  const turn: TurnItem = {
    kind: "turn",
    id: idOf(fold, line, "turn", at),
    prompt,
    askedBy,
    startedAt: at,
    endedAt: undefined,
    end: "running",
    marked: false,
    entries: [],
    entriesDropped: 0,
  };
  return withItem({ ...fold, earlyResults: emptyTimeline.earlyResults }, turn);
}

/** A sign of a turn: the one that runs, the one whose end was only guessed, else one whose begin was not read. */
function running(fold: TimelineFold, line: TranscriptLine, at: EpochMs): TimelineFold {
  if (current(fold) !== undefined) return fold;
  const last = fold.items.at(-1);
  if (last?.kind === "turn" && !last.marked && last.end !== "unmarked")
    return replace(fold, last, { ...last, end: "running", endedAt: undefined });
  return begin(fold, line, at, { prompt: undefined, askedBy: "unknown" });
}

function settle(fold: TimelineFold, at: EpochMs, end: TurnItem["end"], marked: boolean): TimelineFold {
  const last = fold.items.findLast((item) => item.kind === "turn");
  if (last === undefined) return fold;
  if (last.end !== "running") {
    // The written end of a turn that seemed to be over already.
    const confirmed = marked && last.end === "completed" && !last.marked && end !== "unmarked";
    return confirmed ? replace(fold, last, { ...last, end, endedAt: at, marked: true }) : fold;
  }
  const entries = last.entries.map((entry) =>
    entry.kind === "tool" && entry.state === "open" ? ({ ...entry, state: "unanswered" } as const) : entry,
  );
  return replace(fold, last, { ...last, entries, end, endedAt: end === "unmarked" ? undefined : at, marked });
}

function call(fold: TimelineFold, event: Extract<TurnEvent, { kind: "call" }>, line: TranscriptLine): TimelineFold {
  const known = current(fold)?.entries.some((entry) => entry.kind === "tool" && entry.id === event.toolUseId) ?? false;
  if (known) return fold;
  const content = line.message?.content;
  const block = typeof content === "object" ? content.find(({ id }) => id === event.toolUseId) : undefined;
  const early = fold.earlyResults.get(event.toolUseId);
  return withEntry(fold, {
    kind: "tool",
    id: event.toolUseId,
    tool: event.tool,
    about: toolAbout(block?.input),
    since: event.at,
    endedAt: early === undefined ? undefined : event.at,
    state: early === undefined || early === "abandoned" ? "open" : early,
    backgroundId: undefined,
    backgroundEndedAt: undefined,
  });
}

function result(fold: TimelineFold, event: Extract<TurnEvent, { kind: "result" }>, line: TranscriptLine): TimelineFold {
  const content = line.message?.content;
  const block = typeof content === "object" ? content.find((each) => each.tool_use_id === event.toolUseId) : undefined;
  const state = line.toolDenialKind !== undefined ? "rejected" : block?.is_error === true ? "failed" : "done";
  if (!hasTool(fold, event.toolUseId)) {
    const early = new Map(fold.earlyResults).set(event.toolUseId, state);
    for (const id of early.keys()) if (early.size > limits.timelineEntriesPerTurn) early.delete(id);
    return { ...fold, earlyResults: early };
  }
  const { backgroundTaskId, agentId, status } = line.toolUseResult ?? {};
  const backgroundId = backgroundTaskId ?? (status === "async_launched" ? agentId : undefined);
  return changeTools(fold, (tool) =>
    tool.id === event.toolUseId && (tool.state === "open" || tool.state === "unanswered")
      ? { ...tool, state, endedAt: event.at, backgroundId }
      : tool,
  );
}

/** Within the turn that runs, else between turns; the same again is counted. */
function withMark(
  fold: TimelineFold,
  line: TranscriptLine,
  what: MarkWhat,
  at: EpochMs,
  says: string | undefined,
): TimelineFold {
  const turn = current(fold);
  const mark: MarkEntry = { kind: "mark", id: idOf(fold, line, what, at), what, at, says, times: 1 };
  if (turn === undefined) return withItem(fold, mark);
  const last = turn.entries.at(-1);
  if (last?.kind !== "mark" || last.what !== what || last.says !== says) return withEntry(fold, mark);
  return replace(fold, turn, { ...turn, entries: [...turn.entries.slice(0, -1), { ...last, times: last.times + 1 }] });
}

/** The record's own id, so that a timeline that is read anew has the same ones. */
function idOf(fold: TimelineFold, line: TranscriptLine, what: string, at: EpochMs): string {
  return `${what}:${line.uuid ?? `${at}:${fold.itemsDropped + fold.items.length}`}`;
}

function modelOf(line: TranscriptLine): string | undefined {
  const model = line.type === "assistant" ? line.message?.model : undefined;
  return model === "<synthetic>" ? undefined : model;
}

function compactionWords({ compactMetadata }: TranscriptLine): string | undefined {
  const trigger = compactMetadata?.trigger;
  const tokens = compactMetadata?.preTokens;
  const words = [trigger, ...(tokens === undefined ? [] : [`${tokens} tokens before`])].filter(
    (word) => word !== undefined,
  );
  return words.length === 0 ? undefined : words.join(", ");
}
