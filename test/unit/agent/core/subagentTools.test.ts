import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { subagentTools, type SubagentTimeline } from "../../../../agent/core/subagentTools.ts";
import { foldTimelineLine } from "../../../../agent/core/timeline.ts";
import { emptySubagentTimeline, emptyTimeline } from "../../../../agent/core/timelineItems.ts";
import { timelineItems } from "../../../../agent/core/timelineView.ts";
import { limits } from "../../../../base/limits.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { now, session } from "../../extension/core/rosters.ts";
import { lines } from "./builders.ts";

const at = (seconds: number): number => now - 1_000_000 + seconds * 1_000;
const sidechain = (line: object): string => JSON.stringify({ ...line, isSidechain: true });

function subagent(agentId: string, calls: readonly string[], meta: SubagentTimeline["meta"]): SubagentTimeline {
  const records = [lines.prompt(at(0)), ...calls.map((id, index) => lines.call(at(index + 1), id))];
  return { agentId, meta, fold: records.map(sidechain).reduce(foldTimelineLine, emptySubagentTimeline) };
}
const startedBy = (toolUseId: string): NonNullable<SubagentTimeline["meta"]> => ({
  toolUseId,
  agentType: undefined,
  description: undefined,
  parentAgentId: undefined,
});

describe("what subagents did", () => {
  const of = (...subagents: readonly SubagentTimeline[]): Record<string, readonly string[]> =>
    Object.fromEntries(
      [...subagentTools(subagents)].map(([call, { tools }]) => [
        call,
        tools.map(({ agentId, id }) => `${agentId}/${id}`),
      ]),
    );

  it("stands under the call that started them, in the order of time", () => {
    const both = [subagent("b", ["b1", "b2"], startedBy("t1")), subagent("a", ["a1"], startedBy("t1"))];
    assert.deepEqual(of(...both, subagent("c", ["c1"], startedBy("t2"))), {
      t1: ["a/a1", "b/b1", "b/b2"],
      t2: ["c/c1"],
    });
  });
  it("stands under the session's call also where another subagent started it", () => {
    const nested = subagent("inner", ["i1"], startedBy("o1"));
    assert.deepEqual(of(nested, subagent("outer", ["o1"], startedBy("t1"))), { t1: ["inner/i1", "outer/o1"] });
  });
  it("is left out where no call is known of it, or where notes lead in a circle", () => {
    assert.deepEqual(of(subagent("a", ["a1"], undefined)), {});
    assert.deepEqual(of(subagent("a", ["a1"], startedBy("b1")), subagent("b", ["b1"], startedBy("a1"))), {});
  });
  it("is bounded, and says how much is left out", () => {
    const ids = Array.from({ length: limits.timelineSubagentTools + 3 }, (_, index) => `x${index}`);
    const found = subagentTools([subagent("a", ids, startedBy("t1"))]).get("t1");
    assert.equal(found?.tools.length, limits.timelineSubagentTools);
    assert.equal(found.tools.at(-1)?.id, ids.at(-1));
    assert.equal(found.dropped, 3);
  });
});

describe("a subagent's open call", () => {
  const shown = (main: readonly object[], row: Partial<Session> = {}): string | undefined => {
    const fold = main.map((line) => JSON.stringify(line)).reduce(foldTimelineLine, emptyTimeline);
    const items = timelineItems(fold, [subagent("a", ["a1"], startedBy("t1"))], session("s1", row), now);
    const [turn] = items;
    const tool = turn?.kind === "turn" ? turn.entries[0] : undefined;
    return tool?.kind === "tool" ? tool.subagents?.tools[0]?.state : undefined;
  };
  const started = [lines.prompt(at(-2)), lines.call(at(-1), "t1", "Agent")];
  const startedAt = new Date(at(-100)).toISOString();
  const working = { startedAt } as const;

  it("is open while its session waits for the subagent, or it runs in the background", () => {
    assert.equal(shown(started, working), "open");
    const launched = lines.result(at(3), "t1", { status: "async_launched", agentId: "a" });
    assert.equal(shown([...started, launched], working), "open");
  });
  it("is unanswered once its session went on without it", () => {
    assert.equal(shown([...started, lines.result(at(3), "t1")], working), "unanswered");
  });
  it("is abandoned when its process is gone", () => {
    const ended = { kind: "ended", source: "proc", asOf: startedAt, stale: false } as const;
    assert.equal(shown(started, { ...working, liveness: ended }), "abandoned");
  });
});
