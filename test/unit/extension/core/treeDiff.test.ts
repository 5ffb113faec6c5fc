import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reduceRoster } from "../../../../extension/core/rosterState.ts";
import { diffTrees } from "../../../../extension/core/treeDiff.ts";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { at, configDir, gone, live, now, roster, session } from "./rosters.ts";
import { arranged, sandbox } from "./treeText.ts";

const a = session("a");
const b = session("b");
const before = buildTree(live(roster([a, b])), now);
const idOf = (row: Session): string => `session:${row.key}`;

describe("what is drawn again", () => {
  it("is nothing when nothing changed", () => {
    assert.deepEqual(diffTrees(before, buildTree(live(roster([a, b])), now)), { kind: "nothing" });
  });

  it("B104: is nothing when only seconds went by", () => {
    assert.deepEqual(diffTrees(before, buildTree(live(roster([a, b])), now + 20_000)), { kind: "nothing" });
  });

  it("B104: is the row whose minute went by, and no group", () => {
    const later = session("b", { status: { kind: "working", rule: "call-open", since: at(90_000) } });
    const first = buildTree(live(roster([a, later])), now);
    const minuteLater = buildTree(live(roster([a, later])), now + 30_000);
    assert.deepEqual(diffTrees(first, minuteLater), { kind: "nodes", ids: [idOf(later)] });
  });

  it("B104: is no group while a sandbox or the whole agent ages", () => {
    const stale = { ...roster([session("a", { sandbox: "s" })]), sandboxes: [sandbox("s", { stale: true })] };
    for (const state of [live(stale), gone(stale, 0)]) {
      const diff = diffTrees(buildTree(state, now), buildTree(state, now + 120_000));
      assert.ok(diff.kind === "nodes" && !diff.ids.some((id) => id.startsWith("group:")), JSON.stringify(diff));
    }
  });

  it("is nothing when the whole roster came again and says the same", () => {
    const told = { ...roster([a, session("b", { sandbox: "s" })]), sandboxes: [sandbox("s")] };
    const state = live(told);
    for (const event of [
      { kind: "refreshed", at: now, roster: structuredClone(told) },
      { kind: "connected", at: now, roster: structuredClone(told), configDirs: [configDir] },
    ] as const)
      assert.deepEqual(diffTrees(buildTree(state, now), buildTree(reduceRoster(state, event), now)), {
        kind: "nothing",
      });
  });

  it("is only the group of the sandbox that changed", () => {
    const boxes = [sandbox("s"), sandbox("t")];
    const state = live({ ...roster([]), sandboxes: boxes });
    const change = { observedAt: at(0), upsert: [], remove: [], sources: [] };
    const told = structuredClone([sandbox("s", { state: "paused" }), sandbox("t")]);
    const after = reduceRoster(state, { kind: "changed", at: now, change: { ...change, sandboxes: told } });
    assert.deepEqual(diffTrees(buildTree(state, now), buildTree(after, now)), {
      kind: "nodes",
      ids: ["group:sandbox:s"],
    });
  });

  it("is the row that changed", () => {
    const after = buildTree(live(roster([a, { ...b, title: "new" }])), now);
    assert.deepEqual(diffTrees(before, after), { kind: "nodes", ids: [idOf(b)] });
  });

  it("is the open call that aged, not the row above it", () => {
    const row = session("a", { openTurns: [{ toolUseId: "t", tool: "Bash", since: at(59_000), abandoned: false }] });
    const diff = diffTrees(buildTree(live(roster([row])), now), buildTree(live(roster([row])), now + 2_000));
    assert.deepEqual(diff, { kind: "nodes", ids: [`turn:${JSON.stringify([row.key, "", "t"])}`] });
  });

  it("is the row alone where the row and what stands below it changed", () => {
    const turn = { toolUseId: "t", tool: "Bash", since: at(0), abandoned: false };
    const first = buildTree(live(roster([session("a", { openTurns: [turn] })])), now);
    const after = buildTree(live(roster([session("a", { openTurns: [{ ...turn, tool: "Edit" }] })])), now);
    assert.deepEqual(diffTrees(first, after), { kind: "nodes", ids: [idOf(a)] });
  });

  it("is the parent when a row comes or leaves", () => {
    const after = buildTree(live(roster([a])), now);
    assert.deepEqual(diffTrees(before, after), { kind: "nodes", ids: ["group:host"] });
    assert.deepEqual(diffTrees(after, before), { kind: "nodes", ids: ["group:host"] });
  });

  it("is both groups when a row moves from one to the other, and no third", () => {
    const others = (["working", "idle", "idle", "needs-you"] as const).map((kind, index) =>
      session(`${index}`, { status: { kind, rule: "r" } }),
    );
    const tree = (kind: Session["status"]["kind"]): ReturnType<typeof buildTree> =>
      buildTree(live(roster([...others, session("m", { status: { kind, rule: "r" } })])), now, arranged("attention"));
    assert.deepEqual(diffTrees(tree("working"), tree("idle")), {
      kind: "nodes",
      ids: ["group:attention:working", "group:attention:resting"],
    });
  });

  it("is the whole when a group comes", () => {
    const moved = buildTree(live(roster([a, { ...b, sandbox: "s" }])), now);
    assert.deepEqual(diffTrees(before, moved), { kind: "whole" });
  });

  it("is one row of 1,000, or 100 of them, whatever the grouping", () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      session(`s${index}`, { sandbox: index % 2 === 0 ? null : `box ${index % 10}`, startCwd: `/p/${index % 20}` }),
    );
    const turn = { toolUseId: "t", tool: "Bash", since: at(0), abandoned: false };
    for (const grouping of ["sandbox", "project", "attention", "none"] as const) {
      const first = buildTree(live(roster(many)), now, arranged(grouping));
      for (const changed of [1, 100]) {
        const rows = many.map((row, index) => (index < changed ? { ...row, openTurns: [turn] } : row));
        const diff = diffTrees(first, buildTree(live(roster(rows)), now, arranged(grouping)));
        assert.ok(diff.kind === "nodes", grouping);
        assert.equal(diff.ids.length, changed, grouping);
      }
    }
  });
});
