// Copies a session's id, for use in a terminal. It needs no agent.
import { env, window } from "vscode";
import type { CommandHandler } from "../contributions/commands.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export function copyId(target: SessionTarget): CommandHandler {
  return async (node) => {
    const session = await target(node, { title: "Copy Session Id" });
    if (session === undefined) return;
    await env.clipboard.writeText(session.id);
    window.setStatusBarMessage(`Copied ${session.id}`, 3_000);
  };
}
