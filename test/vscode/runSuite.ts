// Runs the suite of the extension in a real VS Code: bundles the tests, picks the host and checks that
// tests ran at all. The host is the web workbench, or a downloaded desktop with ROLLCALL_VSCODE=download
// or ROLLCALL_VSCODE=<path of an installed one>. Every run gets fresh state folders.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { cacheRoot } from "../../scripts/cache/packageCache.ts";
import { bundleSuite } from "./bundleSuite.ts";
import { connectDesktopPage, type DesktopPage } from "./page/desktopPage.ts";
import { servePage } from "./page/pageServer.ts";
import { workbenchPage } from "./page/workbenchPage.ts";
import type { SuiteReport } from "./suite/index.ts";

export interface SuiteRun {
  /** Folder of the extension under test, built. */
  readonly extensionFolder: string;
  /** Folder with the *.test.ts files. */
  readonly testsFolder: string;
  /** Opened in the window; an empty throw-away folder unless given. */
  readonly workspaceFolder?: string;
  /** Added to the environment of VS Code and so of the extension: HOME, ROLLCALL_*. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where pictures go; dist/test/screenshots unless given or set by ROLLCALL_TEST_SCREENSHOTS. */
  readonly screenshotsFolder?: string;
}

export interface SuiteResult {
  /** 0 when at least one test ran and all passed. */
  readonly exitCode: 0 | 1;
  /** Undefined when the suite did not get so far as to count. */
  readonly report: SuiteReport | undefined;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export async function runSuite(run: SuiteRun): Promise<SuiteResult> {
  const scratch = mkdtempSync(join(tmpdir(), "rollcall-suite-"));
  try {
    const workspace = resolve(run.workspaceFolder ?? join(scratch, "workspace"));
    mkdirSync(workspace, { recursive: true });
    const testsEntry = await bundleSuite(run.testsFolder, join(root, "dist", "test"));
    const reportFile = join(scratch, "report.json");
    const screenshots =
      run.screenshotsFolder ?? process.env["ROLLCALL_TEST_SCREENSHOTS"] ?? join(root, "dist", "test", "screenshots");
    const start: Start = {
      extensionDevelopmentPath: resolve(run.extensionFolder),
      extensionTestsPath: testsEntry,
      launchArgs: [workspace, `--user-data-dir=${join(scratch, "user")}`, `--extensions-dir=${join(scratch, "ext")}`],
      extensionTestsEnv: {
        ...run.env,
        ROLLCALL_TEST_NODE: process.execPath,
        // The suite's home is a scratch one, the cache is not.
        ROLLCALL_DEV_CACHE: cacheRoot(),
        ROLLCALL_TEST_REPORT: reportFile,
        ROLLCALL_TEST_SCREENSHOTS: resolve(screenshots),
      },
    };
    const hostCode = await startHost(start, resolve(screenshots));
    const report = readReport(reportFile);
    return { exitCode: hostCode === 0 && report !== undefined && report.passes > 0 ? 0 : 1, report };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Start {
  readonly extensionDevelopmentPath: string;
  readonly extensionTestsPath: string;
  readonly launchArgs: string[];
  readonly extensionTestsEnv: Record<string, string>;
}

async function startHost(start: Start, screenshots: string): Promise<number> {
  const wanted = process.env["ROLLCALL_VSCODE"] ?? "";
  if (wanted === "") return codeOf({ ...start, vscodeExecutablePath: join(root, "test", "vscode", "host", "webHost") });
  return startDesktop(start, { screenshots, executable: wanted === "download" ? undefined : wanted });
}

interface Desktop {
  readonly screenshots: string;
  readonly executable: string | undefined;
}

async function startDesktop(start: Start, { screenshots, executable }: Desktop): Promise<number> {
  const port = await freePort();
  let desktop: DesktopPage | undefined;
  // The download may take minutes before there is a window.
  const connected = connectDesktopPage(port, 600_000).then((found) => (desktop = found));
  const server = await servePage(connected.then(({ page }) => workbenchPage(page, screenshots)));
  try {
    return await codeOf({
      ...start,
      ...(executable === undefined ? {} : { vscodeExecutablePath: executable }),
      launchArgs: [...start.launchArgs, `--remote-debugging-port=${port}`],
      extensionTestsEnv: { ...start.extensionTestsEnv, ROLLCALL_TEST_PAGE: server.path },
    });
  } finally {
    await desktop?.disconnect().catch(() => undefined);
    await server.close();
  }
}

async function codeOf(options: Parameters<typeof runTests>[0]): Promise<number> {
  try {
    return await runTests(options);
  } catch (cause) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    return 1;
  }
}

function readReport(file: string): SuiteReport | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SuiteReport;
  } catch {
    return undefined;
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer().once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}
