// The one place that creates status bar items.
import { StatusBarAlignment, window, type StatusBarItem } from "vscode";

interface StatusItemSpec {
  readonly name: string;
  readonly command: string;
  readonly priority: number;
}

const statusItems = {
  "rollcall.sessions": { name: "Rollcall: Sessions", command: "rollcall.sessions.focus", priority: 50 },
} as const satisfies Record<string, StatusItemSpec>;

export function createStatusItem(id: keyof typeof statusItems): StatusBarItem {
  const { name, command, priority } = statusItems[id];
  const item = window.createStatusBarItem(id, StatusBarAlignment.Left, priority);
  item.name = name;
  item.command = command;
  return item;
}
