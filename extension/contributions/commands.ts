// The one place that registers commands. A handler that is missing does not compile; one that fails tells the user
// what failed and what to do next, and the log the rest.
import { commands, window, type Disposable, type LogOutputChannel } from "vscode";
import { describeError } from "../../base/errors.ts";
import { commandIds, type CommandName } from "../core/commandIds.ts";

/** @param target the tree node that it was called on; undefined from the palette */
export type CommandHandler = (target: unknown) => Promise<void>;
export type CommandHandlers = Readonly<Record<CommandName, CommandHandler>>;

export function registerCommands(handlers: CommandHandlers, log: LogOutputChannel): readonly Disposable[] {
  return Object.entries(commandIds).map(([name, id]) =>
    commands.registerCommand(id, async (target: unknown) => {
      try {
        await handlers[name as CommandName](target);
      } catch (error) {
        log.error(`${id} failed`, error instanceof Error ? error : describeError(error));
        void offerLog(`Rollcall: ${describeError(error)}`);
      }
    }),
  );
}

async function offerLog(message: string): Promise<void> {
  const openLog = "Open Log";
  if ((await window.showErrorMessage(message, openLog)) === openLog) await commands.executeCommand(commandIds.openLog);
}
