// The real clock and real timers; a pending timer does not keep the process alive.
import type { Scheduler } from "../clock.ts";

export const nodeScheduler: Scheduler = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
