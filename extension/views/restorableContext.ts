// Tells the manifest's menus whether there is anything to restore.
import type { ContextKeySetter } from "../contributions/contextKeys.ts";
import { isInWave } from "../../protocol/restorable.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";
import type { Surface } from "./painter.ts";

export class RestorableContext implements Surface {
  private readonly keys: ContextKeySetter;

  constructor(keys: ContextKeySetter) {
    this.keys = keys;
  }

  draw(state: RosterState): void {
    void this.keys.update("rollcall.restorable", (lastRoster(state)?.roster.sessions ?? []).some(isInWave));
  }
}
