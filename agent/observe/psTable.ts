// The process table by `ps` itself, for hosts where the kernel tells what a table does not: it asks for what the table
// adds there and no more, and costs a fifth of what ps-list in a Node of its own costs. Killable and bounded as that is.
import { limits } from "../../base/limits.ts";
import { outcomeWords, runProgram } from "../../base/node/spawn.ts";
import type { RawRow, TableRows } from "./tableRows.ts";

const columns = ["pid", "ppid", "lstart", "args"] as const;
/** Such as `  20 1 Mon Nov 30 17:00:00 2026 /opt/claude --resume`; a kernel thread's name stands in brackets. */
const row = /^ *(\d+) +(\d+) +(\w{3} \w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4})(?: (.*))?$/;

export async function readPsTable(): Promise<TableRows> {
  const outcome = await runProgram({
    command: "ps",
    args: ["awwxo", columns.map((column) => `${column}=`).join(",")],
    env: { ...process.env, LC_ALL: "C", LANG: "C" },
    deadlineMs: limits.processTableDeadlineMs,
    outputLimitBytes: limits.processTableOutputBytes,
  }).outcome;
  if (outcome.kind !== "exited" || outcome.code !== 0) return { kind: "no-answer", cause: outcomeWords(outcome) };
  return parsePsTable(outcome.stdout.toString("utf8"));
}

/** Arguments may hold line breaks, so a line that is no row goes on with the one before. */
export function parsePsTable(text: string): TableRows {
  const rows: RawRow[] = [];
  for (const line of text.split("\n")) {
    const [, pid, ppid, started, args] = row.exec(line) ?? [];
    if (pid !== undefined) {
      const startedAt = Date.parse(started ?? "");
      rows.push({ pid: Number(pid), ppid: Number(ppid), name: "", cmd: args ?? "", startedAt });
    } else if (rows.length === 0 && line.trim() !== "") {
      return { kind: "no-answer", cause: `an unreadable table: ${line.trim().slice(0, 100)}` };
    }
  }
  return { kind: "rows", rows };
}
