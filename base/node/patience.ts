// The patience for one outside source, such as a folder on a share: each call has its deadline, and while one that was
// given up has not come back, no further one is begun. A source that hangs so costs itself only: it never fills the few
// threads that all file work of the process shares.
import { rollcallError, type RollcallError } from "../errors.ts";

export type PatienceErrorKind = "no-answer" | "still-hanging";
export type PatienceError = RollcallError<PatienceErrorKind>;

export class Patience {
  private readonly what: string;
  private readonly deadlineMs: number;
  private hanging = 0;

  constructor(what: string, deadlineMs: number) {
    this.what = what;
    this.deadlineMs = deadlineMs;
  }

  /**
   * @param onLate takes what came after all, such as a handle that has to be closed
   * @throws PatienceError when no answer came in time, or an earlier call still hangs; else what the call throws
   */
  async wait<T>(begin: () => Promise<T>, onLate: (late: T) => void = ignore): Promise<T> {
    if (this.hanging > 0)
      throw rollcallError<PatienceErrorKind>("still-hanging", `${this.what}: an earlier look has had no answer yet`);
    let givenUp = false;
    const call = begin();
    const comesBack = (): void => {
      if (givenUp) this.hanging -= 1;
    };
    void call.then((late) => {
      comesBack();
      if (givenUp) onLate(late);
    }, comesBack);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        givenUp = true;
        this.hanging += 1;
        reject(rollcallError<PatienceErrorKind>("no-answer", `${this.what}: no answer within ${this.deadlineMs} ms`));
      }, this.deadlineMs);
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function ignore(): void {
  return undefined;
}
