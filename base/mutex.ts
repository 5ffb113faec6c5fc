// Work of one process that must not overlap, one piece after the other in the order in which it was asked for. A piece
// that fails holds up nobody. What other processes do meanwhile is the lock's, `node/lock.ts`.
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  /** @returns what the work gives, or fails with, once its turn came */
  run<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(work);
    this.last = run.catch(() => undefined);
    return run;
  }
}
