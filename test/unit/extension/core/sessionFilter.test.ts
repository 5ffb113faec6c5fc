import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filterHint, matchesFilter, parseFilter } from "../../../../extension/core/sessionFilter.ts";
import { treeMessage } from "../../../../extension/core/treeMessage.ts";
import { buildTree } from "../../../../extension/core/treeModel.ts";
import type { Session } from "../../../../protocol/roster.ts";
import { at, ended, gone, live, now, roster, session } from "./rosters.ts";
import { arranged, sandbox, treeLines } from "./treeText.ts";

const rows: Readonly<Record<string, Session>> = {
  api: session("1a2b", {
    title: "Fix the API: retries",
    sandbox: "linera-agent",
    openTurns: [{ toolUseId: "t", tool: "Bash", since: at(0), abandoned: false }],
  }),
  docs: session("3c4d", {
    title: "Write docs",
    startCwd: "/home/u/src/Docs Site",
    status: { kind: "needs-you", why: "permission", rule: "r" },
  }),
  old: { ...ended("5e6f", 60_000), title: "Old one", folderGone: true },
};

function check(text: string, expected: readonly string[]): void {
  const filter = parseFilter(text);
  const found = Object.entries(rows).flatMap(([name, row]) => (matchesFilter(filter, row) ? [name] : []));
  assert.deepEqual(found, expected, text);
}

describe("the filter", () => {
  it("takes words that all have to match, in any case and anywhere", () => {
    check("", ["api", "docs", "old"]);
    check("API", ["api"]);
    check("src write", ["docs"]);
    check("write api", []);
    check("linera", ["api"]);
    check("5E6", ["old"]);
    check("bash", ["api"]);
    check("permission", ["docs"]);
  });

  it("takes fields, in any case, and kinds that are only begun", () => {
    check("is:live", ["api", "docs"]);
    check("is:ended", ["old"]);
    check("is:gone", ["old"]);
    check("is:sandboxed", ["api"]);
    check("is:host", ["docs", "old"]);
    check("STATUS:Working", ["api"]);
    check("status:need", ["docs"]);
    check("status:permission", ["docs"]);
    check("sandbox:linera", ["api"]);
    check("tool:bash", ["api"]);
    check("title:one", ["old"]);
    check("id:3c4d", ["docs"]);
    check("folder:app", ["api", "docs", "old"]);
    check('folder:"docs site"', ["docs"]);
  });

  it("turns a term round after a minus", () => {
    check("-is:live", ["old"]);
    check("-status:needs-you -is:ended", ["api"]);
    check('-"write docs"', ["api", "old"]);
    check("-", ["api", "docs", "old"]);
  });

  it("asks for nothing while a value or a quote is being typed", () => {
    check("status:", ["api", "docs", "old"]);
    check('"', ["api", "docs", "old"]);
    check('"write do', ["docs"]);
    check("  \t ", ["api", "docs", "old"]);
  });

  it("takes what names no field as a word, since titles hold colons", () => {
    check("API:", ["api"]);
    check("http://x", []);
    check("constructor:x", []);
  });

  it("finds nothing by a state that there is not, and says which there are", () => {
    check("is:liev", []);
    check("is:constructor", []);
    assert.match(filterHint(parseFilter("is:liev")) ?? "", /is:liev is not known; there are live, ended/);
    assert.match(filterHint(parseFilter("a status:x")) ?? "", /status:x is not known/);
    assert.equal(filterHint(parseFilter("is:live status:w is:needs-you")), undefined);
  });
});

describe("a filtered tree", () => {
  const told = { ...roster(Object.values(rows)), sandboxes: [sandbox("linera-agent"), sandbox("quiet")] };

  it("says how many rows are shown, and how many of the hidden need you", () => {
    const { filter } = arranged("sandbox", "is:ended");
    const model = buildTree(live(told), now, arranged("sandbox", "is:ended"));
    assert.deepEqual(treeLines(model), ["Recent | 1 · ended", "  Old one | ended: exited · 1 min · folder gone · app"]);
    assert.equal(
      treeMessage(live(told), model, filter, now),
      "Filter “is:ended”: 1 of 3 shown, 1 of the hidden needs you.",
    );
  });

  it("says so where nothing matches too, and beside what is stale", () => {
    const { filter } = arranged("none", "nothing");
    const state = gone(told, 60_000);
    const model = buildTree(state, now, arranged("none", "nothing"));
    assert.deepEqual(model.roots, []);
    assert.match(
      treeMessage(state, model, filter, now),
      /^Filter “nothing”: 0 of 3 shown, 1 of the hidden needs you\. Agent gone; last heard 1 min ago/,
    );
  });

  it("shows a sandbox without sessions where it is meant", () => {
    const names = (text: string): readonly string[] =>
      treeLines(buildTree(live(told), now, arranged("sandbox", text))).map((line) => line.split(" | ")[0] ?? "");
    assert.deepEqual(names("quiet"), ["quiet"]);
    assert.deepEqual(names("sandbox:quiet"), ["quiet"]);
    assert.deepEqual(names("is:live sandbox:quiet"), []);
    assert.deepEqual(names("Fix"), ["linera-agent", "  Fix the API: retries", "    Bash"]);
  });

  it("says nothing without a filter", () => {
    assert.equal(treeMessage(live(told), buildTree(live(told), now), parseFilter(" "), now), "");
  });
});
