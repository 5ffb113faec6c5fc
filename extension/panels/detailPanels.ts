// The detail pages of this window, at most one for each session. A page is shown again where it was after the window
// was loaded anew.
import type { Uri, WebviewPanel } from "vscode";
import type { Scheduler } from "../../base/clock.ts";
import { DisposableList, type Disposable } from "../../base/disposable.ts";
import type { Session } from "../../protocol/roster.ts";
import { pageStateSchema, type PageCommand } from "../../protocol/webviewApi.ts";
import type { SessionWatches } from "../agent/sessionWatches.ts";
import {
  createWebviewPanel,
  restoreWebviewPanels,
  webviewPanels,
  webviewResources,
} from "../contributions/webviewPanels.ts";
import type { RosterState } from "../core/rosterState.ts";
import type { Surface } from "../views/painter.ts";
import { DetailPanel } from "./detailPanel.ts";

export interface DetailPanelsOptions {
  readonly extensionUri: Uri;
  readonly watches: Pick<SessionWatches, "watch">;
  readonly state: () => RosterState;
  readonly scheduler: Scheduler;
  readonly run: (command: PageCommand, session: Session | undefined) => void;
  readonly log: { warn(message: string): void };
}

export class DetailPanels implements Surface, Disposable {
  private readonly options: DetailPanelsOptions;
  private readonly panels = new Map<string, DetailPanel>();
  private readonly parts = new DisposableList();
  /** The page of the last look in passing, as long as the user did nothing on it. */
  private passing: DetailPanel | undefined;

  constructor(options: DetailPanelsOptions) {
    this.options = options;
    this.parts.add(
      restoreWebviewPanels(webviewPanels.detail, options.extensionUri, (panel, state) => this.revive(panel, state)),
    );
  }

  open({ key, title }: Session, { inPassing }: { readonly inPassing: boolean }): void {
    const open = this.panels.get(key);
    if (open !== undefined) {
      open.panel.reveal(undefined, inPassing);
      if (!inPassing) this.keep(open);
      return;
    }
    const passing = inPassing ? this.passing : undefined;
    const { extensionUri } = this.options;
    const panel =
      passing?.panel ?? createWebviewPanel(webviewPanels.detail, { title, extensionUri, preserveFocus: inPassing });
    const page = this.adopt(panel, key, title);
    if (!inPassing) return;
    this.passing = page;
    if (passing !== undefined) panel.reveal(undefined, true);
  }

  draw(state: RosterState): void {
    for (const panel of this.panels.values()) panel.draw(state);
  }

  dispose(): void {
    this.parts.dispose();
    for (const panel of this.panels.values()) panel.dispose();
    this.panels.clear();
  }

  private revive(panel: WebviewPanel, state: unknown): void {
    const kept = pageStateSchema.safeParse(state);
    // Without knowing whose page it was there is nothing to show in it.
    if (!kept.success || this.panels.has(kept.data.key)) panel.dispose();
    else this.adopt(panel, kept.data.key, kept.data.title);
  }

  /** The page that the next look in passing would take is no more such a one. */
  private keep(page: DetailPanel): void {
    if (this.passing === page) this.passing = undefined;
  }

  /** A panel that showed another session until now shows this one from here on. */
  private adopt(panel: WebviewPanel, key: string, title: string): DetailPanel {
    for (const [other, page] of this.panels) if (page.panel === panel) this.letGo(other, page);
    const { extensionUri, ...rest } = this.options;
    const resources = webviewResources(webviewPanels.detail, panel.webview, extensionUri);
    const page = new DetailPanel({ ...rest, panel, key, title, resources, onUsed: () => this.keep(page) });
    this.panels.set(key, page);
    panel.onDidDispose(() => this.letGo(key, page));
    return page;
  }

  private letGo(key: string, page: DetailPanel): void {
    this.keep(page);
    page.dispose();
    if (this.panels.get(key) === page) this.panels.delete(key);
  }
}
