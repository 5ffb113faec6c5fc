import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { at, live, now, roster, session } from "./rosters.ts";
import { treeLines } from "./treeText.ts";

const turn = (toolUseId: string, tool: string, agoMs: number, more: object = {}) => ({
  toolUseId,
  tool,
  since: at(agoMs),
  abandoned: false,
  ...more,
});

/** What stands below the row. */
function check(row: Partial<Session>, expected: readonly string[]): void {
  const lines = treeLines(buildTree(live(roster([session("a", row)])), now));
  assert.deepEqual(
    lines.slice(2).map((line) => line.slice(4)),
    expected,
  );
}

describe("below a session", () => {
  it("stand its open calls, its subagents with theirs, and its background tasks, each with its own age", () => {
    check(
      {
        openTurns: [turn("t1", "Task", 125_000), turn("t2", "Edit", 7_300_000, { abandoned: true })],
        subagents: [
          { id: "a1", status: "working", openTurns: [turn("t3", "Grep", 61_000), turn("t4", "Read", 0)] },
          { id: "a2", status: "idle", openTurns: [] },
        ],
        background: [
          { id: "b1", kind: "shell", since: at(12_000) },
          { id: "b2", kind: "other" },
        ],
      },
      [
        "Task | open · 2 min",
        "Edit | abandoned · began 2 h ago",
        "Subagent a1 | working · Grep",
        "  Grep | open · 1 min",
        "  Read | open · just now",
        "Subagent a2 | idle",
        "Background shell | running · just now",
        "Background task | running",
      ],
    );
  });

  it("a call of a subagent stands below that one, wherever the roster lists it, and once", () => {
    const call = turn("t1", "Grep", 0, { agentId: "a1" });
    const subagents = [{ id: "a1", status: "working", openTurns: [call] }];
    check({ openTurns: [call], subagents }, ["Subagent a1 | working · Grep", "  Grep | open · just now"]);
    check({ openTurns: [call] }, ["Grep | open · just now"]);
  });

  it("a subagent that is a background task too is one node", () => {
    check(
      {
        subagents: [{ id: "a1", status: "working", openTurns: [] }],
        background: [{ id: "a1", kind: "subagent", since: at(180_000) }],
      },
      ["Subagent a1 | working · in background · 3 min"],
    );
  });

  it("what stands there twice, as a file may have it, is shown once", () => {
    const twice = turn("t1", "Bash", 0);
    const agent = { id: "a1", status: "", openTurns: [turn("t1", "Read", 0), turn("t1", "Read", 0)] };
    check(
      {
        openTurns: [twice, twice],
        subagents: [agent, agent],
        background: [
          { id: "b", kind: "shell" },
          { id: "b", kind: "shell" },
        ],
      },
      ["Bash | open · just now", "Subagent a1 | Read", "  Read | open · just now", "Background shell | running"],
    );
  });

  it("ids of others never run into each other", () => {
    const subagents = [
      { id: 'x"', status: "", openTurns: [turn("y", "Read", 0)] },
      { id: "x", status: "", openTurns: [turn('"y', "Grep", 0)] },
    ];
    check({ subagents }, [
      'Subagent x" | Read',
      "  Read | open · just now",
      "Subagent x | Grep",
      "  Grep | open · just now",
    ]);
  });
});
