// Brings sessions back into the registry that another writer dropped: the one of the row, or from the palette all of
// them. Nothing that stands there is touched. It needs the agent, which alone writes that file.
import { window } from "vscode";
import type { AgentParams, AgentResult } from "../../protocol/agentApi.ts";
import type { CommandHandler } from "../contributions/commands.ts";
import { isDropped, restoredWords } from "../core/droppedSessions.ts";
import type { RosterState } from "../core/rosterState.ts";
import { recordedId } from "./recordedAct.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface RestoreDroppedOptions {
  readonly target: SessionTarget;
  readonly state: () => RosterState;
  /** @throws RpcError with the registry's own words where nothing was written */
  readonly write: (request: AgentParams<"registry/restore">) => Promise<AgentResult<"registry/restore">>;
}

export function restoreDropped({ target, state, write }: RestoreDroppedOptions): CommandHandler {
  return async (node) => {
    if (state().kind !== "live") {
      void window.showInformationMessage(
        "The agent is away, and it alone writes the registry. It is started again by itself; try again then.",
      );
      return;
    }
    const session = node === undefined ? undefined : await target(node, { title: "Restore", filter: isDropped });
    if (node !== undefined && session === undefined) return;
    const named = session === undefined ? undefined : recordedId(session);
    const { restored, aside } = await write(
      named === undefined ? {} : { sessions: [named.session], sandbox: named.sandbox },
    );
    void window.showInformationMessage(restoredWords(restored, aside));
  };
}
