// Tells a person once that another writer dropped sessions from the registry, whichever window it is: the agent says to
// one of those who ask that it may tell. What was dropped for a moment only is not worth a word.
import { commands, window, type Disposable } from "vscode";
import type { Scheduler, Timer } from "../../base/clock.ts";
import { describeError } from "../../base/errors.ts";
import type { AgentResult } from "../../protocol/agentApi.ts";
import { dropWords, lastDropAt } from "../core/droppedSessions.ts";
import type { RosterState } from "../core/rosterState.ts";

/** A writer that empties the file first is done by then; of several windows the one that is looked at asks first. */
const waitMs = { focused: 2_000, others: 4_000 } as const;

export interface DropNoticeOptions {
  /** @throws while the agent is away */
  readonly mayTell: () => Promise<AgentResult<"registry/tellOfDrops">>;
  readonly restore: () => Promise<void>;
  readonly show: () => void;
  readonly format: (at: number) => string;
  readonly scheduler: Scheduler;
  readonly log: { warn(message: string): void };
}

export class DropNotice implements Disposable {
  private readonly options: DropNoticeOptions;
  /** Of the last drop that was asked about. */
  private askedOf = 0;
  private timer: Timer | undefined;
  private state: RosterState | undefined;

  constructor(options: DropNoticeOptions) {
    this.options = options;
  }

  note(state: RosterState): void {
    this.state = state;
    const at = dropIn(state);
    if (at === undefined || at <= this.askedOf || this.timer !== undefined) return;
    const { focused, others } = waitMs;
    this.timer = this.options.scheduler.after(window.state.focused ? focused : others, () => {
      this.timer = undefined;
      void this.askAndTell();
    });
  }

  dispose(): void {
    this.timer?.cancel();
  }

  private async askAndTell(): Promise<void> {
    const at = this.state === undefined ? undefined : dropIn(this.state);
    if (at === undefined) return;
    const { mayTell, restore, show, format, log } = this.options;
    const told = await mayTell().catch((error: unknown) => {
      log.warn(`whether a drop is to be told could not be asked: ${describeError(error)}`);
      return undefined;
    });
    if (told === undefined) return;
    this.askedOf = at;
    if (!told.tell) return;
    const words = dropWords(told.sessions, format(Date.parse(told.at)));
    const choice = await window.showWarningMessage(words, "Restore", "Show");
    if (choice === "Show") show();
    if (choice === "Restore")
      await restore().catch((error: unknown) => window.showErrorMessage(`Rollcall: ${describeError(error)}`));
  }
}

function dropIn(state: RosterState): number | undefined {
  return state.kind === "live" ? lastDropAt(state.roster) : undefined;
}

/** The view, with those that were dropped. */
export function showDropped(viewId: string, filterBy: (text: string) => void): () => void {
  return () => {
    filterBy("is:dropped");
    void commands.executeCommand(`${viewId}.focus`);
  };
}
