// Has the agent look at every source now. While it is gone, tries at once to bring it back; the last roster stays
// until another one was heard.
import { window } from "vscode";
import type { CommandHandler } from "../contributions/commands.ts";
import { sessionsViewId } from "../views/sessionsTree.ts";

export function refresh(refreshRoster: () => Promise<void>): CommandHandler {
  return async () => {
    await window.withProgress({ location: { viewId: sessionsViewId } }, () => refreshRoster());
  };
}
