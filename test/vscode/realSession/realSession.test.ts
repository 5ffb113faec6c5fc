// A real session as a person sees it in the workbench: at each step of its life the tree's row and the status
// bar say what is so. The agent runs in the process that started this suite and is asked step by step.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";
import { connectPage } from "../page/pageClient.ts";
import type { TreeRow } from "../page/pageApi.ts";

interface Row {
  /** The scenario's step. */
  readonly step: string;
  /** What the row's description begins with. */
  readonly description: RegExp;
  readonly statusBar: RegExp;
  readonly badge: string | undefined;
  /** Labels of the row's children. */
  readonly children?: RegExp;
}

const rows: readonly Row[] = [
  { step: "idle: started, nothing asked yet", description: /^idle/, statusBar: /1 live/, badge: undefined },
  { step: "busy: an answer streams", description: /^working/, statusBar: /1 working/, badge: undefined },
  { step: "turn end: the answer is whole", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  {
    step: "permission asked",
    description: /^permission · Bash/,
    statusBar: /1 needs you/,
    badge: "1",
    children: /Bash/,
  },
  { step: "permission answered", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  {
    step: "question asked",
    description: /^question · (?!AskUserQuestion)/,
    statusBar: /1 needs you/,
    badge: "1",
    children: /AskUserQuestion/,
  },
  { step: "question answered", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  { step: "Escape in the middle of an answer", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  { step: "Escape before any output", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  {
    step: "background shell: the turn ended, its shell runs",
    description: /^working in background/,
    statusBar: /1 live/,
    badge: undefined,
  },
  { step: "background shell ended", description: /^waiting for you/, statusBar: /1 live/, badge: undefined },
  {
    step: "killed with kill -9 in the middle of a permission prompt",
    description: /^ended: killed/,
    statusBar: /no live|0 live|no sessions/,
    badge: undefined,
  },
];

/** The product says it within one; reading the page back costs some of its own. */
const withinMs = 1_000;
const pageSlackMs = 1_500;

/** What opens the session's row. */
const twistie = { selector: '.pane-body [role="treeitem"][aria-level="2"] .monaco-tl-twistie' } as const;

describe("a real session in the workbench", () => {
  const page = connectPage();
  let stage: ScenarioClient;
  let played = 0;

  before(async () => {
    stage = await ScenarioClient.connect(process.env["ROLLCALL_TEST_SCENARIO"] ?? "");
    await page.openContainer("Rollcall");
  });
  after(() => stage.close());

  for (const [index, expected] of rows.entries()) {
    it(expected.step, async () => {
      assert.equal(played, index, "an earlier step failed");
      await stage.play(expected.step);
      await says(expected);
      await page.screenshot(`real-${String(index + 1).padStart(2, "0")}.png`);
      played += 1;
    });
  }

  it("played every step", () => {
    assert.equal(played, rows.length);
    assert.ok(played >= 12);
  });

  async function says(expected: Row): Promise<void> {
    const began = performance.now();
    for (;;) {
      const [tree, items, badge] = await Promise.all([
        page.tree("Sessions"),
        page.statusBarItems(),
        page.badge("Rollcall"),
      ]);
      const row = tree?.find(({ level, description }) => level === 2 && description !== "");
      if (expected.children !== undefined && row?.expanded === false) await page.click(twistie);
      const children = childrenOf(tree ?? [], row);
      const statusBar = items.find(({ id }) => id.endsWith("rollcall.sessions"))?.text ?? "";
      const seen = JSON.stringify({ row: row?.description, children, statusBar, badge });
      const right =
        expected.description.test(row?.description ?? "") &&
        expected.statusBar.test(statusBar) &&
        badge === expected.badge &&
        (expected.children === undefined || expected.children.test(children));
      if (right) {
        await page.log(`      in the tree after ${Math.round(performance.now() - began)} ms: ${seen}`);
        return;
      }
      if (performance.now() - began > withinMs + pageSlackMs)
        assert.fail(`the workbench does not say ${expected.step}: ${seen}`);
    }
  }
});

/** The rows below one row; a session's row is opened by the tree when it has open turns. */
function childrenOf(tree: readonly TreeRow[], row: TreeRow | undefined): string {
  if (row === undefined) return "";
  const from = tree.indexOf(row) + 1;
  const below = tree.slice(from);
  const end = below.findIndex(({ level }) => level <= row.level);
  return (end < 0 ? below : below.slice(0, end)).map(({ label, description }) => `${label} ${description}`).join("; ");
}

class ScenarioClient {
  private readonly socket: Socket;
  private readonly lines: Interface;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.lines = createInterface({ input: socket });
  }

  static connect(path: string): Promise<ScenarioClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(path, () => resolve(new ScenarioClient(socket)));
      socket.once("error", reject);
    });
  }

  play(step: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.lines.once("line", (line) => {
        const answer = JSON.parse(line) as { ok: boolean; error?: string };
        if (answer.ok) resolve();
        else reject(new Error(answer.error));
      });
      this.socket.write(`${step}\n`);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
