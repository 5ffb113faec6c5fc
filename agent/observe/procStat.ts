// `/proc/<pid>/stat`: its one line, read once or from a file that is held open. What a full look makes of it is
// `procLook.ts`.
import { closeSync, constants, openSync, readSync } from "node:fs";
import { readProcText } from "./procText.ts";

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
  return parseProcStat(readProcText(`/proc/${pid}/stat`));
}

export function isZombie(stat: ProcStat): boolean {
  return stat.state === "Z" || stat.state === "X";
}

/** A process' stat file held open: it stays bound to that process, so a pid's reuse cannot be taken for it. */
export class HeldProcess {
  private readonly fd: number;
  private readonly buffer: Buffer;
  /** Of one that rests the line is the same each time. */
  private last: { readonly text: string; readonly stat: ProcStat } | undefined;

  /** @throws the system's error when the process is gone or too many files are open */
  constructor(pid: number, buffer: Buffer) {
    this.buffer = buffer;
    this.fd = openSync(`/proc/${pid}/stat`, constants.O_RDONLY);
  }

  /** Costs some microseconds; `look-again` where only a full look can tell. */
  glance(): { readonly kind: "alive"; readonly stat: ProcStat } | { readonly kind: "look-again" } {
    try {
      const length = readSync(this.fd, this.buffer, 0, this.buffer.length, 0);
      const text = this.buffer.toString("latin1", 0, length);
      if (this.last?.text !== text) this.last = { text, stat: parseProcStat(text) };
      const { stat } = this.last;
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

/** Field by field, since most of the fifty are not asked for and this line is read thousands of times a minute. */
function parseProcStat(text: string): ProcStat {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const state = fieldAt(text, close + 2);
  const ppid = fieldAt(text, state.end + 1);
  let start = ppid.end + 1;
  for (let skipped = 0; skipped < fieldsToStart && start > 0; skipped += 1) start = text.indexOf(" ", start) + 1;
  const startTicks = fieldAt(text, start).text;
  if (open < 0 || close < open || start === 0 || ppid.text === "" || !isNumber.test(startTicks)) {
    throw new Error("not a line of /proc/<pid>/stat");
  }
  return {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    state: state.text,
    ppid: Number(ppid.text),
    startTicks,
  };
}

/** Between the parent's pid and the start. */
const fieldsToStart = 17;
const isNumber = /^\d+$/;

function fieldAt(text: string, start: number): { readonly text: string; readonly end: number } {
  const space = text.indexOf(" ", start);
  const end = space < 0 ? text.length : space;
  return { text: text.slice(start, end), end };
}
