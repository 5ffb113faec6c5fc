// Opens the evidence for a session's row. While the agent is gone it shows what was last heard, marked stale.
import type { Session } from "../../protocol/roster.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface WhyOptions {
  readonly target: SessionTarget;
  readonly open: (session: Session) => Promise<void>;
}

export function why({ target, open }: WhyOptions): CommandHandler {
  return async (node) => {
    const session = await target(node, { title: "Why" });
    if (session !== undefined) await open(session);
  };
}
