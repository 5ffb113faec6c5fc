// Tells the manifest's welcome views what an empty tree means.
import type { EpochMs } from "../../base/clock.ts";
import type { ContextKeySetter } from "../contributions/contextKeys.ts";
import type { RosterState } from "../core/rosterState.ts";
import { welcomeOf } from "../core/welcomeModel.ts";
import type { Surface } from "./painter.ts";

export class WelcomeContext implements Surface {
  private readonly keys: ContextKeySetter;

  constructor(keys: ContextKeySetter) {
    this.keys = keys;
  }

  draw(state: RosterState, now: EpochMs): void {
    void this.keys.update("rollcall.state", welcomeOf(state, now));
  }
}
