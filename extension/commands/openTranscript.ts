// Opens a session's transcript as it lies on disk, which needs no agent: while it is gone, the path last heard of.
import { commands, Uri, window, workspace } from "vscode";
import { rollcallError } from "../../base/errors.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export function openTranscript(target: SessionTarget): CommandHandler {
  return async (node) => {
    const session = await target(node, {
      title: "Open Transcript",
      filter: (each) => each.transcript !== undefined,
    });
    if (session === undefined) return;
    if (session.transcript === undefined) {
      void window.showInformationMessage(`No transcript of "${session.title}" has been seen.`);
      return;
    }
    const uri = Uri.file(session.transcript);
    try {
      await workspace.fs.stat(uri);
    } catch (cause) {
      throw rollcallError(
        "transcript-unreadable",
        `the transcript ${session.transcript} cannot be read from here; look at Why for when it was last seen`,
        cause,
      );
    }
    await commands.executeCommand("vscode.open", uri);
  };
}
