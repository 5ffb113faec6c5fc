// What the agent tells about one session to whoever watches it: its row with the times of the latest looks, how its
// status changed and by which rule, and the timeline of its turns. Bounded throughout; what is left out is counted.
// How differences are made and applied is `sessionDetailChange.ts`.
import { z } from "zod";
import { livenessSchema, sessionSchema, sourceStateSchema, statusKinds, statusWhys } from "./roster.ts";

const time = z.iso.datetime();
const count = z.number().int().nonnegative();

/** One change of a session's status or liveness, as the agent decided it. */
export const statusChangeSchema = z.strictObject({
  /** When the agent saw it. */
  at: time,
  kind: z.enum(statusKinds),
  why: z.enum(statusWhys).optional(),
  rule: z.string(),
  /** Since when it is so, as the rule's source tells. */
  since: time.optional(),
  /** What the rule rests on, in words. */
  says: z.string().optional(),
  liveness: livenessSchema.pick({ kind: true, how: true }),
});

export const statusHistorySchema = z.strictObject({
  /** Oldest first. */
  changes: z.array(statusChangeSchema),
  /** Older ones that are kept no more. */
  dropped: count,
});

/** `abandoned`: its process is gone, so no answer will come; `unanswered`: its turn went on or ended without one. */
export const toolStates = ["open", "done", "failed", "rejected", "unanswered", "abandoned"] as const;

/** A call that a subagent made. */
export const subagentToolSchema = z.strictObject({
  id: z.string(),
  agentId: z.string(),
  tool: z.string(),
  about: z.string().optional(),
  since: time,
  endedAt: time.optional(),
  state: z.enum(toolStates),
});

export const timelineToolSchema = z.strictObject({
  kind: z.literal("tool"),
  id: z.string(),
  tool: z.string(),
  /** What it is about, shortened: a command, a file, a pattern. */
  about: z.string().optional(),
  since: time,
  endedAt: time.optional(),
  state: z.enum(toolStates),
  /** Set on a call that goes on in the background after its answer. */
  backgroundId: z.string().optional(),
  backgroundEndedAt: time.optional(),
  /** What the subagents did that it started, oldest first; those that they started in turn too. */
  subagents: z.strictObject({ tools: z.array(subagentToolSchema), toolsDropped: count }).optional(),
});

export const markWhats = ["compaction", "error", "retry", "subagents-killed"] as const;

/** Something that happened at one moment. */
export const timelineMarkSchema = z.strictObject({
  kind: z.literal("mark"),
  id: z.string(),
  what: z.enum(markWhats),
  at: time,
  says: z.string().optional(),
});

export const turnEnds = [
  "running",
  "completed",
  "interrupted",
  "failed",
  /** The next turn began and nothing tells how this one ended. */
  "unmarked",
  /** Its process is gone. */
  "abandoned",
] as const;

export const timelineTurnSchema = z.strictObject({
  kind: z.literal("turn"),
  id: z.string(),
  /** The prompt, shortened; missing where the turn's begin was not read. */
  prompt: z.string().optional(),
  /** Who asked: a person, a background task that ended, another program. */
  askedBy: z.enum(["person", "task", "program", "unknown"]),
  startedAt: time,
  endedAt: time.optional(),
  end: z.enum(turnEnds),
  /** Oldest first. */
  entries: z.array(z.discriminatedUnion("kind", [timelineToolSchema, timelineMarkSchema])),
  /** Earlier entries of this turn that are not kept. */
  entriesDropped: count,
});

export const timelineItemSchema = z.discriminatedUnion("kind", [timelineTurnSchema, timelineMarkSchema]);

export const timelineSchema = z.discriminatedUnion("state", [
  /** The transcript is being read for the first time. */
  z.strictObject({ state: z.literal("reading") }),
  /** No transcript of the session has been seen. */
  z.strictObject({ state: z.literal("none"), asOf: time }),
  /** It could not be read, and nothing was read of it before. */
  z.strictObject({ state: z.literal("unreadable"), at: time, cause: z.string() }),
  z.strictObject({
    state: z.literal("read"),
    asOf: time,
    /** Set while it cannot be read any more: the items are as of then. */
    stale: z.strictObject({ since: time, cause: z.string() }).optional(),
    model: z.string().optional(),
    /** Oldest first. */
    items: z.array(timelineItemSchema),
    /** Items that were read and are not kept. */
    itemsDropped: count,
    /** Bytes before the part that was read, in which there may be older turns. */
    bytesNotRead: count,
    skipped: z.array(z.strictObject({ why: z.string(), count })),
  }),
]);

export const sessionDetailSchema = z.strictObject({
  version: z.literal(1),
  key: z.string(),
  observedAt: time,
  /** The row as last known. */
  session: sessionSchema,
  /** Set once the roster holds the row no more: it stays as last known. */
  leftAt: time.optional(),
  /** Those the row rests on. */
  sources: z.array(sourceStateSchema),
  /** Missing where the agent that keeps it could not be asked. */
  history: statusHistorySchema.optional(),
  timeline: timelineSchema,
});

export type StatusChange = z.infer<typeof statusChangeSchema>;
export type StatusHistory = z.infer<typeof statusHistorySchema>;
export type ToolState = (typeof toolStates)[number];
export type TurnEnd = (typeof turnEnds)[number];
export type MarkWhat = (typeof markWhats)[number];
export type TimelineTool = z.infer<typeof timelineToolSchema>;
export type SubagentTool = z.infer<typeof subagentToolSchema>;
export type TimelineMark = z.infer<typeof timelineMarkSchema>;
export type TimelineTurn = z.infer<typeof timelineTurnSchema>;
export type TimelineItem = z.infer<typeof timelineItemSchema>;
export type Timeline = z.infer<typeof timelineSchema>;
export type ReadTimeline = Extract<Timeline, { state: "read" }>;
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
