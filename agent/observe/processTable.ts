// The host's process table, one at a time. It finds what is new. A table that failed, came too late, is empty, lacks
// the agent's own process, or lacks a process that the kernel shows alive before and after, is no answer:
// unobserved, and nothing follows from it. Which program is asked is `psTable.ts` and `psListTable.ts`.
import { observed, unobserved, type Observation } from "../../protocol/observation.ts";
import type { ProcessTable, TableRow } from "../core/monitorEvent.ts";
import { identifyProcess } from "../core/processIdentity.ts";
import { unknownStart } from "../core/recordStart.ts";
import { splitCommandLine, tableFault } from "../core/tableAnswer.ts";
import type { RawRow, TableRows } from "./tableRows.ts";

export interface ProcessTableOptions {
  /** Runs the program that lists processes. */
  readonly read: () => Promise<TableRows>;
  readonly now: () => number;
  /** Where the kernel can be asked a row is only a hint whom to ask. */
  readonly kernelAnswers: boolean;
  /** Pids that are known to live now and were started before the given time. */
  readonly knownAlive: (startedBefore: number) => readonly number[];
}

export async function readProcessTable(options: ProcessTableOptions): Promise<Observation<ProcessTable>> {
  const began = options.now();
  const fault = (cause: string): Observation<ProcessTable> => unobserved("process-table", began, `ps: ${cause}`);
  const read = await options.read();
  if (read.kind === "no-answer") return fault(read.cause);
  const pids = new Set(read.rows.map((row) => row.pid));
  const short = tableFault({ pids, ownPid: process.pid, knownAlive: options.knownAlive(began) });
  if (short !== undefined) return fault(short);
  return observed("process-table", began, toTable(read.rows, options.kernelAnswers));
}

function toTable(raw: readonly RawRow[], kernelAnswers: boolean): ProcessTable {
  const rows = new Map<number, TableRow>();
  const parents = new Set<number>();
  for (const row of raw) {
    if (row.ppid !== undefined) parents.add(row.ppid);
    if (mayBeAgent(row)) rows.set(row.pid, toRow(row, kernelAnswers));
  }
  return { rows, parents };
}

/** Coarse on purpose: whether it is one is decided by executable and arguments. */
function mayBeAgent(row: RawRow): boolean {
  return [row.name, row.path, row.cmd].some((text) => text !== undefined && /claude|ccd-cli/i.test(text));
}

function toRow(row: RawRow, kernelAnswers: boolean): TableRow {
  const startedAt = row.startedAt ?? undefined;
  if (kernelAnswers) return { pid: row.pid, startedAt, facts: undefined };
  const exe = row.path === undefined || row.path === "" ? undefined : row.path;
  const argv = splitCommandLine(row.cmd ?? row.name, exe);
  return {
    pid: row.pid,
    startedAt,
    facts: {
      pid: row.pid,
      startToken: startedAt === undefined ? unknownStart : String(Math.floor(startedAt / 1000)),
      startedAt,
      ppid: row.ppid,
      namespace: undefined,
      namespacePid: row.pid,
      role: identifyProcess({ argv, exe, comm: row.name }),
      cwd: undefined,
      configDir: undefined,
    },
  };
}
