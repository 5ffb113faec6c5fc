// Opens a session's page, or shows it where it is open. While the agent is gone the page shows what was last heard.
import type { Session } from "../../protocol/roster.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface OpenDetailOptions {
  readonly target: SessionTarget;
  readonly open: (session: Session) => void;
}

export function openDetail({ target, open }: OpenDetailOptions): CommandHandler {
  return async (node) => {
    const session = await target(node, { title: "Open Detail" });
    if (session !== undefined) open(session);
  };
}
