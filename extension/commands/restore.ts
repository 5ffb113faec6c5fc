// Restores one session in a terminal of its own. It needs the agent, which alone can tell what runs already.
import type { RestoreSelection } from "../../protocol/restore.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import { isRestorable } from "../../protocol/restorable.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface RestoreOptions {
  readonly target: SessionTarget;
  readonly restore: (selection: RestoreSelection) => Promise<void>;
}

export function restore({ target, restore: run }: RestoreOptions): CommandHandler {
  return async (node) => {
    const session = await target(node, { title: "Restore Session", filter: isRestorable });
    if (session !== undefined) await run({ sessions: [session.key] });
  };
}
