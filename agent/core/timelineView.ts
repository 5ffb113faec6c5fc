// The timeline as a client sees it: what is still open belongs to the process that lives now, or is abandoned. The
// row's own verdicts decide, so that the page never says of a turn what its row denies.
import type { EpochMs } from "../../base/clock.ts";
import type { Session } from "../../protocol/roster.ts";
import type {
  ReadTimeline,
  SubagentTool,
  TimelineItem,
  TimelineMark,
  TimelineTool,
  ToolState,
} from "../../protocol/sessionDetail.ts";
import { iso } from "./isoTime.ts";
import { subagentTools, type SubagentTimeline, type SubagentTools } from "./subagentTools.ts";
import type { MarkEntry, TimelineFold, ToolEntry, TurnItem } from "./timelineItems.ts";
import { isEarlier } from "./turnsOfProcess.ts";

export function timelineItems(
  fold: TimelineFold,
  subagents: readonly SubagentTimeline[],
  session: Session,
  now: EpochMs,
): ReadTimeline["items"] {
  const view: View = {
    now,
    below: subagentTools(subagents),
    ended: session.liveness.kind === "ended",
    startedAt: session.startedAt === undefined ? undefined : Date.parse(session.startedAt),
    turnIsOver: session.status.kind === "waiting" || session.status.kind === "idle",
  };
  return fold.items.map((item): TimelineItem => (item.kind === "turn" ? turn(item, view) : mark(item, view)));
}

interface View {
  /** What subagents did, by the call that started them. */
  readonly below: ReadonlyMap<string, SubagentTools>;
  readonly now: EpochMs;
  readonly ended: boolean;
  readonly startedAt: EpochMs | undefined;
  /** By the row's status, whatever the transcript lacks. */
  readonly turnIsOver: boolean;
}

function turn(item: TurnItem, view: View): Extract<TimelineItem, { kind: "turn" }> {
  const lastSignAt = Math.max(item.startedAt, ...item.entries.map(entryAt));
  const end =
    item.end !== "running"
      ? item.end
      : isAbandoned(lastSignAt, view)
        ? "abandoned"
        : view.turnIsOver
          ? "unmarked"
          : "running";
  return {
    kind: "turn",
    id: item.id,
    ...(item.prompt === undefined ? {} : { prompt: item.prompt }),
    askedBy: item.askedBy,
    startedAt: at(item.startedAt, view),
    ...(item.endedAt === undefined ? {} : { endedAt: at(item.endedAt, view) }),
    end,
    entries: item.entries.map((entry) => (entry.kind === "tool" ? tool(entry, view, end) : mark(entry, view))),
    entriesDropped: item.entriesDropped,
  };
}

function tool(entry: ToolEntry, view: View, turnEnd: string): TimelineTool {
  const open = entry.state === "open";
  const state =
    open && isAbandoned(entry.since, view) ? "abandoned" : open && turnEnd === "unmarked" ? "unanswered" : entry.state;
  return {
    kind: "tool",
    id: entry.id,
    tool: entry.tool,
    ...(entry.about === undefined ? {} : { about: entry.about }),
    since: at(entry.since, view),
    ...(entry.endedAt === undefined ? {} : { endedAt: at(entry.endedAt, view) }),
    state,
    ...(entry.backgroundId === undefined ? {} : { backgroundId: entry.backgroundId }),
    ...(entry.backgroundEndedAt === undefined ? {} : { backgroundEndedAt: at(entry.backgroundEndedAt, view) }),
    ...subagentsBelow(entry, state, view),
  };
}

function subagentsBelow(entry: ToolEntry, state: ToolState, view: View): Pick<TimelineTool, "subagents"> {
  const below = view.below.get(entry.id);
  if (below === undefined) return {};
  const goesOn = state === "open" || (entry.backgroundId !== undefined && entry.backgroundEndedAt === undefined);
  const tools = below.tools.map((tool): SubagentTool => {
    const isOpen = tool.state === "open";
    return {
      id: tool.id,
      agentId: tool.agentId,
      tool: tool.tool,
      ...(tool.about === undefined ? {} : { about: tool.about }),
      since: at(tool.since, view),
      ...(tool.endedAt === undefined ? {} : { endedAt: at(tool.endedAt, view) }),
      // Nobody answers it once whoever waited for its subagent goes on.
      state: isOpen && isAbandoned(tool.since, view) ? "abandoned" : isOpen && !goesOn ? "unanswered" : tool.state,
    };
  });
  return { subagents: { tools, toolsDropped: below.dropped } };
}

function mark(entry: MarkEntry, view: View): TimelineMark {
  const times = entry.times > 1 ? `${entry.times} times` : undefined;
  const says = [entry.says, times].filter((word) => word !== undefined).join(", ");
  return { kind: "mark", id: entry.id, what: entry.what, at: at(entry.at, view), ...(says === "" ? {} : { says }) };
}

function isAbandoned(since: EpochMs, { ended, startedAt }: View): boolean {
  return ended || isEarlier(since, startedAt);
}

function entryAt(entry: ToolEntry | MarkEntry): EpochMs {
  return entry.kind === "mark" ? entry.at : (entry.endedAt ?? entry.since);
}

/** A future time is of another clock. */
function at(time: EpochMs, { now }: View): string {
  return iso(Math.min(time, now));
}
