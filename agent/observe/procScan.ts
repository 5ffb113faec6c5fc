// Finds new agents among all processes, cheaply: each is judged once by its program's name, and only what may be an
// agent gets a full look.
import { readdirSync, readFileSync } from "node:fs";
import type { ProcessFacts } from "../core/processes.ts";
import { readProcStat, ticksPerSecond, type ProcStat } from "./procStat.ts";

/** Names under which an agent's program runs: its own, a version's, or its interpreter's. */
const agentComm = /^(claude|node|bun|MainThread|\d+\.\d+\.\d)/;

/** A process this young may still be about to run another program. */
const settledAfterTicks = 10 * ticksPerSecond;

/** Finds processes that may be agents among those that it has not judged yet. */
export class ProcScan {
  /** Pids whose program is none, by their start. */
  private readonly judged = new Map<number, string>();

  /** @throws the system's error when /proc cannot be listed */
  candidates(uptimeTicks: number): readonly number[] {
    const found: number[] = [];
    const listed = new Set<number>();
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      listed.add(pid);
      if (!this.judged.has(pid) && this.mayBeAgent(pid, uptimeTicks)) found.push(pid);
    }
    for (const pid of this.judged.keys()) if (!listed.has(pid)) this.judged.delete(pid);
    return found;
  }

  /** A full look said that this is no agent; a young one may become one. */
  dismiss(facts: ProcessFacts): void {
    if (uptimeTicks() - Number(facts.startToken) > settledAfterTicks) this.judged.set(facts.pid, facts.startToken);
  }

  private mayBeAgent(pid: number, uptimeTicks: number): boolean {
    let stat: ProcStat;
    try {
      stat = readProcStat(pid);
    } catch {
      // It ended meanwhile, or cannot be read now: it stays unjudged and is asked again.
      return false;
    }
    if (agentComm.test(stat.comm)) return true;
    if (uptimeTicks - Number(stat.startTicks) > settledAfterTicks) this.judged.set(pid, stat.startTicks);
    return false;
  }
}

/** Clock ticks since the host was started. */
export function uptimeTicks(): number {
  return Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * ticksPerSecond;
}
