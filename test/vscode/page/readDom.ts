/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// Functions that playwright carries into the page and runs there: each stands alone (nothing of this
// module exists in the page) and turns VS Code's DOM into the plain values of `pageApi.ts`. The only file
// that knows the workbench's class names for reading.
import type { Notification, QuickInput, StatusBarItem, TreeRow } from "./pageApi.ts";

export function readTree(view: string): TreeRow[] | undefined {
  const trees = [...document.querySelectorAll<HTMLElement>('[role="tree"]')];
  const tree = trees.find((found) => found.getAttribute("aria-label") === view);
  if (!tree) return undefined;
  const rows = [...tree.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const top = (row: HTMLElement): number => row.getBoundingClientRect().top;
  return rows
    .sort((one, other) => top(one) - top(other))
    .map((row) => {
      const text = (selector: string): string => row.querySelector(selector)?.textContent ?? "";
      const icon = row.querySelector(".custom-view-tree-node-item-icon.codicon, .monaco-icon-label .codicon");
      const expanded = row.getAttribute("aria-expanded");
      return {
        label: text(".label-name"),
        description: text(".label-description"),
        ariaLabel: row.getAttribute("aria-label") ?? "",
        level: Number(row.getAttribute("aria-level")),
        expanded: expanded === null ? undefined : expanded === "true",
        selected: row.getAttribute("aria-selected") === "true",
        focused: row.classList.contains("focused"),
        icon: [...(icon?.classList ?? [])].find((name) => name.startsWith("codicon-"))?.slice("codicon-".length),
      };
    });
}

export function readViewWelcome(view: string): string | undefined {
  const panes = [...document.querySelectorAll<HTMLElement>(".pane")];
  const named = panes.find((pane) => pane.querySelector(".pane-header .title")?.textContent === view);
  const welcome = (named ?? document).querySelector<HTMLElement>(".welcome-view-content");
  if (!welcome || welcome.offsetParent === null) return undefined;
  return welcome.innerText.trim();
}

export function readStatusBar(): StatusBarItem[] {
  const kinds = ["warning", "error", "prominent"] as const;
  return [...document.querySelectorAll<HTMLElement>(".part.statusbar .statusbar-item")]
    .filter((item) => item.offsetParent !== null && item.id !== "")
    .map((item) => {
      const label = item.querySelector(".statusbar-item-label");
      const icons = [...(label?.querySelectorAll(".codicon") ?? [])].map(
        (icon) => [...icon.classList].find((name) => name.startsWith("codicon-"))?.slice("codicon-".length) ?? "",
      );
      return {
        id: item.id,
        text: (label?.textContent ?? "").replaceAll("\u00a0", " ").trim(),
        ariaLabel: label?.getAttribute("aria-label") ?? item.getAttribute("aria-label") ?? "",
        icons,
        side: item.closest(".right-items") ? "right" : "left",
        kind: kinds.find((kind) => item.classList.contains(`${kind}-kind`)) ?? "plain",
      };
    });
}

export function readBadge(container: string): string | undefined {
  const entries = [...document.querySelectorAll<HTMLElement>(".part.activitybar .action-item")];
  // With a badge VS Code says "Name - badge's tooltip", with a key binding "Name (Ctrl+…)"; the entry's own
  // label may be empty, then its content has it.
  const named = (name: string): boolean =>
    name === container || name.startsWith(`${container} - `) || name.startsWith(`${container} (`);
  const entry = entries.find((item) =>
    [item, ...item.querySelectorAll("[aria-label]")].some((part) => named(part.getAttribute("aria-label") ?? "")),
  );
  const badge = entry?.querySelector<HTMLElement>(".badge");
  if (!badge || badge.style.display === "none") return undefined;
  return badge.querySelector(".badge-content")?.textContent.trim() || undefined;
}

export function readNotifications(): Notification[] {
  const toasts = document.querySelectorAll<HTMLElement>(".notifications-toasts .notification-list-item");
  return [...toasts].map((toast) => {
    const text = (selector: string): string => toast.querySelector(selector)?.textContent.trim() ?? "";
    const icon = toast.querySelector(".notification-list-item-icon");
    const severities = ["error", "warning"] as const;
    return {
      severity: severities.find((name) => icon?.classList.contains(`codicon-${name}`)) ?? "info",
      message: text(".notification-list-item-message"),
      source: text(".notification-list-item-source").replace(/^Source: /, ""),
      buttons: [...toast.querySelectorAll(".notification-list-item-buttons-container .monaco-button")].map((button) =>
        button.textContent.trim(),
      ),
    };
  });
}

export function readQuickInput(): QuickInput | undefined {
  const widget = document.querySelector<HTMLElement>(".quick-input-widget");
  if (!widget || widget.offsetParent === null) return undefined;
  const input = widget.querySelector<HTMLInputElement>(".quick-input-box input, .quick-input-box textarea");
  return {
    title: widget.querySelector(".quick-input-title")?.textContent ?? "",
    placeholder: input?.placeholder ?? "",
    value: input?.value ?? "",
    rows: [...widget.querySelectorAll(".quick-input-list .monaco-list-row")].map((row) => ({
      label: row.querySelector(".label-name")?.textContent ?? "",
      description: row.querySelector(".label-description")?.textContent ?? "",
      detail: row.querySelector(".quick-input-list-label-meta")?.textContent ?? "",
    })),
  };
}

export function readEditorTabs(): { label: string; active: boolean }[] {
  return [...document.querySelectorAll<HTMLElement>('.tabs-container [role="tab"]')].map((tab) => ({
    label: tab.querySelector(".label-name")?.textContent ?? "",
    active: tab.getAttribute("aria-selected") === "true",
  }));
}

export function readTheme(): "light" | "dark" | "high-contrast" {
  const classes = document.querySelector(".monaco-workbench")?.classList;
  if (classes?.contains("hc-black") || classes?.contains("hc-light")) return "high-contrast";
  return classes?.contains("vs") ? "light" : "dark";
}

/** Text of the hover on screen; the empty string while there is none. */
export function readHover(): string {
  const hovers = [...document.querySelectorAll<HTMLElement>(".monaco-hover:not(.hidden)")];
  const shown = hovers.find((hover) => hover.offsetHeight > 0 && hover.innerText.trim() !== "");
  return shown?.innerText.trim() ?? "";
}

export function noHover(): boolean {
  return document.querySelector(".monaco-hover:not(.hidden)") === null;
}
