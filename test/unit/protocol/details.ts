// Details of sessions for tests, small and with fixed times; and histories of them by chance.
import fc from "fast-check";
import type { SessionDetail, Timeline, TimelineItem } from "../../../protocol/sessionDetail.ts";
import { allSources, at, session } from "../extension/core/rosters.ts";

export function turn(id: string, more: Partial<Extract<TimelineItem, { kind: "turn" }>> = {}): TimelineItem {
  return {
    kind: "turn",
    id,
    prompt: `Prompt of ${id}`,
    askedBy: "person",
    startedAt: at(60_000),
    end: "running",
    entries: [],
    entriesDropped: 0,
    ...more,
  };
}

export function readTimeline(
  items: readonly TimelineItem[],
  more: Partial<Extract<Timeline, { state: "read" }>> = {},
): Timeline {
  return { state: "read", asOf: at(0), items: [...items], itemsDropped: 0, bytesNotRead: 0, skipped: [], ...more };
}

export function detail(timeline: Timeline, more: Partial<SessionDetail> = {}): SessionDetail {
  const row = session("s1");
  return {
    version: 1,
    key: row.key,
    observedAt: at(0),
    session: row,
    sources: [...allSources],
    history: { changes: [], dropped: 0 },
    timeline,
    ...more,
  };
}

const turns = fc
  .uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 5 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .record({ end: fc.constantFrom("running", "completed"), prompt: fc.constantFrom("one", "two") } as const)
          .map((more) => turn(id, more)),
      ),
    ),
  );

export const anyTimeline: fc.Arbitrary<Timeline> = fc.oneof(
  fc.constant<Timeline>({ state: "reading" }),
  fc.constant<Timeline>({ state: "none", asOf: at(0) }),
  fc.constant<Timeline>({ state: "unreadable", at: at(0), cause: "EIO" }),
  fc.tuple(turns, fc.nat(3)).map(([items, itemsDropped]) => readTimeline(items, { itemsDropped })),
);

export const anyDetail: fc.Arbitrary<SessionDetail> = fc
  .tuple(anyTimeline, fc.constantFrom("One", "Two"), fc.option(fc.constant(at(5_000)), { nil: undefined }), fc.nat(2))
  .map(([timeline, title, leftAt, dropped]) =>
    detail(timeline, {
      session: session("s1", { title }),
      history: { changes: [], dropped },
      ...(leftAt === undefined ? {} : { leftAt }),
    }),
  );
