// The page of a desktop VS Code that was started with --remote-debugging-port: the same interface, over
// the Chrome DevTools protocol. Its window keeps its real size, so `resize` is emulation there.
import { setTimeout as delay } from "node:timers/promises";
import { chromium, type Browser, type Page } from "playwright-core";

export interface DesktopPage {
  readonly page: Page;
  /** Lets go of the window without closing it. */
  disconnect(): Promise<void>;
}

export async function connectDesktopPage(port: number, deadlineMs = 60_000): Promise<DesktopPage> {
  const giveUpAt = Date.now() + deadlineMs;
  let last = "nothing listened";
  while (Date.now() < giveUpAt) {
    try {
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: 5_000 });
      const page = workbenchWindow(browser);
      if (page) return { page, disconnect: () => browser.close() };
      last = "there was no workbench window yet";
      await browser.close();
    } catch (cause) {
      last = cause instanceof Error ? cause.message : String(cause);
    }
    await delay(250);
  }
  throw new Error(`VS Code's window could not be reached on port ${port} within ${deadlineMs} ms: ${last}`);
}

function workbenchWindow(browser: Browser): Page | undefined {
  const pages = browser.contexts().flatMap((context) => context.pages());
  return pages.find((page) => page.url().includes("workbench.html"));
}
