// The one place that makes webview panels and takes them up again after the window was loaded anew: what they may load
// and run is decided here, for all of them.
import { Uri, ViewColumn, window, type Disposable, type Webview, type WebviewOptions, type WebviewPanel } from "vscode";

export interface WebviewPanelKind {
  readonly viewType: string;
  /** File names in the bundles' folder. */
  readonly script: string;
  readonly style: string;
}

export const webviewPanels = {
  detail: { viewType: "rollcall.detail", script: "detail.js", style: "detail.css" },
} as const satisfies Record<string, WebviewPanelKind>;

export interface NewPanel {
  readonly title: string;
  readonly extensionUri: Uri;
  readonly preserveFocus: boolean;
}

export function createWebviewPanel(
  kind: WebviewPanelKind,
  { title, extensionUri, preserveFocus }: NewPanel,
): WebviewPanel {
  const column = { viewColumn: ViewColumn.Active, preserveFocus };
  const panel = window.createWebviewPanel(kind.viewType, title, column, { enableFindWidget: true });
  panel.webview.options = webviewOptions(extensionUri);
  return panel;
}

/** @param revive gets a panel of an earlier window, with what its page kept */
export function restoreWebviewPanels(
  kind: WebviewPanelKind,
  extensionUri: Uri,
  revive: (panel: WebviewPanel, state: unknown) => void,
): Disposable {
  return window.registerWebviewPanelSerializer(kind.viewType, {
    deserializeWebviewPanel: (panel, state: unknown) => {
      panel.webview.options = webviewOptions(extensionUri);
      revive(panel, state);
      return Promise.resolve();
    },
  });
}

export interface WebviewResources {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
}

export function webviewResources(kind: WebviewPanelKind, webview: Webview, extensionUri: Uri): WebviewResources {
  const uri = (name: string): string => webview.asWebviewUri(Uri.joinPath(bundles(extensionUri), name)).toString();
  return { script: uri(kind.script), style: uri(kind.style), cspSource: webview.cspSource };
}

/** No command links, no folder but that of the bundles. */
function webviewOptions(extensionUri: Uri): WebviewOptions {
  return { enableScripts: true, enableCommandUris: false, localResourceRoots: [bundles(extensionUri)] };
}

function bundles(extensionUri: Uri): Uri {
  return Uri.joinPath(extensionUri, "dist", "webview");
}
