// What a person sees of the sessions in a real workbench, from an empty world to a killed agent.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Target } from "../page/pageApi.ts";
import { connectPage, eventually } from "../page/pageClient.ts";
import { standInExecutable, StandInSession, worldFromEnvironment, writeRecord } from "./standInSession.ts";

const view = "Sessions";
const firstId = "11111111-1111-4111-8111-111111111111";
const secondId = "22222222-2222-4222-8222-222222222222";

describe("sessions in the workbench", () => {
  const page = connectPage();
  const world = worldFromEnvironment();
  const sessions: StandInSession[] = [];
  const titles: readonly string[] = ["First task", "Second task"];
  /** Only this world's: the tree also shows what else runs on the machine. */
  const rows = async (): Promise<readonly string[]> =>
    ((await page.tree(view)) ?? []).map(({ label }) => label).filter((label) => titles.includes(label));
  const row = async (label: string) => ((await page.tree(view)) ?? []).find((each) => each.label === label);
  const statusText = async (): Promise<string> =>
    (await page.statusBarItems()).find(({ id }) => id.endsWith("rollcall.sessions"))?.text ?? "";
  const agentPid = (): number =>
    (JSON.parse(readFileSync(join(world.folder, "data", "agent.lock"), "utf8")) as { pid: number }).pid;

  /** While no agent holds the lock there is none. */
  const agentIsAnother = (pid: number): boolean => {
    try {
      return agentPid() !== pid;
    } catch {
      return false;
    }
  };

  before(() => page.openContainer("Rollcall"));

  after(() => {
    for (const session of sessions) session.end();
  });

  it("says that it cannot tell while a source does not answer", async () => {
    const records = join(world.configDir, "sessions");
    writeFileSync(records, "");
    const welcome = await eventually(
      () => page.viewWelcome(view),
      (text) => /cannot tell/i.test(text ?? ""),
      20_000,
    );
    assert.ok(welcome !== undefined);
    await eventually(statusText, (text) => text.includes("cannot tell"));
    await page.screenshot("sessions-cannot-tell.png");
    rmSync(records);
  });

  it("says that there is none only because every source answered so", async () => {
    const welcome = await eventually(
      () => page.viewWelcome(view),
      (text) => text?.includes("Every source answered so") ?? false,
      20_000,
    );
    assert.ok(welcome !== undefined);
    await eventually(statusText, (text) => text.includes("no sessions"));
    await page.screenshot("sessions-none.png");
  });

  it("shows a session that begins, and its status as it changes", async () => {
    const session = new StandInSession(world, firstId, "First task");
    sessions.push(session);
    await eventually(rows, ["First task"]);
    await eventually(statusText, (text) => /[1-9]\d* live/.test(text));
    session.says({ name: "First task", status: "waiting", waitingFor: "permission prompt" });
    await eventually(
      async () => (await row("First task"))?.description ?? "",
      (text) => text.startsWith("permission"),
    );
    await eventually(() => page.badge("Rollcall"), "1");
    const item = (await page.statusBarItems()).find(({ id }) => id.endsWith("rollcall.sessions"));
    assert.equal(item?.kind, "warning");
    await page.screenshot("sessions-needs-you.png");
  });

  it("says why in the hover and in a document", async function () {
    // Whether VS Code opens a hover under a scripted pointer is not ours to promise; what stands in it is.
    this.retries(2);
    const shown = await row("First task");
    const target = { role: "treeitem", name: shown?.ariaLabel ?? "" };
    const item = (await page.statusBarItems()).find(({ id }) => id.endsWith("rollcall.sessions"));
    await eventually(
      () => hoverText({ role: "button", name: item?.ariaLabel ?? "" }),
      (text) => text.includes("What each source last said"),
      30_000,
    );
    await eventually(
      () => hoverText(target),
      (text) => text.includes("record-waits-for-permission"),
      30_000,
    );
    await page.screenshot("sessions-hover.png");
    await vscode.commands.executeCommand("rollcall.why", await nodeId("First task"));
    await eventually(
      async () => vscode.window.activeTextEditor?.document.getText() ?? "",
      (text) => text.includes("record-waits-for-permission") && text.includes(firstId),
    );
    await page.screenshot("sessions-why.png");
  });

  it("keeps the rows when the agent is killed, and the agent comes back by itself", async () => {
    const killed = agentPid();
    process.kill(killed, "SIGSTOP");
    await eventually(
      async () => (await row("First task"))?.description ?? "",
      (text) => text.startsWith("stale"),
      25_000,
    );
    await eventually(statusText, (text) => /\d live/.test(text) && text.includes("stale"));
    await page.screenshot("sessions-stale.png");
    process.kill(killed, "SIGKILL");
    await eventually(statusText, (text) => /\d live/.test(text) && !text.includes("stale"), 25_000);
    assert.notEqual(agentPid(), killed);
    await eventually(rows, ["First task"]);
  });

  it("never empties the tree when the agent is ended with kill -9", async () => {
    const killed = agentPid();
    process.kill(killed, "SIGKILL");
    const seen: (readonly string[])[] = [];
    const back = eventually(
      async () => (agentIsAnother(killed) ? await statusText() : ""),
      (text) => text.includes("1 live") && !text.includes("stale"),
      25_000,
    );
    const over = new AbortController();
    const watched = (async () => {
      while (!over.signal.aborted) seen.push(await rows());
    })();
    await back.finally(() => over.abort());
    await watched;
    assert.ok(seen.length > 3);
    for (const each of seen) assert.deepEqual(each, ["First task"]);
  });

  it("goes to the terminal of a session, and says when it is elsewhere", async () => {
    const terminal = vscode.window.createTerminal({ name: "second", cwd: world.folder });
    terminal.sendText(`exec '${standInExecutable(world)}' 600`);
    const pid = await eventually(
      async () => (await terminal.processId) ?? 0,
      (each) => each > 0,
    );
    await eventually(async () => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "claude");
    writeRecord(world, pid, secondId, { name: "Second task", status: "busy" });
    await eventually(rows, ["First task", "Second task"]);
    await vscode.commands.executeCommand("rollcall.refresh");
    await eventually(statusText, (text) => Number(/(\d+) live/.exec(text)?.[1]) >= 2, 20_000);
    await vscode.commands.executeCommand("rollcall.goToTerminal", await nodeId("Second task"));
    await eventually(async () => vscode.window.activeTerminal?.name, "second");
    await vscode.commands.executeCommand("rollcall.goToTerminal", await nodeId("First task"));
    const [notification] = await eventually(
      () => page.notifications(),
      (all) => all.length === 1,
    );
    assert.match(notification?.message ?? "", /runs in no terminal of this window/);
    terminal.dispose();
  });

  it("moves a session that was killed out of the live ones", async () => {
    sessions[0]?.end();
    await eventually(
      async () => (await row("First task"))?.description ?? "",
      (text) => text.startsWith("ended"),
      20_000,
    );
  });

  /** Empty when no hover came up: a row that is drawn again loses the one that is about to open. */
  async function hoverText(target: Target): Promise<string> {
    try {
      return await page.hover(target);
    } catch (error) {
      await page.log(`no hover: ${String(error)}`);
      return "";
    }
  }

  /** As the tree names it: the config folder and the conversation's id. */
  async function nodeId(label: string): Promise<string> {
    const id = label === "First task" ? firstId : secondId;
    return `session:${world.configDir}#${id}`;
  }
});
