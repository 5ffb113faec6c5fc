// What a process has cost so far, as the kernel counts it: time on a processor, not time on the clock, so that what else
// runs on the machine matters little.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of a processor that a process' threads and its ended children have had. */
export function cpuMs(pid: number): number {
  return ownCpuMs(pid) + childrenCpuMs(pid);
}

export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** A Node that does nothing. */
export async function bareNodeBytes(): Promise<number> {
  const node = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log(1)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(node.stdout, "data");
  const bytes = residentBytes(node.pid ?? 0);
  node.kill("SIGKILL");
  return bytes;
}

function ownCpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

/** What a program that this process runs to its end takes. */
export interface RunCost {
  readonly clockMs: number;
  /** Of a processor, the programs that it runs included. */
  readonly cpuMs: number;
}

export async function runCost(run: () => Promise<unknown>): Promise<RunCost> {
  const before = childrenCpuMs(process.pid);
  const began = performance.now();
  await run();
  return { clockMs: performance.now() - began, cpuMs: childrenCpuMs(process.pid) - before };
}

/** Counted in ticks of 10 ms, those that were waited for. */
function childrenCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
