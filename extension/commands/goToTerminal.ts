// Shows the terminal in which a session runs, if it is one of this window. While the agent is gone the process last
// heard of is looked for, which the system itself is asked about.
import { window, type Terminal } from "vscode";
import type { CommandHandler } from "../contributions/commands.ts";
import { hostPidOf, nearestTerminal } from "../core/terminalMatch.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface GoToTerminalOptions {
  readonly target: SessionTarget;
  readonly ancestryOf: (pid: number) => Promise<readonly number[]>;
}

export function goToTerminal({ target, ancestryOf }: GoToTerminalOptions): CommandHandler {
  return async (node) => {
    const session = await target(node, {
      title: "Go to Terminal",
      filter: (each) => hostPidOf(each) !== undefined,
    });
    if (session === undefined) return;
    const pid = hostPidOf(session);
    if (pid === undefined) {
      void window.showInformationMessage(
        session.liveness.kind === "ended"
          ? `"${session.title}" has ended, so it runs in no terminal.`
          : `No process of this host is known for "${session.title}", so neither is its terminal.`,
      );
      return;
    }
    const terminal = await terminalOf(await ancestryOf(pid), window.terminals);
    if (terminal !== undefined) terminal.show();
    else {
      void window.showInformationMessage(
        `"${session.title}" (process ${pid}) runs in no terminal of this window: look in your other windows and terminals.`,
      );
    }
  };
}

async function terminalOf(chain: readonly number[], terminals: readonly Terminal[]): Promise<Terminal | undefined> {
  const pids = await Promise.all(terminals.map((terminal) => terminal.processId));
  const index = nearestTerminal(chain, pids);
  return index === undefined ? undefined : terminals[index];
}
