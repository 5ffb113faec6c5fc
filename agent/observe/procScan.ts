// Finds new agents among all processes, cheaply: each is judged once by its program's name, and only what may be an
// agent gets a full look.
import { readdirSync } from "node:fs";
import { readProcStat, ticksPerSecond, type ProcStat } from "./procStat.ts";
import { readProcText } from "./procText.ts";

/** Names under which an agent's program runs: its own, a version's, or its interpreter's. */
const agentComm = /^(claude|node|bun|MainThread|\d+\.\d+\.\d)/;

/** A process this young may still be about to run another program. */
const settledAfterTicks = 10 * ticksPerSecond;

const newbornTicks = 2 * ticksPerSecond;
/** In how many scans every judged process is asked again. */
const rounds = 5;

/** Finds processes that may be agents among those that it has not judged yet. */
export class ProcScan {
  /** Processes whose program is none. */
  private readonly judged = new Map<number, Pick<ProcStat, "startTicks" | "comm">>();

  private round = 0;

  /**
   * @param known pids that are watched anyway
   * @throws the system's error when /proc cannot be listed
   */
  candidates(uptime: number, known: Pick<ReadonlyMap<number, unknown>, "has">): readonly number[] {
    this.round += 1;
    const found: number[] = [];
    const listed = new Set<number>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      listed.add(pid);
      if (known.has(pid)) continue;
      // A judged one may run another program by now, or be another process: each is asked again in turn.
      const due = pid % rounds === this.round % rounds && !this.isDismissed(pid);
      if ((due || !this.judged.has(pid)) && this.mayBeAgent(pid, uptime)) found.push(pid);
    }
    for (const pid of this.judged.keys()) if (!listed.has(pid)) this.judged.delete(pid);
    return found;
  }

  /** What a process runs now, to be read before the look that may dismiss it. */
  stamp(pid: number): ProcStat | undefined {
    return readStat(pid);
  }

  /** A process this young may be on its way from fork to exec. */
  isNewborn(stamp: ProcStat): boolean {
    return uptimeTicks() - Number(stamp.startTicks) < newbornTicks;
  }

  /** A full look said that this is no agent; a young one may become one. */
  dismiss(stamp: ProcStat | undefined): void {
    if (stamp !== undefined && isSettled(stamp, uptimeTicks())) this.judged.set(stamp.pid, stamp);
  }

  /** True for a process that was judged and runs the same program still. */
  isDismissed(pid: number): boolean {
    const judged = this.judged.get(pid);
    if (judged === undefined) return false;
    const stat = readStat(pid);
    return stat?.startTicks === judged.startTicks && stat.comm === judged.comm;
  }

  private mayBeAgent(pid: number, uptime: number): boolean {
    const stat = readStat(pid);
    if (stat === undefined) return false;
    if (agentComm.test(stat.comm)) return true;
    if (isSettled(stat, uptime)) this.judged.set(pid, stat);
    return false;
  }
}

function isSettled(stat: ProcStat, uptime: number): boolean {
  return uptime - Number(stat.startTicks) > settledAfterTicks;
}

/** Undefined where the process ended meanwhile or cannot be read now: it stays unjudged and is asked again. */
function readStat(pid: number): ProcStat | undefined {
  try {
    return readProcStat(pid);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    return undefined;
  }
}

/** Clock ticks since the host was started. */
export function uptimeTicks(): number {
  return Number(readProcText("/proc/uptime").split(" ")[0]) * ticksPerSecond;
}
