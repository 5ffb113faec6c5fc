// Opens the agent's log file, which needs no agent; where there is none yet, this window's own log.
import { Uri, window, workspace, type LogOutputChannel } from "vscode";
import { describeError } from "../../base/errors.ts";
import type { CommandHandler } from "../contributions/commands.ts";

export interface OpenLogOptions {
  readonly agentLogFile: string;
  readonly log: LogOutputChannel;
}

export function openLog({ agentLogFile, log }: OpenLogOptions): CommandHandler {
  return async () => {
    try {
      await window.showTextDocument(await workspace.openTextDocument(Uri.file(agentLogFile)));
    } catch (error) {
      log.info(
        `the agent's log ${agentLogFile} cannot be opened, so this is the window's own: ${describeError(error)}`,
      );
      log.show();
    }
  };
}
