const vscode = require("vscode");
exports.activate = (ctx) => {
  const items = { "": ["one", "two"], one: ["one.a", "one.b"] };
  const view = vscode.window.createTreeView("trial.sessions", {
    treeDataProvider: {
      getChildren: (e) => items[e ?? ""] ?? [],
      getTreeItem: (e) => {
        const i = new vscode.TreeItem(e, items[e] ? 2 : 0);
        i.id = e;
        i.description = "about " + e;
        i.iconPath = new vscode.ThemeIcon("bell");
        i.tooltip = "tip of " + e;
        i.accessibilityInformation = { label: "item " + e };
        return i;
      },
    },
  });
  view.badge = { value: 3, tooltip: "3 wait" };
  const s = vscode.window.createStatusBarItem("status", 1, 100);
  s.name = "Trial";
  s.text = "$(bell) 3 waiting";
  s.tooltip = "Trial tip";
  s.command = "trial.page";
  s.accessibilityInformation = { label: "three waiting" };
  s.show();
  ctx.subscriptions.push(
    view,
    s,
    vscode.commands.registerCommand("trial.warn", () =>
      vscode.window.showWarningMessage("trial warns", "Allow", "Deny"),
    ),
    vscode.commands.registerCommand("trial.page", () => {
      const p = vscode.window.createWebviewPanel("trial", "Trial Page", 1, { enableScripts: true });
      p.webview.html = "<h1>Hello page</h1><button onclick=\"this.textContent='pressed'\">Press me</button>";
    }),
  );
};
