// A session's page in a real workbench: opened by a click on its row, it follows the living session, and its buttons
// and keys do what they say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { connectPage, eventually } from "../page/pageClient.ts";
import { StandInSession, worldFromEnvironment } from "./standInSession.ts";
import { StandInTranscript } from "./standInTranscript.ts";

const view = "Sessions";
const id = "33333333-3333-4333-8333-333333333333";
const otherId = "44444444-4444-4444-8444-444444444444";
const title = "Watched task";
const otherTitle = "Other task";

describe("a session's page in the workbench", () => {
  const page = connectPage();
  const world = worldFromEnvironment();
  const transcript = new StandInTranscript(world, id);
  const sessions: StandInSession[] = [];

  const content = (): Promise<string> => page.ariaSnapshot({ selector: "main", in: "webview" });
  const says = (pattern: RegExp): Promise<string> => eventually(content, (text) => pattern.test(text), 20_000);
  const tabs = async (): Promise<readonly string[]> => (await page.editorTabs()).map(({ label }) => label);
  const clickRow = async (label: string): Promise<void> => {
    const row = await eventually(
      async () => ((await page.tree(view)) ?? []).find((each) => each.label === label),
      (each) => each !== undefined,
    );
    await page.click({ role: "treeitem", name: row?.ariaLabel ?? "" });
  };

  before(async () => {
    await page.openContainer("Rollcall");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const session = new StandInSession(world, id, title);
    sessions.push(session, new StandInSession(world, otherId, otherTitle));
    transcript.prompt("Build the release");
    session.says({ name: title, status: "busy" });
  });
  after(async () => {
    for (const session of sessions) session.end();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("opens by a click on its row", async () => {
    await clickRow(title);
    await eventually(tabs, (all) => all.includes(title));
    const text = await says(/heading "Watched task"/);
    assert.match(text, /region "Timeline newest first"/);
    assert.match(text, /Rule \S+:/);
    // Once its record says busy.
    await says(/treeitem ".*Build the release.*running/);
  });

  it("shows an open tool that grows, and then its end", async () => {
    transcript.call("toolu_1", "Bash", { command: "make release" });
    const open = /treeitem "Bash make release open (\d+) s/;
    const seconds = async (): Promise<number> => Number(open.exec(await content())?.[1] ?? -1);
    const first = await eventually(seconds, (value) => value >= 0, 20_000);
    await eventually(seconds, (value) => value > first, 20_000);
    await page.screenshot("detail-open-tool.png");
    transcript.result("toolu_1");
    await says(/treeitem "Bash make release done/);
  });

  it("shows a new status with the rule that decided, and speaks of it", async () => {
    sessions[0]?.says({ name: title, status: "waiting", waitingFor: "permission prompt" });
    const text = await says(/needs you: permission[^]*record-waits-for-permission/);
    assert.match(text, /region "Status changes newest first"[^]*needs you: permission/);
    await page.screenshot("detail-needs-you.png");
  });

  it("takes the page of the last click for the next, until something was done on it", async () => {
    await clickRow(otherTitle);
    await says(/heading "Other task"/);
    assert.deepEqual(
      (await tabs()).filter((tab) => [title, otherTitle].includes(tab)),
      [otherTitle],
    );
    await page.click({ role: "button", name: "Copy Id", in: "webview" });
    await eventually(async () => vscode.env.clipboard.readText(), otherId);
    await clickRow(title);
    await says(/heading "Watched task"/);
    assert.deepEqual((await tabs()).filter((tab) => [title, otherTitle].includes(tab)).sort(), [otherTitle, title]);
  });

  it("is opened from the palette, and shown where it is open already", async () => {
    const before = (await tabs()).length;
    await page.command("Rollcall: Open Detail");
    await eventually(
      async () => (await page.quickInput())?.rows.map(({ label }) => label) ?? [],
      (labels) => labels.includes(otherTitle),
    );
    await page.type(otherTitle);
    await page.press("Enter");
    await says(/heading "Other task"/);
    assert.equal((await tabs()).length, before);
  });

  it("opens the evidence as text", async () => {
    await page.click({ role: "button", name: "Why as Text", in: "webview" });
    await eventually(
      async () => vscode.window.activeTextEditor?.document.getText() ?? "",
      (text) => text.includes(otherId),
    );
  });

  it("keeps what it showed when the agent is gone, and follows again", async () => {
    await clickRow(title);
    await says(/heading "Watched task"/);
    await vscode.commands.executeCommand("workbench.action.closeOtherEditors");
    const lock = JSON.parse(readFileSync(`${world.folder}/data/agent.lock`, "utf8")) as { pid: number };
    process.kill(lock.pid, "SIGSTOP");
    try {
      const text = await eventually(content, (each) => each.includes("The agent is gone"), 25_000);
      assert.match(text, /treeitem "Bash make release done/);
      await page.screenshot("detail-stale.png");
    } finally {
      process.kill(lock.pid, "SIGKILL");
    }
    await eventually(content, (each) => !each.includes("The agent is gone"), 25_000);
    transcript.call("toolu_2", "Bash", { command: "make again" });
    const text = await says(/treeitem "Bash make again open/);
    assert.match(text, /record-waits-for-permission/, "the history outlives the agent");
  });
});
