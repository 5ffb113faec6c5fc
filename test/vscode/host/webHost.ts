// Runs a test suite in the extension host of the web workbench: starts the server, opens its page in a
// headless browser, serves the page to the suite, and ends with the suite's exit code. The page reports
// through two functions that VS Code's own web tests use, codeAutomationLog and codeAutomationExit.
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../scripts/workbench/browser.ts";
import { startWorkbench, type Workbench } from "../../../scripts/workbench/codeServer.ts";
import { servePage, type PageServer } from "../page/pageServer.ts";
import { workbenchPage } from "../page/workbenchPage.ts";
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
  await page.goto(workbench.url(args.folder, payload(args, workbench)), { timeout: 60_000 });
  pageIsThere(workbenchPage(page, screenshots));
  return await ended;
}

async function startServer(args: HostArguments, pageServer: PageServer): Promise<Workbench> {
  return (opened.workbench = await startWorkbench({
    testMode: true,
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

function payload(args: HostArguments, workbench: Workbench): [string, string][] {
  return [
    ...args.extensionFolders.map((folder): [string, string] => [
      "extensionDevelopmentPath",
      workbench.remoteUri(resolve(folder)),
    ]),
    ["extensionTestsPath", workbench.remoteUri(resolve(args.testsEntry))],
    ["skipWelcome", "true"],
  ];
}

let suiteEnded: (code: number) => void = () => undefined;

async function exposeReporting(page: Page): Promise<void> {
  await page.exposeFunction("codeAutomationLog", (type: string, args: unknown[]) => {
    const stream = type === "error" ? process.stderr : process.stdout;
    const line = consoleLine(args);
    if (line !== undefined) stream.write(`${line}\n`);
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

/** A console call of the extension host as one line; undefined for the workbench's own chatter. */
function consoleLine(args: readonly unknown[]): string | undefined {
  const [format, ...rest] = args.map(String);
  if (format === undefined) return undefined;
  // The extension host's lines arrive as "%c[Extension Host] %c<text>", with the styles after it.
  const own = /^%c\[Extension Host\] %c([\s\S]*)$/.exec(format);
  if (own) return [own[1], ...rest.slice(2)].join(" ");
  return verbose ? [format, ...rest].join(" ") : undefined;
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
let code = 1;
try {
  code = await run(readHostArguments(process.argv.slice(2)));
} catch (cause) {
  process.stderr.write(`webHost: ${cause instanceof Error ? cause.message : String(cause)}\n`);
}
if (code !== 0) await keepScreenshot().catch(() => undefined);
await close();
process.exit(code);
