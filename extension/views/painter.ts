// Draws all surfaces from one state: soon after it changed, a burst as one, and now and then, since ages grow.
import type { EpochMs, Scheduler, Timer } from "../../base/clock.ts";
import type { Disposable } from "../../base/disposable.ts";
import { describeError } from "../../base/errors.ts";
import type { RosterState } from "../core/rosterState.ts";

export interface Surface {
  draw(state: RosterState, now: EpochMs): void;
}

export interface PainterOptions {
  readonly surfaces: readonly Surface[];
  readonly state: () => RosterState;
  readonly scheduler: Scheduler;
  readonly log: { error(message: string): void };
}

const burstMs = 20;
const agesMs = 10_000;

export class Painter implements Disposable {
  private readonly options: PainterOptions;
  private soon: Timer | undefined;
  private later: Timer | undefined;
  private disposed = false;

  constructor(options: PainterOptions) {
    this.options = options;
  }

  paintSoon(): void {
    if (this.disposed) return;
    this.soon ??= this.options.scheduler.after(burstMs, () => this.paint());
  }

  /** One surface that fails does not keep the others from being drawn. */
  paint(): void {
    this.cancel();
    if (this.disposed) return;
    const { surfaces, scheduler, log } = this.options;
    const state = this.options.state();
    const now = scheduler.now();
    for (const surface of surfaces) {
      try {
        surface.draw(state, now);
      } catch (error) {
        log.error(`a surface could not be drawn: ${describeError(error)}`);
      }
    }
    this.later = scheduler.after(agesMs, () => this.paint());
  }

  dispose(): void {
    this.disposed = true;
    this.cancel();
  }

  private cancel(): void {
    this.soon?.cancel();
    this.later?.cancel();
    this.soon = undefined;
    this.later = undefined;
  }
}
