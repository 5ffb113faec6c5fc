// Differences between two details of one session: what the agent pushes to who watches it, and how it is applied.
// Parts stand whole in a change, save the timeline's items, of which only those that changed are sent.
import { z } from "zod";
import { sessionSchema, sourceStateSchema } from "./roster.ts";
import {
  sessionDetailSchema,
  statusHistorySchema,
  timelineItemSchema,
  timelineSchema,
  type ReadTimeline,
  type SessionDetail,
  type Timeline,
} from "./sessionDetail.ts";

const readShape = timelineSchema.options[3].shape;

/** A timeline that was read before and after: what surrounds the items, their order, and those that are new. */
const timelineStepSchema = z.strictObject({
  kind: z.literal("step"),
  around: timelineSchema.options[3].omit({ items: true }),
  order: z.array(z.string()),
  upsert: readShape.items,
});

const timelineChangeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("whole"), timeline: timelineSchema }),
  timelineStepSchema,
]);

export const sessionDetailChangeSchema = z.strictObject({
  key: z.string(),
  observedAt: sessionDetailSchema.shape.observedAt,
  session: sessionSchema.optional(),
  /** Null when the row is back in the roster. */
  leftAt: sessionDetailSchema.shape.observedAt.nullable().optional(),
  sources: z.array(sourceStateSchema).optional(),
  history: statusHistorySchema.optional(),
  timeline: timelineChangeSchema.optional(),
});

export type SessionDetailChange = z.infer<typeof sessionDetailChangeSchema>;
type TimelineChange = z.infer<typeof timelineChangeSchema>;
type TimelineItem = z.infer<typeof timelineItemSchema>;

/** Undefined where both say the same. */
export function diffDetails(before: SessionDetail, after: SessionDetail): SessionDetailChange | undefined {
  const timeline = diffTimelines(before.timeline, after.timeline);
  const change: SessionDetailChange = {
    key: after.key,
    observedAt: after.observedAt,
    ...(same(before.session, after.session) ? {} : { session: after.session }),
    ...(before.leftAt === after.leftAt ? {} : { leftAt: after.leftAt ?? null }),
    ...(same(before.sources, after.sources) ? {} : { sources: after.sources }),
    ...(after.history === undefined || same(before.history, after.history) ? {} : { history: after.history }),
    ...(timeline === undefined ? {} : { timeline }),
  };
  return Object.keys(change).length > 2 ? change : undefined;
}

/** A change of another session changes nothing. */
export function applyDetailChange(detail: SessionDetail, change: SessionDetailChange): SessionDetail {
  if (change.key !== detail.key) return detail;
  const { leftAt: _leftAt, history: _history, ...rest } = detail;
  const history = change.history ?? detail.history;
  const leftAt = change.leftAt === undefined ? detail.leftAt : (change.leftAt ?? undefined);
  return {
    ...rest,
    observedAt: change.observedAt,
    session: change.session ?? detail.session,
    ...(leftAt === undefined ? {} : { leftAt }),
    sources: change.sources ?? detail.sources,
    ...(history === undefined ? {} : { history }),
    timeline: change.timeline === undefined ? detail.timeline : applyTimelineChange(detail.timeline, change.timeline),
  };
}

function diffTimelines(before: Timeline, after: Timeline): TimelineChange | undefined {
  if (before === after || same(before, after)) return undefined;
  if (before.state !== "read" || after.state !== "read") return { kind: "whole", timeline: after };
  const { items, ...around } = after;
  const old = new Map(before.items.map((item) => [item.id, item]));
  const upsert = items.filter((item) => {
    const previous = old.get(item.id);
    return previous !== item && !same(previous, item);
  });
  return { kind: "step", around, order: items.map(({ id }) => id), upsert };
}

function applyTimelineChange(timeline: Timeline, change: TimelineChange): Timeline {
  if (change.kind === "whole") return change.timeline;
  const items = new Map<string, TimelineItem>();
  for (const item of timeline.state === "read" ? timeline.items : []) items.set(item.id, item);
  for (const item of change.upsert) items.set(item.id, item);
  const ordered: ReadTimeline["items"] = change.order.flatMap((id) => items.get(id) ?? []);
  return { ...change.around, items: ordered };
}

function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
