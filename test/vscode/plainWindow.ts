// A window that has the extension and runs no test suite, driven from here by keyboard and pointer. In a window that runs
// one VS Code shows no modal dialog; here a person's every step is taken as a person takes it.
import { join } from "node:path";
import { launchBrowser } from "../../scripts/workbench/browser.ts";
import { startWorkbench } from "../../scripts/workbench/codeServer.ts";
import { repositoryRoot } from "../support/rollcall/world.ts";
import type { PageApi } from "./page/pageApi.ts";
import { eventually } from "./page/pageClient.ts";
import { workbenchPage } from "./page/workbenchPage.ts";
import type { SuiteResult } from "./runSuite.ts";

export interface PlainWindow {
  readonly folder: string;
  /** Added to this process' own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** In the order in which they run; each begins with what the one before it left. */
  readonly steps: readonly (readonly [string, (page: PageApi) => Promise<void>])[];
}

export async function runInPlainWindow({ folder, env, settings, steps }: PlainWindow): Promise<SuiteResult> {
  const [workbench, browser] = await Promise.all([
    startWorkbench({
      extension: { kind: "folder", folder: repositoryRoot },
      env: { ...process.env, ...env, EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "" }) },
      ...(settings === undefined ? {} : { settings }),
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
      (items) => items.some(({ id }) => id.endsWith("rollcall.sessions")),
      60_000,
    );
    await page.openContainer("Rollcall");
    for (const [name, step] of steps) {
      try {
        await step(page);
        report.passes += 1;
        process.stdout.write(`    ✔ ${name}\n`);
      } catch (error) {
        report.failures += 1;
        process.stdout.write(`    ✖ ${name}\n${error instanceof Error ? String(error.stack) : String(error)}\n`);
        await page.screenshot("failure.png");
        break;
      }
    }
  } finally {
    await browser.close();
    await workbench.dispose();
  }
  return { exitCode: report.failures === 0 && report.passes > 0 ? 0 : 1, report };
}

/** The command from the palette, then the offered row that these letters leave alone. */
export async function choose(page: PageApi, command: string, letters: string): Promise<void> {
  await page.command(command);
  const title = command.replace(/^Rollcall: |\.\.\.$/g, "");
  await eventually(
    () => page.quickInput(),
    (input) => input?.title === title && input.rows.length > 0,
  );
  await page.type(letters);
  await eventually(async () => (await page.quickInput())?.rows.length, 1);
  await page.press("Enter");
}

/** Until a modal dialog asks this. */
export async function dialogAsks(page: PageApi, question: RegExp): Promise<void> {
  await eventually(
    () => page.ariaSnapshot(),
    (text) => question.test(text.slice(text.lastIndexOf("dialog"))),
  );
}

/** Until a notification says this. */
export async function notified(page: PageApi, words: RegExp, deadlineMs?: number): Promise<void> {
  await eventually(
    () => page.notifications(),
    (all) => all.some(({ message }) => words.test(message)),
    deadlineMs,
  );
}
