// One session's page: it watches the session while somebody sees it, keeps what was last told, and does what the page's
// buttons ask for. What the page draws is webview/'s business.
import { randomBytes } from "node:crypto";
import type { WebviewPanel } from "vscode";
import type { Scheduler } from "../../base/clock.ts";
import { DisposableList, type Disposable } from "../../base/disposable.ts";
import { unreachable } from "../../base/errors.ts";
import type { Session } from "../../protocol/roster.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import { applyDetailChange } from "../../protocol/sessionDetailChange.ts";
import { pageMessageSchema, type AgentLink, type HostMessage, type PageCommand } from "../../protocol/webviewApi.ts";
import type { SessionWatches } from "../agent/sessionWatches.ts";
import type { WebviewResources } from "../contributions/webviewPanels.ts";
import { agentLink, detailFromRoster } from "../core/detailPage.ts";
import type { RosterState } from "../core/rosterState.ts";
import { webviewHtml } from "../core/webviewHtml.ts";

export interface DetailPanelOptions {
  readonly panel: WebviewPanel;
  readonly key: string;
  readonly title: string;
  readonly resources: WebviewResources;
  readonly watches: Pick<SessionWatches, "watch">;
  readonly state: () => RosterState;
  readonly scheduler: Scheduler;
  readonly run: (command: PageCommand, session: Session | undefined) => void;
  /** The user did something on the page. */
  readonly onUsed: () => void;
  readonly log: { warn(message: string): void };
}

export class DetailPanel implements Disposable {
  private readonly options: DetailPanelOptions;
  private readonly parts = new DisposableList();
  private detail: SessionDetail | undefined;
  private refused: string | undefined;
  private link: AgentLink;
  private watch: Disposable | undefined;
  private isReady = false;

  constructor(options: DetailPanelOptions) {
    this.options = options;
    const { panel, state, title, resources } = options;
    this.link = agentLink(state());
    panel.title = title;
    this.parts.add(panel.webview.onDidReceiveMessage((message: unknown) => this.hear(message)));
    this.parts.add(panel.onDidChangeViewState(() => this.visibilityChanged()));
    panel.webview.html = webviewHtml({ ...resources, title, nonce: randomBytes(16).toString("base64") });
  }

  get panel(): WebviewPanel {
    return this.options.panel;
  }

  /** Called after each change of the roster's state and now and then. */
  draw(state: RosterState): void {
    const link = agentLink(state);
    const before = this.link;
    this.link = link;
    if (link.state === before.state && (link.state !== "live" || before.state !== "live")) return;
    if (this.detail === undefined) this.tellWhole();
    else this.post({ kind: "link", ...this.from() });
  }

  dispose(): void {
    this.watch?.dispose();
    this.watch = undefined;
    this.parts.dispose();
  }

  private hear(raw: unknown): void {
    const message = pageMessageSchema.safeParse(raw);
    if (!message.success) {
      this.options.log.warn("a detail page said something that is not in its contract");
      return;
    }
    switch (message.data.kind) {
      case "ready":
        this.isReady = true;
        this.tellWhole();
        this.visibilityChanged();
        return;
      case "command":
        this.options.run(message.data.name, this.detail?.session ?? this.fromRoster()?.session);
        return;
      case "used":
        this.options.onUsed();
        return;
      case "fault":
        this.options.log.warn(`a detail page failed: ${message.data.says}`);
        return;
      default:
        unreachable(message.data);
    }
  }

  /** A page that is hidden is taken down, and is ready again when it is shown. */
  private visibilityChanged(): void {
    if (!this.options.panel.visible) {
      this.isReady = false;
      this.watch?.dispose();
      this.watch = undefined;
      return;
    }
    if (!this.isReady) return;
    this.watch ??= this.options.watches.watch(this.options.key, {
      detail: (detail) => {
        this.detail = detail;
        this.refused = undefined;
        this.rename(detail.session.title);
        this.tellWhole();
      },
      changed: (change) => {
        if (this.detail === undefined) return;
        this.detail = applyDetailChange(this.detail, change);
        this.rename(this.detail.session.title);
        this.post({ kind: "change", ...this.from(), change });
      },
      refused: (why) => {
        this.refused = why;
        this.tellWhole();
      },
    });
  }

  private tellWhole(): void {
    const detail = this.detail ?? this.fromRoster();
    if (detail !== undefined) this.post({ kind: "detail", ...this.from(), detail });
    else
      this.post({
        kind: "nothing",
        ...this.from(),
        ...(this.refused === undefined ? {} : { refused: this.refused }),
      });
  }

  private fromRoster(): SessionDetail | undefined {
    return detailFromRoster(this.options.state(), this.options.key);
  }

  private rename(title: string): void {
    if (this.options.panel.title !== title) this.options.panel.title = title;
  }

  private from(): { readonly now: number; readonly link: AgentLink } {
    return { now: this.options.scheduler.now(), link: this.link };
  }

  private post(message: HostMessage): void {
    // A page that is not there hears nothing, and is told all when it is ready.
    if (this.isReady) void this.options.panel.webview.postMessage(message);
  }
}
