import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Grouping } from "../../../../extension/core/arrangement.ts";
import { groupingFrom, groupings } from "../../../../extension/core/arrangement.ts";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import { statusKinds, type Roster, type Session } from "../../../../protocol/roster.ts";
import { at, ended, gone, live, now, roster, session } from "./rosters.ts";
import { arranged, sandbox, treeLines } from "./treeText.ts";

function check(grouping: Grouping, told: Roster, expected: readonly string[]): void {
  assert.deepEqual(treeLines(buildTree(live(told), now, arranged(grouping))), expected);
}

const as = (kind: Session["status"]["kind"], more: Partial<Session> = {}): Session =>
  session(kind, { title: kind, status: { kind, rule: "r" }, ...more });

describe("grouped by attention", () => {
  it("what needs you stands first, then what failed, works, waits, rests and just ended", () => {
    const why = { "needs-you": { why: "permission" }, error: { why: "limit" } } as const;
    const rows = [...statusKinds].reverse().map((kind) =>
      as(kind, {
        status: { kind, rule: "r", ...(kind in why ? why[kind as keyof typeof why] : {}) },
        liveness: { kind: "live", source: "proc", asOf: at(0), stale: false, how: "killed" },
      }),
    );
    const spoken = buildTree(live(roster(rows)), now, arranged("attention")).nodes.get(
      `session:${as("error").key}`,
    )?.spoken;
    assert.equal(spoken, "error, error: usage limit, app");
    check("attention", roster(rows), [
      "Needs you | 1",
      "  needs-you | permission · app",
      "Failed | 1",
      "  error | usage limit · app",
      "Working | 4",
      "  working | app",
      "  compacting | compacting · app",
      "  background | working in background · app",
      "  starting | starting · app",
      "Waiting for you | 1",
      "  waiting | app",
      "Idle or unknown | 2",
      "  unknown | running, status unknown · app",
      "  idle | idle · app",
      "Just ended | 1",
      "  ended | killed · app",
    ]);
  });

  it("a row says its sandbox, since no group does", () => {
    check("attention", roster([as("idle", { sandbox: "box" })]), [
      "Idle or unknown | 1",
      "  idle | idle · app · in box",
    ]);
  });

  it("sandboxes without sessions are still seen", () => {
    const told = { ...roster([as("idle", { sandbox: "box" })]), sandboxes: [sandbox("box"), sandbox("quiet")] };
    check("attention", told, [
      "Idle or unknown | 1",
      "  idle | idle · app · in box",
      "Sandboxes without sessions | 1",
      "  quiet | 0 · running",
    ]);
  });
});

describe("grouped by project", () => {
  it("is by the folder in which a session began, wherever it went since", () => {
    const rows = [
      session("a", { startCwd: "/home/u/src/app", cwd: "/home/u/src/app/sub" }),
      session("b", { startCwd: null, cwd: "/home/u/src/app" }),
      session("c", { startCwd: "/home/u/lib" }),
    ];
    check("project", roster(rows), [
      "app | 2 · ~/src",
      "  Title of a | working · 3 min",
      "  Title of b | working · 3 min",
      "lib | 1 · ~",
      "  Title of c | working · 3 min",
    ]);
  });

  it("T11: two work trees of one repository are two projects, also with one name", () => {
    const rows = [session("a", { startCwd: "/w/one/app" }), session("b", { startCwd: "/w/two/app" })];
    check("project", roster(rows), [
      "app | 1 · /w/one",
      "  Title of a | working · 3 min",
      "app | 1 · /w/two",
      "  Title of b | working · 3 min",
    ]);
  });

  it("B074: one folder through two names is one project", () => {
    const rows = [
      session("a", { startCwd: "/w/app" }),
      session("b", { startCwd: "/link/app", realStartCwd: "/w/app" }),
      session("c", { startCwd: "/other/app" }),
    ];
    check("project", roster(rows), [
      "app | 1 · /other",
      "  Title of c | working · 3 min",
      "app | 2 · /w",
      "  Title of a | working · 3 min",
      "  Title of b | working · 3 min",
    ]);
  });

  it("marks a folder that is gone, and keeps a session whose folder nobody told", () => {
    const rows = [
      session("a", { startCwd: "/w/gone", folderGone: true }),
      session("b", { startCwd: null, cwd: null }),
      session("c", { startCwd: "C:\\src\\App", sandbox: "box" }),
    ];
    check("project", roster(rows), [
      "App | 1 · C:\\src",
      "  Title of c | working · 3 min · in box",
      "gone | 1 · folder gone · /w",
      "  Title of a | working · 3 min · folder gone",
      "Folder not known | 1",
      "  Title of b | working · 3 min",
    ]);
  });

  it("a group says how many of its rows need you", () => {
    const told = roster([as("needs-you"), as("idle")]);
    assert.equal(treeLines(buildTree(live(told), now, arranged("project")))[0], "app | 2 · 1 needs you · ~/src");
  });
});

describe("grouped by sandbox", () => {
  it("says a sandbox's state, adapter and node, and how old that is", () => {
    const told = {
      ...roster([]),
      sandboxes: [
        sandbox("a", { adapter: "registry", state: "unknown" }),
        sandbox("b", { adapter: "docker", state: "paused", node: "n1", stale: true, asOf: at(4 * 60_000) }),
        sandbox("pidns:7", { derived: true }),
      ],
    };
    check("sandbox", told, [
      "a | 0 · recorded · not known whether it runs",
      "b | 0 · stale 4 min · paused · docker · on n1",
      "pidns:7 | 0 · running · no name is known",
    ]);
  });

  it("keeps every sandbox when the agent is gone, marked stale", () => {
    const told = { ...roster([session("a", { sandbox: "box" })]), sandboxes: [sandbox("box"), sandbox("quiet")] };
    assert.deepEqual(treeLines(buildTree(gone(told, 3 * 60_000), now)), [
      "box | 1 · stale · running",
      "  Title of a | stale 3 min · working · 3 min · app",
      "quiet | 0 · stale 3 min · running",
    ]);
  });

  it("keeps a running sandbox whose sessions all ended, and lets go of a nameless namespace that is no more", () => {
    const told = {
      ...roster([ended("a", 60_000), ended("b", 40_000)].map((row, index) => ({ ...row, sandbox: `box${index}` }))),
      sandboxes: [sandbox("box0", { derived: true }), sandbox("box1", { derived: true, state: "unknown" as const })],
    };
    check("sandbox", told, [
      "box0 | 0 · running · no name is known",
      "Recent | 2 · ended",
      "  Title of b | ended: exited · just now · app",
      "  Title of a | ended: exited · 1 min · app",
    ]);
  });
});

describe("not grouped", () => {
  it("is one list, with Recent below it", () => {
    check("none", roster([session("a"), as("needs-you"), ended("z", 60_000)]), [
      "needs-you | needs you · app",
      "Title of a | working · 3 min · app",
      "Recent | 1 · ended",
      "  Title of z | ended: exited · 1 min · app",
    ]);
  });
});

describe("every grouping", () => {
  const rows = [
    ...statusKinds.map((kind) => as(kind, { sandbox: kind === "idle" ? "box" : null })),
    session("null", { startCwd: null, cwd: null }),
    ended("old", 60_000),
  ];
  it("shows every session exactly once, under the same id", () => {
    const ids = (grouping: Grouping): readonly string[] =>
      [...buildTree(live(roster(rows)), now, arranged(grouping)).nodes.keys()]
        .filter((id) => id.startsWith("session:"))
        .sort();
    const expected = rows.map(({ key }) => `session:${key}`).sort();
    for (const grouping of groupings) assert.deepEqual(ids(grouping), expected, grouping);
  });

  it("a row that comes twice is shown once", () => {
    for (const grouping of groupings)
      treeLines(buildTree(live(roster([session("a"), session("a", { title: "again" })])), now, arranged(grouping)));
  });

  it("L13: puts what ended into Recent after 30 s", () => {
    for (const grouping of groupings) {
      const { nodes } = buildTree(live(roster(rows)), now, arranged(grouping));
      assert.equal(nodes.get(`session:${ended("old", 0).key}`)?.parent, "group:recent", grouping);
    }
  });
});

describe("the setting", () => {
  it("counts as the default where it holds what is no grouping", () => {
    for (const value of [undefined, null, 3, "", "Project", "constructor"])
      assert.equal(groupingFrom(value), "sandbox", String(value));
    assert.equal(groupingFrom("project"), "project");
  });
});
