// Restores the recorded sessions of one sandbox that do not run, after asking: the sandbox of the node it was called on,
// else one that the user picks. It needs the agent, which alone can tell what runs.
import { window, type QuickPickItem } from "vscode";
import { amount } from "../../base/amount.ts";
import { compareText } from "../../base/compareText.ts";
import type { RestoreSelection } from "../../protocol/restore.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import { isInWave } from "../../protocol/restorable.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";

export interface RestoreSandboxOptions {
  readonly state: () => RosterState;
  readonly sandboxOf: (nodeId: string) => string | undefined;
  readonly restore: (selection: RestoreSelection) => Promise<void>;
}

interface SandboxPick extends QuickPickItem {
  readonly sandbox: string;
}

export function restoreSandbox({ state, sandboxOf, restore }: RestoreSandboxOptions): CommandHandler {
  return async (node) => {
    const sandbox = (typeof node === "string" ? sandboxOf(node) : undefined) ?? (await pickSandbox(state()));
    if (sandbox !== undefined) await restore({ sandbox });
  };
}

async function pickSandbox(state: RosterState): Promise<string | undefined> {
  const counts = new Map<string, number>();
  for (const session of lastRoster(state)?.roster.sessions ?? [])
    if (session.sandbox !== null && isInWave(session))
      counts.set(session.sandbox, (counts.get(session.sandbox) ?? 0) + 1);
  if (counts.size === 0) {
    void window.showInformationMessage("No sandbox has a recorded session that does not run.");
    return undefined;
  }
  const picks = [...counts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([sandbox, count]): SandboxPick => ({
      label: sandbox,
      description: amount(count, "session"),
      sandbox,
    }));
  const picked = await window.showQuickPick(picks, {
    title: "Restore Sessions of Sandbox",
    placeHolder: "Choose a sandbox",
  });
  return picked?.sandbox;
}
