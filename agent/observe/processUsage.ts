// What a session's process has used so far, as the kernel tells it: time of a processor and memory. Nothing where it
// cannot be told, such as of a process that has ended or that only its sandbox shows.
import { readFileSync } from "node:fs";
import { ticksPerSecond } from "./procStat.ts";

export interface ProcessCost {
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}

/** @param startTicks of the very process: its pid may be another one's by now */
export function readProcessCost(pid: number, startTicks: string): ProcessCost | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const memory = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    if (fields[19] !== startTicks || memory === undefined) return undefined;
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      cpuSeconds: Math.round((ticks / ticksPerSecond) * 10) / 10,
      memoryMb: Math.round(Number(memory) / 102.4) / 10,
    };
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    return undefined;
  }
}
