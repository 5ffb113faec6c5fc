// The tree of sessions in a real workbench with a thousand rows that are made up: what is drawn again when few of
// them change, what stays as the person left it, and that no change is lost while the tree is loading.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Grouping } from "../../../extension/core/arrangement.ts";
import { parseFilter } from "../../../extension/core/sessionFilter.ts";
import { SessionsTree } from "../../../extension/views/sessionsTree.ts";
import type { Session } from "../../../protocol/roster.ts";
import { at, live, now, roster, session } from "../../unit/extension/core/rosters.ts";
import type { TreeRow } from "../page/pageApi.ts";
import { connectPage, eventually } from "../page/pageClient.ts";

const view = "Row Sessions";

/** Counts what VS Code asks for. */
class CountedTree extends SessionsTree {
  items = 0;
  children = 0;
  readonly payloads: (readonly string[] | "whole")[] = [];

  override getTreeItem(id: string): ReturnType<SessionsTree["getTreeItem"]> {
    this.items += 1;
    return super.getTreeItem(id);
  }

  override getChildren(id?: string): string[] {
    this.children += 1;
    return super.getChildren(id);
  }

  forget(): void {
    this.items = 0;
    this.children = 0;
    this.payloads.length = 0;
  }
}

describe("a tree of a thousand rows", () => {
  const page = connectPage();
  let grouping: Grouping = "sandbox";
  let filter = "";
  let tree: CountedTree;
  let rows: readonly Session[] = Array.from({ length: 1_000 }, (_, index) =>
    session(`s${index}`, {
      title: `Row ${String(index).padStart(4, "0")}`,
      status: { kind: "working", rule: "r" },
      sandbox: index < 900 ? null : `box-${index % 3}`,
      startCwd: `/p/${index % 7}`,
    }),
  );

  const draw = (): void => tree.draw(live(roster(rows)), now);
  const change = (wanted: (index: number) => boolean, more: (row: Session) => Partial<Session>): void => {
    rows = rows.map((row, index) => (wanted(index) ? { ...row, ...more(row) } : row));
    draw();
  };
  const seen = async (): Promise<readonly TreeRow[]> => (await page.tree(view)) ?? [];
  const described = async (label: string): Promise<string | undefined> =>
    (await seen()).find((row) => row.label === label)?.description;
  /** Until VS Code asks for nothing more. */
  const quiet = async (): Promise<void> => {
    let before = -1;
    await eventually(async () => {
      const same = before === tree.items + tree.children;
      before = tree.items + tree.children;
      if (!same) await delay(300);
      return same;
    }, true);
  };
  const open = (tool: string) => ({ openTurns: [{ toolUseId: "t", tool, since: at(0), abandoned: false }] });
  const setTool = (tool: string) => () => open(tool);

  before(async () => {
    tree = new CountedTree({
      viewId: "rows.sessions",
      format: String,
      arrangement: () => ({ grouping, filter: parseFilter(filter), homeDir: undefined }),
    });
    tree.onDidChangeTreeData((ids) => tree.payloads.push(ids ?? "whole"));
    draw();
    await page.openContainer("Rows");
    await eventually(seen, (all) => all.length > 10);
    await quiet();
  });
  after(() => tree.dispose());

  for (const count of [1, 100]) {
    it(`asks for ${count} rows again when ${count} changed`, async () => {
      tree.forget();
      change((index) => index < count, setTool(`Tool${count}`));
      await eventually(() => described("Row 0000"), `working · Tool${count} · 0`);
      await quiet();
      assert.equal(tree.payloads.length, 1);
      assert.equal(tree.payloads[0]?.length, count);
      await page.log(`${count} changed: ${tree.items} items, ${tree.children} lists of children asked for`);
      assert.equal(tree.items, count);
    });
  }

  it("asks for nothing when nothing changed that is seen", async () => {
    tree.forget();
    draw();
    tree.draw(live(roster(rows)), now + 5_000);
    await quiet();
    assert.deepEqual([tree.payloads, tree.items, tree.children], [[], 0, 0]);
  });

  it("keeps selection, what is open, and the place while rows change, come, leave and move", async () => {
    await page.click({ role: "treeitem", name: (await seen())[2]?.ariaLabel ?? "" });
    await page.press("ArrowRight");
    const chosen = "Row 0001";
    const isKept = (all: readonly TreeRow[]): boolean => {
      const at = all.findIndex(({ label }) => label === chosen);
      return all[at]?.selected === true && all[at].expanded === true && all[at + 1]?.level === 3;
    };
    await eventually(seen, isKept);
    change((index) => index === 1, setTool("Grep"));
    await eventually(() => described(chosen), "working · Grep · 1");
    await eventually(seen, isKept);
    const [first, ...others] = rows;
    rows = others;
    draw();
    await eventually(seen, (all) => !all.some(({ label }) => label === "Row 0000") && isKept(all));
    rows = first === undefined ? rows : [first, ...rows];
    draw();
    await eventually(seen, (all) => all.some(({ label }) => label === "Row 0000") && isKept(all));
    change(
      (index) => index === 5,
      () => ({ sandbox: "box-1" }),
    );
    await eventually(seen, (all) => !all.some(({ label }) => label === "Row 0005") && isKept(all));
  });

  it("keeps the place in a list that was scrolled", async () => {
    await page.press("PageDown", "PageDown", "PageDown");
    const top = async (): Promise<string | undefined> => (await seen())[3]?.label;
    const before = await eventually(top, (label) => label !== undefined && label > "Row 0020");
    change((index) => index % 2 === 0, setTool("Write"));
    await eventually(seen, (all) => all.some(({ description }) => description.includes("Write")));
    await quiet();
    assert.equal(await top(), before);
    await page.press("Home");
  });

  for (const [wanted, group] of [
    ["attention", "Working"],
    ["project", "1"],
    ["none", "Row 0001"],
    ["sandbox", "This host"],
  ] as const) {
    it(`a row that was opened and chosen stays so when grouped by ${wanted}`, async () => {
      grouping = wanted;
      filter = "Row 0001";
      draw();
      await eventually(seen, (all) => {
        const at = all.findIndex(({ label }) => label === "Row 0001");
        const row = all[at];
        return all[0]?.label === group && row?.expanded === true && row.selected && all[at + 1]?.label === "Grep";
      });
    });
  }

  it("loses no change that comes while the tree is being loaded", async () => {
    filter = "";
    for (let round = 0; round < 12; round += 1) {
      grouping = round % 2 === 0 ? "none" : "sandbox";
      // A whole redraw, then single rows while VS Code still asks for what it needs.
      draw();
      for (let step = 0; step < 25; step += 1) {
        change((index) => index % 50 === step % 50, setTool(`R${round}S${step}`));
        await delay(step % 5 === 0 ? 15 : 0);
      }
      await showsLast(`Last${round}`);
    }
  });

  it("loses no change that comes while the view is hidden or shown again", async () => {
    for (let round = 0; round < 6; round += 1) {
      await page.openContainer("Search");
      for (let step = 0; step < 5; step += 1) {
        change((index) => index % 50 === step, setTool(`H${round}S${step}`));
        await delay(step * 20);
      }
      const shown = page.openContainer("Rows");
      for (let step = 0; step < 10; step += 1) {
        change((index) => index % 50 === step, setTool(`H${round}T${step}`));
        await delay(step * 5);
      }
      await shown;
      await showsLast(`Hidden${round}`);
    }
  });

  /** Changes the rows on screen once more, and waits until each says so. */
  async function showsLast(tool: string): Promise<void> {
    change((index) => index < 40, setTool(tool));
    await eventually(
      async () =>
        (await seen())
          .filter(({ label }) => label.startsWith("Row ") && Number(label.slice(4)) < 40)
          .filter(({ description }) => !description.startsWith(`working · ${tool}`))
          .map(({ label, description }) => `${label}: ${description}`),
      [],
    );
    await eventually(seen, (all) => all.length > 10);
  }
});
