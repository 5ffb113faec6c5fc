// The built detail page in a real Chromium, under the policy that the extension gives it: a test speaks for the
// extension, and sees what a person sees. The page's clock is the test's.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { webviewHtml } from "../../extension/core/webviewHtml.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import type { AgentLink, HostMessage } from "../../protocol/webviewApi.ts";
import { now } from "../unit/extension/core/rosters.ts";
import { themes, type Theme } from "./themes.ts";

const root = join(import.meta.dirname, "..", "..");
const bundles = join(root, "dist", "webview");
const origin = "https://detail.page.test";
const screenshots = join(process.env["ROLLCALL_TEST_SCREENSHOTS"] ?? join(root, "dist", "test", "screenshots"));

/** What the page is to the test, in the browser. */
interface PageGlobals {
  heard: unknown[];
  kept: unknown;
  violations: string[];
}

export interface DetailPageOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** What an earlier page kept. */
  readonly kept?: unknown;
  readonly reducedMotion?: boolean;
}

export class DetailPage {
  readonly page: Page;
  /** Addresses that were asked for beyond the page's own files. */
  readonly strangers: string[] = [];

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser, options: DetailPageOptions = {}): Promise<DetailPage> {
    const { theme = "dark", width = 1000, height = 800, kept, reducedMotion = false } = options;
    const page = await browser.newPage({
      viewport: { width, height },
      reducedMotion: reducedMotion ? "reduce" : "no-preference",
      locale: "en-GB",
      timezoneId: "UTC",
    });
    const opened = new DetailPage(page);
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now);
    await page.route("**/*", (route) => opened.serve(route.request().url(), (answer) => route.fulfill(answer)));
    await page.addInitScript(standInHost, { kept: kept ?? null, theme: themes[theme] });
    await page.goto(`${origin}/`);
    await page.waitForFunction(() => (globalThis as unknown as PageGlobals).heard.length > 0);
    return opened;
  }

  async shows(detail: SessionDetail, link: AgentLink = { state: "live", heardAt: now }): Promise<void> {
    await this.says({ kind: "detail", now, link, detail });
    await this.page.locator("h1").waitFor();
  }

  /** Resolves once the page has taken it in. */
  async says(message: HostMessage | object): Promise<void> {
    await this.page.evaluate((told) => {
      window.postMessage(told, "*");
      return new Promise((done) => {
        const channel = new MessageChannel();
        // Behind the message above, and behind what it drew.
        channel.port1.onmessage = () => done(undefined);
        channel.port2.postMessage(undefined);
      });
    }, message);
  }

  heard(): Promise<unknown[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobals).heard);
  }

  kept(): Promise<unknown> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobals).kept);
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobals).violations);
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    await this.page.screenshot({ path: join(screenshots, name), fullPage: true });
  }

  close(): Promise<void> {
    return this.page.close();
  }

  private async serve(
    url: string,
    answer: (what: {
      readonly contentType?: string;
      readonly body?: string;
      readonly status?: number;
    }) => Promise<void>,
  ): Promise<void> {
    switch (url) {
      case `${origin}/`:
        return answer({
          contentType: "text/html",
          body: webviewHtml({
            title: "A session",
            script: `${origin}/detail.js`,
            style: `${origin}/detail.css`,
            cspSource: origin,
            nonce: "bm9uY2U=",
          }),
        });
      case `${origin}/detail.js`:
        return answer({ contentType: "text/javascript", body: readFileSync(join(bundles, "detail.js"), "utf8") });
      case `${origin}/detail.css`:
        return answer({ contentType: "text/css", body: readFileSync(join(bundles, "detail.css"), "utf8") });
      default:
        if (!url.endsWith("/favicon.ico") && !url.endsWith(".map")) this.strangers.push(url);
        return answer({ status: 404, body: "" });
    }
  }
}

/** Runs in the page, before anything of it. */
function standInHost({ kept, theme }: { kept: unknown; theme: Readonly<Record<string, string>> }): void {
  const page = globalThis as unknown as PageGlobals & { acquireVsCodeApi: unknown };
  page.heard = [];
  page.kept = kept ?? undefined;
  page.violations = [];
  page.acquireVsCodeApi = () => ({
    postMessage: (message: unknown) => page.heard.push(message),
    getState: () => page.kept,
    setState: (state: unknown) => (page.kept = state),
  });
  document.addEventListener("securitypolicyviolation", (event) =>
    page.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
  );
  const fonts = {
    "--vscode-font-family": "system-ui, Ubuntu, sans-serif",
    "--vscode-font-size": "13px",
    "--vscode-editor-font-family": "monospace",
  };
  // The document's element is made after this.
  document.addEventListener("readystatechange", () => {
    for (const [name, value] of Object.entries({ ...fonts, ...theme }))
      document.documentElement.style.setProperty(name, value);
  });
}
