// Draws the status bar's entry.
import { MarkdownString, ThemeColor, type Disposable, type StatusBarItem } from "vscode";
import type { EpochMs } from "../../base/clock.ts";
import { createStatusItem } from "../contributions/statusItems.ts";
import type { RosterState } from "../core/rosterState.ts";
import { statusBarModel } from "../core/statusBarModel.ts";
import type { TimeFormat } from "../core/tooltip.ts";
import type { Surface } from "../views/painter.ts";

export class StatusItem implements Surface, Disposable {
  private readonly item: StatusBarItem;
  private readonly format: TimeFormat;
  private shownTooltip: string | undefined;

  constructor(format: TimeFormat) {
    this.format = format;
    this.item = createStatusItem("rollcall.sessions");
    this.item.show();
  }

  draw(state: RosterState, now: EpochMs): void {
    const { text, tooltip, spoken, warning } = statusBarModel(state, now, this.format);
    this.item.text = text;
    this.item.accessibilityInformation = { label: spoken };
    this.item.backgroundColor = warning ? new ThemeColor("statusBarItem.warningBackground") : undefined;
    if (tooltip === this.shownTooltip) return;
    this.shownTooltip = tooltip;
    this.item.tooltip = new MarkdownString(tooltip);
  }

  dispose(): void {
    this.item.dispose();
  }
}
