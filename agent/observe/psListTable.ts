// The process table by ps-list in a killable child, for hosts where only a table tells of processes. ps-list has no
// deadline of its own; its child with all that it started has one.
import { z } from "zod";
import { describeError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { outcomeWords, runProgram } from "../../base/node/spawn.ts";
import type { TableRows } from "./tableRows.ts";

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

export async function readPsListTable(childScript: string): Promise<TableRows> {
  const outcome = await runProgram({
    command: process.execPath,
    args: [childScript],
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "" },
    deadlineMs: limits.processTableDeadlineMs,
    outputLimitBytes: limits.processTableOutputBytes,
  }).outcome;
  if (outcome.kind !== "exited" || outcome.code !== 0) return { kind: "no-answer", cause: outcomeWords(outcome) };
  try {
    return { kind: "rows", rows: tableSchema.parse(JSON.parse(outcome.stdout.toString("utf8"))).rows };
  } catch (error) {
    return { kind: "no-answer", cause: `unreadable table: ${describeError(error).slice(0, 200)}` };
  }
}
