import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { neverKnown, retain } from "../../../../agent/core/observation.ts";
import { sessionDetail, type KnownTimeline } from "../../../../agent/core/sessionDetail.ts";
import { noHistory } from "../../../../agent/core/statusHistory.ts";
import { foldTimelineLine } from "../../../../agent/core/timeline.ts";
import { emptyTimeline } from "../../../../agent/core/timelineItems.ts";
import { observed, unobserved, absent, type Observation } from "../../../../protocol/observation.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { sessionDetailSchema, type SessionDetail, type TimelineTurn } from "../../../../protocol/sessionDetail.ts";
import { at, ended, now, observed as answers, roster, session, silent } from "../../extension/core/rosters.ts";

const source = "transcripts:/home/u/.claude";
type Read = Observation<{ readonly fold: typeof emptyTimeline; readonly bytesNotRead: number }>;

function read(lines: readonly object[], readAt = now): Read {
  const fold = lines.map((line) => JSON.stringify(line)).reduce(foldTimelineLine, emptyTimeline);
  return observed(source, readAt, { fold, bytesNotRead: 0 });
}

const prompt = { type: "user", timestamp: at(60_000), message: { content: "go" } };
const call = {
  type: "assistant",
  timestamp: at(50_000),
  message: { content: [{ type: "tool_use", id: "a", name: "Bash", input: { command: "make" } }] },
};

function known(...reads: readonly Read[]): KnownTimeline {
  const last = reads.at(-1);
  return {
    known: reads.reduce<KnownTimeline["known"]>((before, next) => retain(before, next), neverKnown),
    subagents: [],
    failure: last?.kind === "unobserved" ? { at: last.at, cause: last.cause } : undefined,
  };
}

function detailOf(
  timeline: KnownTimeline,
  last: Session = session("s1"),
  more: Partial<{ leftAt: number }> = {},
): SessionDetail {
  const told = sessionDetail({
    roster: roster([last], [answers("process-table"), answers(source), silent("transcripts:/elsewhere")]),
    key: last.key,
    last,
    leftAt: more.leftAt,
    history: noHistory,
    timeline,
    now,
  });
  return sessionDetailSchema.parse(told);
}

function onlyTurn({ timeline }: SessionDetail): TimelineTurn {
  assert.ok(timeline.state === "read");
  const [turn] = timeline.items;
  assert.ok(turn?.kind === "turn" && timeline.items.length === 1);
  return turn;
}

function toolStates(detail: SessionDetail): string[] {
  return onlyTurn(detail).entries.map((entry) => (entry.kind === "tool" ? entry.state : entry.what));
}

describe("the detail of a session", () => {
  it("says what is open while its process lives", () => {
    const detail = detailOf(known(read([prompt, call])));
    assert.equal(onlyTurn(detail).end, "running");
    assert.deepEqual(toolStates(detail), ["open"]);
  });

  it("says that it is abandoned once the process is gone", () => {
    const detail = detailOf(known(read([prompt, call])), ended("s1", 1_000));
    assert.equal(onlyTurn(detail).end, "abandoned");
    assert.deepEqual(toolStates(detail), ["abandoned"]);
  });

  it("says that what an earlier process left open is abandoned, and of the one that lives it is not", () => {
    const resumed = session("s1", { startedAt: at(10_000) });
    assert.deepEqual(toolStates(detailOf(known(read([prompt, call])), resumed)), ["abandoned"]);
    const same = session("s1", { startedAt: at(70_000) });
    assert.deepEqual(toolStates(detailOf(known(read([prompt, call])), same)), ["open"]);
  });

  it("never calls a turn running that the row says is over", () => {
    const waits = session("s1", { status: { kind: "waiting", rule: "silent-stop" } });
    const detail = detailOf(known(read([prompt, call])), waits);
    assert.equal(onlyTurn(detail).end, "unmarked");
    assert.deepEqual(toolStates(detail), ["unanswered"]);
  });

  it("takes no time that lies ahead", () => {
    const detail = detailOf(known(read([{ ...prompt, timestamp: at(-3_600_000) }])));
    assert.equal(onlyTurn(detail).startedAt, at(0));
  });

  it("keeps the timeline as last read when the file fails or is gone, and says since when and why", () => {
    for (const failed of [unobserved<never>(source, now, "EIO"), absent<never>(source, now)]) {
      const { timeline } = detailOf(known(read([prompt, call], now - 5_000), failed));
      assert.ok(timeline.state === "read" && timeline.items.length === 1);
      assert.equal(timeline.asOf, at(5_000));
      assert.equal(timeline.stale?.since, at(0));
    }
  });

  it("tells apart a timeline that is being read, that cannot be read, and that there is none of", () => {
    const withFile = session("s1", { transcript: "/t.jsonl" });
    assert.equal(detailOf(known(), withFile).timeline.state, "reading");
    assert.equal(detailOf(known(unobserved(source, now, "EIO")), withFile).timeline.state, "unreadable");
    assert.equal(detailOf(known()).timeline.state, "none");
    assert.equal(detailOf(known(absent(source, now)), withFile).timeline.state, "none");
  });

  it("names the sources of its own config folder only", () => {
    assert.deepEqual(
      detailOf(known()).sources.map(({ id }) => id),
      ["process-table", source],
    );
  });

  it("keeps a row that left the roster, and says since when", () => {
    const detail = detailOf(known(), session("s1"), { leftAt: now - 1_000 });
    assert.equal(detail.leftAt, at(1_000));
    assert.equal(detail.session.title, "Title of s1");
  });
});
