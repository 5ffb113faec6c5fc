// Restores every recorded session that does not run, after asking. It needs the agent, which alone can tell what runs.
import type { RestoreSelection } from "../../protocol/restore.ts";
import type { CommandHandler } from "../contributions/commands.ts";

export function restoreAll(restore: (selection: RestoreSelection) => Promise<void>): CommandHandler {
  return () => restore({ all: true });
}
