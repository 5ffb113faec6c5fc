// Time as a thing that is passed in, so that pure code stays pure and tests own the clock.

/** Milliseconds since the epoch, UTC. */
export type EpochMs = number;

export interface Clock {
  now(): EpochMs;
}

export interface Timer {
  cancel(): void;
}

/** Starts one-shot timers; the daemon's own never keep the process alive by themselves. */
export interface Scheduler extends Clock {
  after(delayMs: number, run: () => void): Timer;
}
