// A timeline while it is folded: its items, and the small steps that change them without touching the others. Which line
// leads to which step is `timeline.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type { MarkWhat, TimelineTurn, ToolState, TurnEnd } from "../../protocol/sessionDetail.ts";

export interface ToolEntry {
  readonly kind: "tool";
  readonly id: string;
  readonly tool: string;
  readonly about: string | undefined;
  readonly since: EpochMs;
  readonly endedAt: EpochMs | undefined;
  readonly state: Exclude<ToolState, "abandoned">;
  readonly backgroundId: string | undefined;
  readonly backgroundEndedAt: EpochMs | undefined;
}

export interface MarkEntry {
  readonly kind: "mark";
  readonly id: string;
  readonly what: MarkWhat;
  readonly at: EpochMs;
  readonly says: string | undefined;
  /** How many of the same kind in a row it stands for. */
  readonly times: number;
}

export interface TurnItem {
  readonly kind: "turn";
  readonly id: string;
  readonly prompt: string | undefined;
  readonly askedBy: TimelineTurn["askedBy"];
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs | undefined;
  readonly end: Exclude<TurnEnd, "abandoned">;
  /** The agent wrote the end itself; else the last message says so, and the turn may go on. */
  readonly marked: boolean;
  readonly entries: readonly (ToolEntry | MarkEntry)[];
  readonly entriesDropped: number;
}

export interface TimelineFold {
  /** In a subagent's own file its lines are what it is about. */
  readonly of: "session" | "subagent";
  readonly items: readonly (TurnItem | MarkEntry)[];
  readonly itemsDropped: number;
  /** Results whose calls stand behind them. */
  readonly earlyResults: ReadonlyMap<string, ToolState>;
  readonly lastAt: EpochMs;
  readonly model: string | undefined;
  readonly skipped: ReadonlyMap<string, number>;
}

export const emptyTimeline: TimelineFold = {
  of: "session",
  items: [],
  itemsDropped: 0,
  earlyResults: new Map(),
  lastAt: 0,
  model: undefined,
  skipped: new Map(),
};

export const emptySubagentTimeline: TimelineFold = { ...emptyTimeline, of: "subagent" };

/** The last item where it is a turn that runs. */
export function current(fold: TimelineFold): TurnItem | undefined {
  const last = fold.items.findLast((item) => item.kind === "turn");
  return last?.end === "running" ? last : undefined;
}

export function hasOpenTool(fold: TimelineFold): boolean {
  return current(fold)?.entries.some((entry) => entry.kind === "tool" && entry.state === "open") ?? false;
}

/** One that waits for its result; a call of an earlier turn with the same id has had its own. */
export function hasTool(fold: TimelineFold, id: string): boolean {
  return fold.items.some(
    (item) =>
      item.kind === "turn" &&
      item.entries.some(
        (entry) => entry.kind === "tool" && entry.id === id && (entry.state === "open" || entry.state === "unanswered"),
      ),
  );
}

/** Items in which nothing changes stay the same values. */
export function changeTools(fold: TimelineFold, change: (tool: ToolEntry) => ToolEntry): TimelineFold {
  const items = fold.items.map((item) => {
    if (item.kind !== "turn") return item;
    const entries = item.entries.map((entry) => (entry.kind === "tool" ? change(entry) : entry));
    return entries.some((entry, index) => entry !== item.entries[index]) ? { ...item, entries } : item;
  });
  return { ...fold, items };
}

export function withEntry(fold: TimelineFold, entry: ToolEntry | MarkEntry): TimelineFold {
  const turn = current(fold);
  if (turn === undefined) return fold;
  const entries = [...turn.entries, entry];
  const over = Math.max(0, entries.length - limits.timelineEntriesPerTurn);
  return replace(fold, turn, {
    ...turn,
    entries: entries.slice(over),
    entriesDropped: turn.entriesDropped + over,
  });
}

export function withItem(fold: TimelineFold, item: TurnItem | MarkEntry): TimelineFold {
  const items = [...fold.items, item];
  const over = Math.max(0, items.length - limits.timelineItems);
  return { ...fold, items: items.slice(over), itemsDropped: fold.itemsDropped + over };
}

export function replace(fold: TimelineFold, before: TurnItem, after: TurnItem): TimelineFold {
  return { ...fold, items: fold.items.map((item) => (item === before ? after : item)) };
}
