// One run at a time, and one more after it if it was asked for meanwhile: events come in bursts, the work is
// the same. A run that fails is reported and never ends the daemon.

export class SingleFlight {
  private running: Promise<void> | undefined;
  private again = false;
  private readonly work: () => Promise<void>;
  private readonly onFault: (error: unknown) => void;

  constructor(work: () => Promise<void>, onFault: (error: unknown) => void) {
    this.work = work;
    this.onFault = onFault;
  }

  /** Resolves when a run that began after this call is over. */
  run(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.loop();
      return this.running;
    }
    this.again = true;
    return this.running;
  }

  private async loop(): Promise<void> {
    do {
      this.again = false;
      try {
        await this.work();
      } catch (error) {
        this.onFault(error);
      }
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- run() sets it during the await
    } while (this.again);
    this.running = undefined;
  }
}
