// Confirmations as a person gives them. VS Code shows no modal dialog in a window that runs a test suite, so this one
// has the extension and no suite: it is driven from here, by keyboard and pointer, and what was confirmed is read from
// the registry's own file.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { launchBrowser } from "../../scripts/workbench/browser.ts";
import { startWorkbench } from "../../scripts/workbench/codeServer.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";
import type { PageApi } from "./page/pageApi.ts";
import { eventually } from "./page/pageClient.ts";
import { workbenchPage } from "./page/workbenchPage.ts";
import type { SuiteResult } from "./runSuite.ts";

const id = "55555555-5555-4555-8555-555555555555";
const startMs = 60_000;

interface Window {
  readonly page: PageApi;
  readonly registry: string;
}

/** In the order in which they run: each begins with what the one before it left. */
const confirmed: readonly (readonly [string, (window: Window) => Promise<void>])[] = [
  [
    "an act that is called off writes nothing",
    async ({ page, registry }) => {
      const before = readFileSync(registry, "utf8");
      await choose(page, "Rollcall: Mark as Departed...", "first");
      await page.click({ role: "button", name: "Cancel" });
      await eventually(
        () => page.ariaSnapshot(),
        (text) => !text.includes("Mark as Departed:"),
      );
      assert.equal(readFileSync(registry, "utf8"), before);
    },
  ],
  [
    "Mark as Departed writes the mark, in the sandbox of the row that was chosen",
    async ({ page, registry }) => {
      await choose(page, "Rollcall: Mark as Departed...", "second");
      await page.screenshot("confirm-depart.png");
      await page.click({ role: "button", name: "Mark as Departed" });
      const stored = await eventually(
        () => slices(registry),
        ({ second }) => second?.[0]?.departed_at_ms !== undefined,
      );
      assert.equal(stored["first"]?.[0]?.departed_at_ms, undefined);
    },
  ],
  [
    "Forget takes the entry out of that sandbox, and leaves the other's",
    async ({ page, registry }) => {
      await choose(page, "Rollcall: Forget Recorded Session...", "first");
      await page.screenshot("confirm-forget.png");
      await page.click({ role: "button", name: "Forget" });
      const stored = await eventually(
        () => slices(registry),
        ({ first }) => first?.length === 0,
      );
      assert.equal(stored["second"]?.length, 1);
    },
  ],
];

export async function runConfirmations(): Promise<SuiteResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-confirm-")));
  const rollcall = new RollcallWorld({ configDirs: [join(folder, ".claude")] });
  const registry = join(rollcall.dataDir, "sandbox-sessions.json");
  mkdirSync(dirname(registry), { recursive: true });
  const entry = { session_id: id, cwd: folder, started_at_ms: Date.now() - startMs, name: "Recorded task" };
  writeFileSync(
    registry,
    `${JSON.stringify({ version: 1, sandboxes: { first: [entry], second: [entry] } }, null, 2)}\n`,
  );
  const [workbench, browser] = await Promise.all([
    startWorkbench({
      extension: { kind: "folder", folder: repositoryRoot },
      env: { ...process.env, ...rollcall.env, EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "" }) },
    }),
    launchBrowser(),
  ]);
  const report = { passes: 0, failures: 0, skipped: 0 };
  try {
    const shown = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    await shown.goto(workbench.url(folder), { timeout: 60_000 });
    const screenshots = process.env["ROLLCALL_TEST_SCREENSHOTS"] ?? join(repositoryRoot, "dist", "test", "screenshots");
    const page = workbenchPage(shown, screenshots);
    await eventually(
      () => page.statusBarItems(),
      (items) => items.some(({ id: of }) => of.endsWith("rollcall.sessions")),
      60_000,
    );
    await page.openContainer("Rollcall");
    await eventually(
      async () => ((await page.tree("Sessions")) ?? []).filter(({ label }) => label === "Recorded task").length,
      2,
      30_000,
    );
    for (const [name, check] of confirmed) {
      try {
        await check({ page, registry });
        report.passes += 1;
        process.stdout.write(`    ✔ ${name}\n`);
      } catch (error) {
        report.failures += 1;
        process.stdout.write(`    ✖ ${name}\n${error instanceof Error ? error.stack : String(error)}\n`);
        await page.screenshot("failure.png");
        break;
      }
    }
  } finally {
    await browser.close();
    await workbench.dispose();
    await rollcall.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return { exitCode: report.failures === 0 && report.passes > 0 ? 0 : 1, report };
}

/** From the palette, the row of one sandbox: both have one title, and the line below it says which is which. */
async function choose(page: PageApi, command: string, sandbox: string): Promise<void> {
  await page.command(command);
  const title = command.replace(/^Rollcall: |\.\.\.$/g, "");
  await eventually(
    () => page.quickInput(),
    (input) => input?.title === title && input.rows.length > 1,
  );
  await page.type(`${sandbox} `);
  await eventually(async () => (await page.quickInput())?.rows.map(({ detail }) => detail.split(" · ")[0]), [sandbox]);
  await page.press("Enter");
  await eventually(
    () => page.ariaSnapshot(),
    (text) => text.includes(` in ${sandbox}?`),
  );
}

interface Stored {
  readonly departed_at_ms?: number;
}

function slices(registry: string): Promise<Readonly<Record<string, readonly Stored[] | undefined>>> {
  const { sandboxes } = JSON.parse(readFileSync(registry, "utf8")) as {
    readonly sandboxes: Record<string, readonly Stored[]>;
  };
  return Promise.resolve(sandboxes);
}
