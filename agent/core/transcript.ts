// What one transcript tells: turns, folders, titles, and what was read over. A fold over its lines; where the
// reading begins and how bytes arrive is the reader's business (observe/transcriptEnds).
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { readTranscriptLine, type TranscriptLine } from "../../protocol/files/transcript.ts";
import { recordAtEnd } from "./gluedRecord.ts";
import type { LineFold } from "./jsonLines.ts";
import { shortText } from "./shortText.ts";
import { isPrompt, recordText, recordTime, turnEvents, type TurnEvent } from "./transcriptEvents.ts";
import { foldTurns, noTurns, type Turns } from "./turns.ts";

export interface TranscriptFold {
  /** Whose file it is: in a subagent's own file its lines are the turns, in a session's they belong to the subagent. */
  readonly of: "session" | "subagent";
  readonly turns: Turns;
  /** Turns of subagents that older versions wrote into the session's own file, by subagent. */
  readonly sidechains: ReadonlyMap<string, Turns>;
  readonly firstCwd: string | undefined;
  readonly lastCwd: string | undefined;
  readonly firstRecordAt: EpochMs | undefined;
  readonly lastRecordAt: EpochMs | undefined;
  readonly version: string | undefined;
  readonly entrypoint: string | undefined;
  /** The first conversation of the process that wrote the newest line that tells it. */
  readonly originId: string | undefined;
  /** Of the newest prompt, where its version tells it: hooks name turns by it. */
  readonly promptId: string | undefined;
  /** True once its process left it in order, by its exit or `/clear`, until somebody prompts again. */
  readonly closed: boolean;
  readonly titles: TranscriptTitles;
  /** True once a turn's begin or end was seen: nothing before it can still be open. */
  readonly boundarySeen: boolean;
  readonly skipped: ReadonlyMap<string, number>;
  /** The last records that told of turns: one that comes again, as a copied line does, tells nothing new. */
  readonly recent: readonly string[];
}

/** By precedence: a person's own, the agent's, then what can be derived. */
export interface TranscriptTitles {
  readonly custom: string | undefined;
  readonly agent: string | undefined;
  readonly prompt: string | undefined;
}

export const emptyTranscript: TranscriptFold = {
  of: "session",
  turns: noTurns,
  sidechains: new Map(),
  firstCwd: undefined,
  lastCwd: undefined,
  firstRecordAt: undefined,
  lastRecordAt: undefined,
  version: undefined,
  entrypoint: undefined,
  originId: undefined,
  promptId: undefined,
  closed: false,
  titles: { custom: undefined, agent: undefined, prompt: undefined },
  boundarySeen: false,
  skipped: new Map(),
  recent: [],
};

export const emptySubagentTranscript: TranscriptFold = { ...emptyTranscript, of: "subagent" };

export const transcriptLines: LineFold<TranscriptFold> = { line: foldTranscriptLine, skipped: skipTranscriptLine };

/** Older versions named no subagent in its lines. */
const unnamedSubagent = "sidechain";

/** @param line one line without its newline; invalid UTF-8 was replaced by its decoder */
export function foldTranscriptLine(fold: TranscriptFold, line: string): TranscriptFold {
  const text = line.replace(/^\uFEFF/, "").trim();
  if (text === "") return fold;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const second = recordAtEnd(text);
    if (second !== undefined)
      return foldRecord(skipTranscriptLine(fold, "half a record stood before another on its line"), second);
    return skipTranscriptLine(fold, text.includes("\u0000") ? "line holds NUL bytes" : "line is not JSON");
  }
  const record = readTranscriptLine(parsed);
  if (record === undefined) return skipTranscriptLine(fold, "record has no type");
  return foldRecord(fold, record);
}

/** True for a prompt that tells its time: it settles what came before it in its file. */
export function isPromptLine(line: string): boolean {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return false;
  }
  const record = readTranscriptLine(parsed);
  return record !== undefined && record.isSidechain !== true && isPrompt(record) && recordTime(record) !== undefined;
}

export function skipTranscriptLine(fold: TranscriptFold, why: string): TranscriptFold {
  return { ...fold, skipped: new Map(fold.skipped).set(why, (fold.skipped.get(why) ?? 0) + 1) };
}

function foldRecord(fold: TranscriptFold, line: TranscriptLine): TranscriptFold {
  const at = recordTime(line);
  if (line.uuid !== undefined && fold.recent.includes(line.uuid)) return fold;
  if (line.isSidechain === true && fold.of === "session") return foldSidechain(fold, line, at);
  const events = turnEvents(line, at ?? fold.lastRecordAt ?? 0);
  let turns = fold.turns;
  let boundarySeen = fold.boundarySeen;
  let promptId = fold.promptId;
  let closed = fold.closed || line.type === "cost-state";
  for (const event of events) {
    // What the conversation that this one was forked from left open is not this one's.
    if (line.forkedFrom !== undefined && event.kind === "call") continue;
    if (event.kind === "prompt") {
      closed = false;
      promptId = line.promptId;
    }
    boundarySeen ||= isBoundary(event, turns);
    turns = foldTurns(turns, event);
  }
  return {
    of: fold.of,
    turns,
    sidechains: fold.sidechains,
    boundarySeen,
    skipped: fold.skipped,
    recent: line.uuid === undefined || events.length === 0 ? fold.recent : remember(fold.recent, line.uuid),
    firstCwd: fold.firstCwd ?? line.cwd,
    lastCwd: movedTo(line) ?? line.cwd ?? fold.lastCwd,
    firstRecordAt: fold.firstRecordAt ?? at,
    lastRecordAt: at ?? fold.lastRecordAt,
    version: line.version ?? fold.version,
    entrypoint: line.entrypoint ?? fold.entrypoint,
    originId: line.session_id ?? fold.originId,
    promptId,
    closed,
    titles: foldTitles(fold.titles, line),
  };
}

function remember(recent: readonly string[], uuid: string): readonly string[] {
  return [...recent.slice(-limits.recordsRemembered + 1), uuid];
}

/** Where the session works from here on, by the records that tell nothing else. */
function movedTo(line: TranscriptLine): string | undefined {
  switch (line.type) {
    case "relocated":
      return line.relocatedCwd;
    case "worktree-state":
      return line.worktreeSession?.worktreePath;
    default:
      return undefined;
  }
}

function foldSidechain(fold: TranscriptFold, line: TranscriptLine, at: EpochMs | undefined): TranscriptFold {
  const id = line.agentId ?? unnamedSubagent;
  const known = fold.sidechains.get(id);
  if (known === undefined && fold.sidechains.size >= limits.subagentsPerSession)
    return skipTranscriptLine(fold, "line of one subagent too many");
  const turns = turnEvents(line, at ?? fold.lastRecordAt ?? 0).reduce(foldTurns, known ?? noTurns);
  const recent = line.uuid === undefined ? fold.recent : remember(fold.recent, line.uuid);
  return { ...fold, recent, sidechains: new Map(fold.sidechains).set(id, turns) };
}

/**
 * An end alone is none where nothing of its turn was read: that may have failed or been interrupted. Nor is a second end
 * after such a one.
 */
function isBoundary(event: TurnEvent, before: Turns): boolean {
  switch (event.kind) {
    case "prompt":
    case "interrupted":
    case "failed":
      return true;
    case "turn-ended":
      return before.phase.kind === "running" || (before.phase.kind === "ended" && !before.phase.marked);
    default:
      return false;
  }
}

function foldTitles(titles: TranscriptTitles, line: TranscriptLine): TranscriptTitles {
  switch (line.type) {
    case "custom-title":
      return { ...titles, custom: shortText(line.customTitle) ?? titles.custom };
    case "agent-name":
      return { ...titles, agent: shortText(line.agentName) ?? titles.agent };
    case "ai-title":
      return { ...titles, agent: shortText(line.aiTitle) ?? titles.agent };
    case "summary":
      return { ...titles, agent: titles.agent ?? shortText(line.summary) };
    case "last-prompt":
      return { ...titles, prompt: titles.prompt ?? shortText(line.lastPrompt) };
    case "user":
      if (titles.prompt !== undefined || !isPrompt(line)) return titles;
      return { ...titles, prompt: shortText(recordText(line)) };
    default:
      return titles;
  }
}
