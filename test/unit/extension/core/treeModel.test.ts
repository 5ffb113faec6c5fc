import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RosterState } from "../../../../extension/core/rosterState.ts";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import { statusKinds, type Session } from "../../../../protocol/roster.ts";
import { at, configDir, ended, gone, live, now, roster, session } from "./rosters.ts";
import { sandbox, treeLines } from "./treeText.ts";

function check(state: RosterState, expected: readonly string[]): void {
  assert.deepEqual(treeLines(buildTree(state, now)), expected);
}

describe("the tree", () => {
  it("shows a session with its status and coarse age, and below it open turns and background tasks", () => {
    const row = session("a", {
      openTurns: [
        { toolUseId: "t1", tool: "Bash", since: at(125_000), abandoned: false },
        { toolUseId: "t2", tool: "Edit", since: at(7_300_000), abandoned: true },
      ],
      background: [{ id: "b1", kind: "shell", since: at(12_000) }],
    });
    check(live(roster([row])), [
      "This host | 1",
      "  Title of a | working · Bash · 3 min · app",
      "    Bash | open · 2 min",
      "    Edit | abandoned · began 2 h ago",
      "    Background shell | running · just now",
    ]);
  });

  it("puts what needs you first, what ended last, and equals by title", () => {
    const rows = [...statusKinds]
      .sort()
      .map((kind) => session(kind, { title: kind, status: { kind, rule: "rule" } }))
      .concat(session("first", { title: "a first idle one", status: { kind: "idle", rule: "rule" } }));
    const { nodes } = buildTree(live(roster(rows)), now);
    assert.deepEqual(
      nodes.get("group:host")?.children.map((id) => nodes.get(id)?.label),
      [
        "needs-you",
        "error",
        "working",
        "compacting",
        "background",
        "waiting",
        "starting",
        "unknown",
        "a first idle one",
        "idle",
        "ended",
      ],
    );
  });

  it("leaves room for the status behind a long title, which a screen reader says whole", () => {
    const title = "Fix the flaky login test on Windows, which fails only when the clock is set back";
    const [node] = [...buildTree(live(roster([session("a", { title })])), now).nodes.values()].filter(
      ({ session: of }) => of !== undefined,
    );
    assert.equal(node?.label, "Fix the flaky login test on Windows, wh…");
    assert.ok(node.spoken.startsWith(title));
  });

  it("tells what a session needs by its icon, which a narrow view does not cut off", () => {
    const icons = (["permission", "question", "plan", "likely"] as const).map((why) => {
      const row = session(why, { status: { kind: "needs-you", why, rule: "rule" } });
      return buildTree(live(roster([row])), now).nodes.get(`session:${row.key}`)?.icon?.icon;
    });
    assert.deepEqual(icons, ["bell-dot", "comment-unresolved", "checklist", "bell-dot"]);
  });

  it("groups by sandbox, also one without sessions, and one that only a row names", () => {
    const told = {
      ...roster([session("a"), session("b", { sandbox: "pidns:1" }), session("c", { sandbox: "unlisted" })]),
      sandboxes: [sandbox("quiet", { state: "suspended" }), sandbox("pidns:1", { derived: true, stale: true })],
    };
    check(live(told), [
      "This host | 1",
      "  Title of a | working · 3 min · app",
      "pidns:1 | 1 · stale · running · no name is known",
      "  proc does not answer | stale < 1 min",
      "  Title of b | working · 3 min · app",
      "quiet | 0 · suspended",
      "unlisted | 1 · not known whether it runs",
      "  Title of c | working · 3 min · app",
    ]);
  });

  it("leaves a row that ended in its place for 30 s, then folds it into Recent", () => {
    check(live(roster([ended("a", 29_000), ended("b", 30_000)])), [
      "This host | 1",
      "  Title of a | ended: exited · just now · app",
      "Recent | 1 · ended",
      "  Title of b | ended: exited · just now · app",
    ]);
    const { nodes } = buildTree(live(roster([ended("b", 30_000)])), now);
    assert.equal(nodes.get("group:recent")?.collapsed, "collapsed");
  });

  it("keeps every row when the agent is gone, marked stale with its age", () => {
    const state = gone(roster([session("a")]), 4 * 60_000);
    check(state, ["This host | 1", "  Title of a | stale 4 min · working · 3 min · app"]);
    const row = buildTree(state, now).nodes.get(`session:${configDir}#a`);
    assert.equal(row?.icon?.color, "disabledForeground");
    assert.equal(row.icon.icon, "pulse");
  });

  it("marks the row whose source is silent, and no other", () => {
    const stale = { kind: "live", source: "proc", asOf: at(120_000), stale: true } as const;
    check(live(roster([session("a", { liveness: stale }), session("b")])), [
      "This host | 2",
      "  Title of a | stale 2 min · working · 3 min · app",
      "  Title of b | working · 3 min · app",
    ]);
  });

  it("begins, where its icon says the kind, with what it waits for or failed of", () => {
    const rows = (
      [
        ["needs-you", "permission"],
        ["needs-you", "question"],
        ["needs-you", "plan"],
        ["needs-you", "likely"],
        ["error", "limit"],
        ["error", "server"],
      ] as const
    ).map(([kind, why]) =>
      session(why, {
        status: { kind, why, rule: "r", since: at(60_000) },
        openTurns: [{ toolUseId: why, tool: "Tool", since: at(60_000), abandoned: false }],
      }),
    );
    const { nodes } = buildTree(live(roster(rows)), now);
    assert.deepEqual(
      rows.map(({ key }) => nodes.get(`session:${key}`)?.description),
      [
        "permission · Tool · 1 min · app",
        "question · 1 min · app",
        "plan · 1 min · app",
        "needs you: likely, a guess · Tool · 1 min · app",
        "usage limit · 1 min · app",
        "error: server · 1 min · app",
      ],
    );
  });

  it("says to a screen reader what it shows, without signs", () => {
    const row = session("a", { status: { kind: "needs-you", why: "permission", rule: "r", since: at(60_000) } });
    const { nodes } = buildTree(live(roster([row])), now);
    assert.equal(nodes.get(`session:${configDir}#a`)?.spoken, "Title of a, needs you: permission, 1 min, app");
  });

  it("offers menus what they match on", () => {
    const { nodes } = buildTree(live(roster([session("a", { transcript: "/t.jsonl" })])), now);
    assert.equal(nodes.get(`session:${configDir}#a`)?.context, "session live transcript");
    const contextOf = (registry: Session["registry"]): string | undefined =>
      buildTree(live(roster([session("a", { registry })])), now).nodes.get(`session:${configDir}#a`)?.context;
    assert.equal(contextOf({ recorded: true }), "session live recorded");
    assert.equal(contextOf({ recorded: true, departedAt: at(0) }), "session live departed");
  });

  it("has no group when there is nothing, so that the welcome view can speak", () => {
    check(live(roster([])), []);
  });
});
