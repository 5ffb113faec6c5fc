// The host's process table by ps-list in a killable child, one at a time. It finds what is new. A table that
// failed, came too late, is empty, lacks the agent's own process, or lacks a process that the kernel shows
// alive before and after, is no answer: unobserved, and nothing follows from it.
import { z } from "zod";
import { describeError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { outcomeWords, runProgram } from "../../base/node/spawn.ts";
import { observed, unobserved, type Observation } from "../../protocol/observation.ts";
import type { ProcessTable, TableRow } from "../core/monitorEvent.ts";
import { identifyProcess } from "../core/processIdentity.ts";
import { splitCommandLine, tableFault } from "../core/tableAnswer.ts";

const tableSchema = z.object({
  version: z.literal(1),
  rows: z.array(
    z.object({
      pid: z.number().int(),
      ppid: z.number().int().optional(),
      name: z.string(),
      cmd: z.string().optional(),
      path: z.string().optional(),
      startedAt: z.number().nullish(),
    }),
  ),
});
type RawRow = z.output<typeof tableSchema>["rows"][number];

export interface ProcessTableOptions {
  readonly childScript: string;
  readonly now: () => number;
  /** Where the kernel can be asked a row is only a hint whom to ask. */
  readonly kernelAnswers: boolean;
  /** Pids that are known to live now and were started before the given time. */
  readonly knownAlive: (startedBefore: number) => readonly number[];
}

export async function readProcessTable(options: ProcessTableOptions): Promise<Observation<ProcessTable>> {
  const began = options.now();
  const fault = (cause: string): Observation<ProcessTable> => unobserved("process-table", began, cause);
  const outcome = await runProgram({
    command: process.execPath,
    args: [options.childScript],
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "" },
    deadlineMs: limits.processTableDeadlineMs,
    outputLimitBytes: limits.processTableOutputBytes,
  }).outcome;
  if (outcome.kind !== "exited" || outcome.code !== 0) return fault(`ps: ${outcomeWords(outcome)}`);
  let rows: readonly RawRow[];
  try {
    rows = tableSchema.parse(JSON.parse(outcome.stdout.toString("utf8"))).rows;
  } catch (error) {
    return fault(`ps: unreadable table: ${describeError(error).slice(0, 200)}`);
  }
  const pids = new Set(rows.map((row) => row.pid));
  const short = tableFault({ pids, ownPid: process.pid, knownAlive: options.knownAlive(began) });
  if (short !== undefined) return fault(`ps: ${short}`);
  return observed("process-table", began, toTable(rows, options.kernelAnswers));
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
      startToken: startedAt === undefined ? "unknown" : String(Math.floor(startedAt / 1000)),
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
