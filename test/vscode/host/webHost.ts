// Runs a test suite in the extension host of the web workbench: starts the server, opens its page in a
// headless browser, serves the page to the suite, and ends with the suite's exit code. The page reports
// through two functions that VS Code's own web tests use, codeAutomationLog and codeAutomationExit.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { format } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../scripts/workbench/browser.ts";
import { startWorkbench, type Workbench } from "../../../scripts/workbench/codeServer.ts";
import { servePage, type PageServer } from "../page/pageServer.ts";
import { workbenchPage } from "../page/workbenchPage.ts";
import { openTestWindow } from "./testWindow.ts";
import { readHostArguments, type HostArguments } from "./hostArguments.ts";

const deadlineMs = Number(process.env["ROLLCALL_TEST_DEADLINE_MS"] ?? 600_000);
const screenshots = resolve(process.env["ROLLCALL_TEST_SCREENSHOTS"] ?? join("dist", "test", "screenshots"));
const verbose = process.env["ROLLCALL_TEST_VERBOSE"] === "1";

const opened: { browser?: Browser; workbench?: Workbench; pageServer?: PageServer; page?: Page } = {};

async function run(args: HostArguments): Promise<number> {
  let pageIsThere: (page: ReturnType<typeof workbenchPage>) => void = () => undefined;
  opened.pageServer = await servePage(new Promise((there) => (pageIsThere = there)));
  // Both take seconds; neither needs the other.
  const [workbench, browser] = await Promise.all([startServer(args, opened.pageServer), startBrowser()]);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  opened.page = page;
  const ended = suiteEnd(page, workbench);
  // Whatever happens below, this one is observed.
  ended.catch(() => undefined);
  await exposeReporting(page);
  await openTestWindow(page, workbench, args);
  pageIsThere(workbenchPage(page, screenshots));
  return await ended;
}

async function startServer(args: HostArguments, pageServer: PageServer): Promise<Workbench> {
  return (opened.workbench = await startWorkbench({
    ...(args.userDataDir === undefined ? {} : { userDataDir: args.userDataDir }),
    ...(args.extensionsDir === undefined ? {} : { extensionsDir: args.extensionsDir }),
    env: {
      ...process.env,
      ROLLCALL_TEST_PAGE: pageServer.path,
      // Tests have no marketplace.
      EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "" }),
    },
    ...(verbose ? { log: (line: string) => process.stderr.write(`[server] ${line}\n`) } : {}),
  }));
}

async function startBrowser(): Promise<Browser> {
  return (opened.browser = await launchBrowser());
}

let suiteEnded: (code: number) => void = () => undefined;

/** The last lines of the page's console, shown when the run ends without a word from the suite. */
const lastLines: string[] = [];

async function exposeReporting(page: Page): Promise<void> {
  await page.exposeFunction("codeAutomationLog", (type: string, args: unknown[]) => {
    const line = `[${type}] ${format(...args)}`;
    lastLines.push(line.slice(0, 400));
    if (lastLines.length > 30) lastLines.shift();
    if (verbose) process.stderr.write(`${line}\n`);
  });
  await page.exposeFunction("codeAutomationExit", (code: number) => suiteEnded(code));
}

function suiteEnd(page: Page, workbench: Workbench): Promise<number> {
  return new Promise((ended, failed) => {
    suiteEnded = ended;
    setTimeout(() => failed(new Error(`the suite did not end within ${deadlineMs} ms`)), deadlineMs).unref();
    page.once("crash", () => failed(new Error("the browser's page crashed")));
    void workbench.exited.then(() => failed(new Error("the workbench server ended during the run")));
  });
}

function suiteHasReported(): boolean {
  return existsSync(process.env["ROLLCALL_TEST_REPORT"] ?? "");
}

async function close(): Promise<void> {
  await opened.browser?.close().catch(() => undefined);
  await opened.workbench?.dispose();
  await opened.pageServer?.close();
}

async function keepScreenshot(): Promise<void> {
  if (!opened.page || opened.page.isClosed()) return;
  const path = join(screenshots, "failure.png");
  await mkdir(screenshots, { recursive: true });
  await opened.page.screenshot({ path, timeout: 10_000 });
  process.stderr.write(`the workbench at the end of the failed run: ${path}\n`);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}
// A runner that was killed cannot say so; without this the server would outlive it.
const runner = process.ppid;
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
setInterval(() => {
  if (process.ppid !== runner) void close().finally(() => process.exit(1));
}, 1_000).unref();

let code = 1;
try {
  code = await run(readHostArguments(process.argv.slice(2)));
} catch (cause) {
  process.stderr.write(`webHost: ${cause instanceof Error ? cause.message : String(cause)}\n`);
}
if (code !== 0) await keepScreenshot().catch(() => undefined);
if (code !== 0 && !suiteHasReported()) process.stderr.write(`the page's last words:\n${lastLines.join("\n")}\n`);
await close();
process.exit(code);
