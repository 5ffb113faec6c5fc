/// <reference lib="dom" />
// Opens the workbench's page as a window that develops extensions and runs their tests. The server has a
// test mode for this (--enable-smoke-test-driver and a payload in the address), but in it VS Code shows no
// notifications; so the page's own configuration, VS Code's `developmentOptions` for embedders, is
// completed before the workbench reads it, and the window is otherwise what a person has. (Answering the
// page's request in the server's stead would not do: the browser then forbids it the loopback interface.)
import type { Page } from "playwright-core";
import type { Workbench } from "../../../scripts/workbench/codeServer.ts";

export interface TestWindow {
  readonly extensionFolders: readonly string[];
  readonly testsEntry: string;
  readonly folder: string | undefined;
}

export async function openTestWindow(page: Page, workbench: Workbench, wanted: TestWindow): Promise<void> {
  const remote = (path: string): object => {
    const { protocol, host, pathname } = new URL(workbench.remoteUri(path));
    return { scheme: protocol.slice(0, -1), authority: host, path: decodeURIComponent(pathname) };
  };
  await page.addInitScript(completeConfiguration, {
    extensions: wanted.extensionFolders.map(remote),
    extensionTestsPath: remote(wanted.testsEntry),
  });
  await page.goto(workbench.url(wanted.folder), { timeout: 60_000 });
}

/** Runs in the page, ahead of its scripts. */
function completeConfiguration(developmentOptions: object): void {
  if (window.top !== window) return;
  const observer = new MutationObserver(() => {
    const element = document.getElementById("vscode-workbench-web-configuration");
    const settings = element?.getAttribute("data-settings");
    if (!element || !settings) return;
    observer.disconnect();
    const configuration = JSON.parse(settings) as { developmentOptions?: object };
    const completed = { ...configuration.developmentOptions, ...developmentOptions };
    element.setAttribute("data-settings", JSON.stringify({ ...configuration, developmentOptions: completed }));
  });
  observer.observe(document, { childList: true, subtree: true });
}
