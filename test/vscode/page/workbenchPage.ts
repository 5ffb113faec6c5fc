// The page interface over a playwright page that shows the workbench. Reading is left to `readDom.ts`.
// Every wait has a deadline, shorter than the client's, so that the error that arrives is this one.
import { mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FrameLocator, Locator, Page } from "playwright-core";
import type { PageApi, Place, Target } from "./pageApi.ts";
import * as dom from "./readDom.ts";

/** VS Code ignores a click on a menu entry during the first 100 ms of the menu. */
const menuSettlesMs = 200;
const actionDeadlineMs = 10_000;
/** The palette filters at once; what has not shown by then does not exist. */
const paletteDeadlineMs = 3_000;

export function workbenchPage(page: Page, screenshotsFolder: string): PageApi {
  page.setDefaultTimeout(actionDeadlineMs);
  return {
    tree: (view) => page.evaluate(dom.readTree, view),
    viewWelcome: (view) => page.evaluate(dom.readViewWelcome, view),
    statusBarItems: () => page.evaluate(dom.readStatusBar),
    badge: (container) => page.evaluate(dom.readBadge, container),
    notifications: () => page.evaluate(dom.readNotifications),
    quickInput: () => page.evaluate(dom.readQuickInput),
    editorTabs: () => page.evaluate(dom.readEditorTabs),
    ariaSnapshot: (target) => (target ? locate(page, target) : page.locator("body")).ariaSnapshot(),
    hover: (target) => hover(page, target),
    async click(target, { button = "left", double = false } = {}) {
      const found = locate(page, target);
      if ("role" in target && target.role.startsWith("menuitem")) {
        await found.waitFor({ state: "visible" });
        await delay(menuSettlesMs);
      }
      await found.click({ button, clickCount: double ? 2 : 1 });
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    openContainer: (container) => openContainer(page, container),
    command: (title) => command(page, title),
    theme: () => page.evaluate(dom.readTheme),
    resize: (width, height) => page.setViewportSize({ width, height }),
    log(line) {
      process.stdout.write(`${line}\n`);
      return Promise.resolve();
    },
    async screenshot(file) {
      const path = isAbsolute(file) ? file : join(screenshotsFolder, file);
      await mkdir(dirname(path), { recursive: true });
      await page.screenshot({ path, animations: "disabled" });
      return path;
    },
  };
}

function locate(page: Page, target: Target): Locator {
  const place = placeOf(page, target.in ?? "workbench");
  if ("selector" in target) return place.locator(target.selector);
  const role = target.role as Parameters<Page["getByRole"]>[0];
  return place.getByRole(role, { name: target.name, exact: target.exact ?? true });
}

function placeOf(page: Page, place: Place): Page | FrameLocator {
  if (place === "workbench") return page;
  // A webview is a frame in a frame: the outer one is VS Code's, the inner one is the extension's page.
  return page.frameLocator("iframe.webview.ready:visible").frameLocator("iframe#active-frame");
}

const hoverLeavesMs = 2_000;

async function hover(page: Page, target: Target): Promise<string> {
  // Away first: a hover shows on entering, and one that is already open would be read in its stead.
  await leaveHover(page);
  await locate(page, target).hover();
  const shown = await page.waitForFunction(dom.readHover);
  return shown.jsonValue();
}

/** A jump of the pointer may leave a hover open behind it: it walks out over the page, then Escape closes it. */
async function leaveHover(page: Page): Promise<void> {
  const gone = async (): Promise<boolean> => {
    try {
      await page.waitForFunction(dom.noHover, undefined, { timeout: hoverLeavesMs });
      return true;
    } catch {
      return false;
    }
  };
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await page.mouse.move(640 + attempt * 20, 300, { steps: 10 });
    if (await gone()) return;
    await page.keyboard.press("Escape");
  }
}

async function openContainer(page: Page, container: string): Promise<void> {
  // A badge's tooltip or a key binding may follow the name.
  const name = new RegExp(`^${literally(container)}($| - | \\()`);
  const tab = page.locator(".part.activitybar").getByRole("tab", { name });
  if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
}

async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  const widget = page.locator(".quick-input-widget");
  const input = widget.locator(".quick-input-box input").first();
  await input.waitFor({ state: "visible" });
  await input.fill(`>${title}`);
  // A key binding or "recently used" may follow the title in the row's name.
  const row = widget.getByRole("option", { name: new RegExp(`^${literally(title)}(,|$)`) });
  try {
    await row.first().click({ timeout: paletteDeadlineMs });
  } catch (cause) {
    await page.keyboard.press("Escape");
    throw new Error(`the command palette has no command titled ${title}`, { cause });
  }
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
