// The views as a person has them in front of them: many sessions of every kind, in light and dark, narrow and
// wide. Asserts what the accessible tree says; the pictures are for the eye.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { groupings } from "../../../extension/core/arrangement.ts";
import { connectPage, eventually } from "../page/pageClient.ts";
import { setTheme } from "../suite/theme.ts";
import { StandInSession, worldFromEnvironment } from "../suite/standInSession.ts";

interface Shown {
  readonly name: string;
  readonly status: string;
  readonly waitingFor?: string;
  /** An open call in the transcript. */
  readonly tool?: string;
  /** The last turn ended with this API error. */
  readonly error?: string;
  readonly says: RegExp;
}

const shown: readonly Shown[] = [
  {
    name: "Migrate the billing tables",
    status: "waiting",
    waitingFor: "permission prompt",
    tool: "Bash",
    says: /^permission · Bash/,
  },
  {
    name: "Which colour for the header?",
    status: "waiting",
    waitingFor: "input needed",
    tool: "AskUserQuestion",
    says: /^question · (?!AskUserQuestion)/,
  },
  {
    name: "Plan the cache rewrite",
    status: "waiting",
    waitingFor: "permission prompt",
    tool: "ExitPlanMode",
    says: /^plan · (?!ExitPlanMode)/,
  },
  { name: "Upgrade dependencies", status: "idle", error: "rate_limit", says: /^usage limit/ },
  {
    name: "Fix the flaky login test on Windows, which fails only when the clock is set back",
    status: "busy",
    tool: "Edit",
    says: /^working · Edit/,
  },
  { name: "Write release notes", status: "busy", says: /^working/ },
  { name: "Serve the docs locally", status: "shell", says: /^working in background/ },
  { name: "Größen prüfen – früh", status: "idle", says: /^idle|^waiting/ },
];

/** A long title is cut in its row. */
function isRowOf(label: string | undefined, name: string): boolean {
  if (label === undefined) return false;
  return label === name || (label.endsWith("…") && name.startsWith(label.slice(0, -1)));
}

describe("the views, to look at", () => {
  const page = connectPage();
  const world = worldFromEnvironment();
  const sessions: StandInSession[] = [];

  before(async () => {
    for (const [index, each] of shown.entries()) {
      const id = `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
      const session = new StandInSession(world, id, each.name);
      sessions.push(session);
      writeTranscript(id, each);
      const { name, status, waitingFor } = each;
      session.says({ name, status, ...(waitingFor === undefined ? {} : { waitingFor }) });
    }
    await page.openContainer("Rollcall");
  });
  after(() => {
    for (const session of sessions) session.end();
  });

  it("tells each session by its status", async () => {
    const wrong = async (): Promise<string> => {
      const tree = (await page.tree("Sessions")) ?? [];
      const rows = shown.map(({ name, says }) => ({ says, row: tree.find(({ label }) => isRowOf(label, name)) }));
      return rows
        .filter(({ says, row }) => !says.test(row?.description ?? ""))
        .map(({ says, row }) => `${row?.label ?? "no row"} says ${row?.description ?? "nothing"}, not ${String(says)}`)
        .join("; ");
    };
    await eventually(wrong, "", 20_000);
    assert.equal(await page.badge("Rollcall"), "3");
  });

  for (const theme of ["dark", "light"] as const) {
    for (const [size, width] of [
      ["wide", 1400],
      ["narrow", 700],
    ] as const) {
      it(`looks right in ${theme}, ${size}`, async () => {
        await setTheme(page, theme);
        await page.resize(width, 800);
        assert.equal(await page.theme(), theme);
        for (const grouping of groupings) {
          await groupBy(grouping);
          await page.screenshot(`gallery-${theme}-${size}-${grouping}.png`);
        }
        await groupBy("sandbox");
        await page.command("Rollcall: Filter Sessions...");
        await eventually(async () => (await page.quickInput())?.title, "Filter Sessions");
        await page.type("status:needs-you -plan");
        await eventually(names, ["Migrate the billing tables", "Which colour for the header?"]);
        await page.screenshot(`gallery-${theme}-${size}-filtering.png`);
        await page.press("Enter");
        await page.screenshot(`gallery-${theme}-${size}-filtered.png`);
        await page.command("Rollcall: Clear Filter");
        await eventually(names, (all) => all.length === shown.length);
        await page.click({ selector: '.part.sidebar .composite.title [aria-label="Group By"]' });
        await page.screenshot(`gallery-${theme}-${size}-menu.png`);
        await page.press("Escape");
      });
    }
  }

  async function names(): Promise<readonly string[]> {
    const labels = ((await page.tree("Sessions")) ?? []).map(({ label }) => label);
    return labels.filter((label) => shown.some(({ name }) => isRowOf(label, name)));
  }

  /** Until the tree says so and holds every row. */
  async function groupBy(grouping: (typeof groupings)[number]): Promise<void> {
    await vscode.workspace.getConfiguration("rollcall").update("groupBy", grouping, vscode.ConfigurationTarget.Global);
    const first = { sandbox: "This host", project: basename(world.folder), attention: "Needs you" } as const;
    await eventually(
      async () => (await page.tree("Sessions"))?.[0]?.label,
      (label) => (grouping === "none" ? shown.some(({ name }) => isRowOf(label, name)) : label === first[grouping]),
    );
    await eventually(names, (all) => all.length === shown.length);
  }

  for (const theme of ["dark", "light"] as const) {
    for (const [size, width] of [
      ["wide", 1700],
      ["narrow", 700],
    ] as const) {
      it(`shows a session's page in ${theme}, ${size}`, async () => {
        await setTheme(page, theme);
        await page.resize(width, 1000);
        const id = "00000004-0000-4000-8000-000000000000";
        await vscode.commands.executeCommand("rollcall.openDetail", `session:${world.configDir}#${id}`);
        await eventually(
          () => page.ariaSnapshot({ selector: "main", in: "webview" }),
          (text) => text.includes('treeitem "Edit'),
          20_000,
        );
        await page.screenshot(`gallery-page-${theme}-${size}.png`);
      });
    }
  }

  function writeTranscript(id: string, { name, status, tool, error }: Shown): void {
    const folder = join(world.configDir, "projects", "-scratch");
    mkdirSync(folder, { recursive: true });
    const line = (record: object): string =>
      `${JSON.stringify({ sessionId: id, cwd: world.folder, timestamp: new Date().toISOString(), ...record })}\n`;
    const lines = [line({ type: "user", promptSource: "typed", message: { role: "user", content: name } })];
    if (tool !== undefined)
      lines.push(
        line({
          type: "assistant",
          message: { content: [{ type: "tool_use", id: `toolu_${id}`, name: tool, input: {} }] },
        }),
      );
    if (error !== undefined)
      lines.push(
        line({
          type: "assistant",
          isApiErrorMessage: true,
          error,
          message: { content: [{ type: "text", text: "You've hit your limit" }] },
        }),
      );
    // Idle, or at work in the background only: the turn has ended.
    if (status === "shell" || (status === "idle" && error === undefined))
      lines.push(line({ type: "system", subtype: "turn_duration" }));
    writeFileSync(join(folder, `${id}.jsonl`), lines.join(""));
  }
});
