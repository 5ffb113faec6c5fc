// Opens a session's page, or shows it where it is open. A click in the tree looks in passing: the next click reuses its
// page. While the agent is gone the page shows what was last heard.
import type { Session } from "../../protocol/roster.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import { ClickedNode, type SessionTarget } from "./sessionTarget.ts";

export interface OpenDetailOptions {
  readonly target: SessionTarget;
  readonly open: (session: Session, how: { readonly inPassing: boolean }) => void;
}

export function openDetail({ target, open }: OpenDetailOptions): CommandHandler {
  return async (node) => {
    const session = await target(node, { title: "Open Detail" });
    if (session !== undefined) open(session, { inPassing: node instanceof ClickedNode });
  };
}
