// `/proc/<pid>/stat`: its one line, read once or from a file that is held open. What a full look makes of it is
// `procLook.ts`.
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";

/** Clock ticks a second in /proc on every Linux that Node runs on. */
export const ticksPerSecond = 100;

export interface ProcStat {
  readonly pid: number;
  readonly comm: string;
  readonly state: string;
  readonly ppid: number;
  readonly startTicks: string;
}

/** @throws the system's error, or one for a text that is no stat line */
export function readProcStat(pid: number | "self"): ProcStat {
  return parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
}

export function isZombie(stat: ProcStat): boolean {
  return stat.state === "Z" || stat.state === "X";
}

/** A process' stat file held open: it stays bound to that process, so a pid's reuse cannot be taken for it. */
export class HeldProcess {
  private readonly fd: number;
  private readonly buffer: Buffer;

  /** @throws the system's error when the process is gone or too many files are open */
  constructor(pid: number, buffer: Buffer) {
    this.buffer = buffer;
    this.fd = openSync(`/proc/${pid}/stat`, constants.O_RDONLY);
  }

  /** Costs some microseconds; `look-again` where only a full look can tell. */
  glance(): { readonly kind: "alive"; readonly stat: ProcStat } | { readonly kind: "look-again" } {
    try {
      const length = readSync(this.fd, this.buffer, 0, this.buffer.length, 0);
      const stat = parseProcStat(this.buffer.toString("latin1", 0, length));
      return isZombie(stat) ? { kind: "look-again" } : { kind: "alive", stat };
    } catch {
      // Whatever went wrong, the full look asks anew and names it.
      return { kind: "look-again" };
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

function parseProcStat(text: string): ProcStat {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const [state, ppid] = fields;
  const startTicks = fields[19];
  if (open < 0 || close < open || state === undefined || ppid === undefined || startTicks === undefined) {
    throw new Error("not a line of /proc/<pid>/stat");
  }
  return {
    pid: Number(text.slice(0, open).trim()),
    comm: text.slice(open + 1, close),
    state,
    ppid: Number(ppid),
    startTicks,
  };
}
