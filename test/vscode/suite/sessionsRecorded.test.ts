// What the tree does to a session that only the registry knows, through the agent that writes it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { connectPage, eventually } from "../page/pageClient.ts";
import { worldFromEnvironment } from "./standInSession.ts";

const view = "Sessions";
const id = "55555555-5555-4555-8555-555555555555";

describe("a recorded session in the workbench", () => {
  const page = connectPage();
  const world = worldFromEnvironment();
  const file = join(world.folder, "data", "sandbox-sessions.json");
  const labels = async () => ((await page.tree(view)) ?? []).map(({ label }) => label);

  before(async () => {
    mkdirSync(join(world.folder, "data"), { recursive: true });
    const session = { session_id: id, cwd: world.folder, started_at_ms: Date.now() - 60_000, name: "Recorded task" };
    writeFileSync(file, JSON.stringify({ version: 1, sandboxes: { box: [session] } }, null, 2) + "\n");
    await page.openContainer("Rollcall");
    await eventually(labels, (all) => all.includes("Recorded task"), 20_000);
  });

  // VS Code shows no modal dialog in a test but says that it was asked for one; it counts as not answered.
  for (const [title, question] of [
    ["Rollcall: Mark as Departed...", 'Mark as Departed: "Recorded task" in box?'],
    ["Rollcall: Forget Recorded Session...", 'Forget Recorded Session: "Recorded task" in box?'],
  ] as const) {
    it(`${title} asks first, and without an answer changes nothing`, async () => {
      const before = readFileSync(file, "utf8");
      await page.command(title);
      await eventually(
        async () => (await page.quickInput())?.rows.map(({ label }) => label),
        (offered) => offered?.includes("Recorded task") ?? false,
      );
      await page.press("Enter");
      await eventually(
        () => page.notifications(),
        (all) => all.some(({ message }) => message.includes(question)),
      );
      assert.equal(readFileSync(file, "utf8"), before);
      await vscode.commands.executeCommand("notifications.clearAll");
    });
  }
});
