import assert from "node:assert/strict";
import * as vscode from "vscode";
import { connectPage, eventually } from "../../page/pageClient.ts";
import { setTheme } from "../../suite/theme.ts";

describe("the page of the workbench", () => {
  const page = connectPage();
  const view = "Trial Sessions";
  const rows = async () => (await page.tree(view))?.map(({ label, level, expanded }) => [label, level, expanded]);

  it("says which VS Code and Node this is", async () => {
    const { node, modules } = process.versions;
    await page.log(`VS Code ${vscode.version}, Node ${node}, ABI ${modules}, HOME ${process.env["HOME"]}`);
    assert.match(process.env["ROLLCALL_TRIAL"] ?? "", /^reached$/);
  });

  it("shows the tree as a person sees it", async () => {
    await page.openContainer("Trial");
    await eventually(rows, [
      ["one", 1, true],
      ["one.a", 2, undefined],
      ["one.b", 2, undefined],
      ["two", 1, undefined],
    ]);
    const first = (await page.tree(view))?.[0];
    assert.deepEqual(first, {
      label: "one",
      description: "about one",
      ariaLabel: "item one",
      level: 1,
      expanded: true,
      selected: false,
      focused: false,
      icon: "bell",
    });
  });

  it("collapses by keyboard and selects by click", async () => {
    await page.click({ role: "treeitem", name: "item two" });
    await eventually(async () => (await page.tree(view))?.find(({ selected }) => selected)?.label, "two");
    await page.press("Home", "ArrowLeft");
    await eventually(rows, [
      ["one", 1, false],
      ["two", 1, undefined],
    ]);
  });

  it("shows the status bar item, its hover and the badge", async () => {
    const item = await eventually(
      async () => (await page.statusBarItems()).find(({ id }) => id === "trial.trial.status"),
      (found) => found !== undefined,
    );
    assert.deepEqual(item, {
      id: "trial.trial.status",
      text: "3 waiting",
      ariaLabel: "three waiting",
      icons: ["bell"],
      side: "left",
      kind: "plain",
    });
    assert.match(await page.hover({ role: "button", name: "three waiting" }), /Trial tip/);
    assert.match(await page.hover({ role: "treeitem", name: "item two" }), /tip of two/);
    await eventually(() => page.badge("Trial"), "3");
  });

  it("runs a command from the palette and shows the notification", async () => {
    await page.command("Trial: Warn");
    const [shown] = await eventually(
      () => page.notifications(),
      (all) => all.length === 1,
    );
    assert.deepEqual(shown, {
      severity: "warning",
      message: "trial warns",
      source: "trial",
      buttons: ["Allow", "Deny"],
    });
    await page.screenshot("notification.png");
    await page.click({ role: "button", name: "Deny" });
    await eventually(() => page.notifications(), []);
    await assert.rejects(page.command("Trial: No Such Command"), /has no command titled/);
  });

  it("offers a command in the context menu of a row", async () => {
    await page.click({ role: "treeitem", name: "item two" }, { button: "right" });
    await page.click({ role: "menuitem", name: "Trial: Warn" });
    await eventually(
      () => page.notifications(),
      (all) => all.length === 1,
    );
    await page.click({ role: "button", name: "Allow" });
  });

  it("shows a webview and presses a button in it", async () => {
    await page.click({ role: "button", name: "three waiting" });
    await page.click({ role: "button", name: "Press me", in: "webview" });
    const text = await page.ariaSnapshot({ selector: "body", in: "webview" });
    assert.match(text, /heading "Hello page"/);
    assert.match(text, /button "pressed"/);
    assert.deepEqual(await page.editorTabs(), [{ label: "Trial Page", active: true }]);
  });

  it("takes pictures in light and dark", async () => {
    await page.resize(1100, 700);
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme);
      await page.screenshot(`trial-${theme}.png`);
    }
  });
});
