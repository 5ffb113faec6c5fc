// Asks the system for a process' ancestors, to find the terminal it runs in: /proc on Linux, `ps` elsewhere.
// A system that cannot be asked is an error, never a process without ancestors.
import { describeError, errorCode, rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { outcomeWords, runProgram } from "../../base/node/spawn.ts";
import { readFile } from "node:fs/promises";
import { ancestryOf, parentFromStat, parentsFromPs } from "../core/ancestry.ts";

export type AncestryErrorKind = "process-gone" | "ancestry-unreadable";
export type AncestryError = RollcallError<AncestryErrorKind>;

/** @throws AncestryError */
export async function processAncestry(pid: number): Promise<readonly number[]> {
  if (process.platform === "linux") return ancestryOf(pid, (each) => parentFromProc(each, each === pid));
  if (process.platform === "win32") throw unreadable(pid, "Windows does not tell it to Rollcall yet");
  const call = {
    command: "ps",
    args: ["-A", "-o", "pid=,ppid="],
    deadlineMs: limits.processTableDeadlineMs,
    outputLimitBytes: limits.processTableOutputBytes,
  };
  const outcome = await runProgram(call).outcome;
  if (outcome.kind !== "exited" || outcome.code !== 0) throw unreadable(pid, `ps: ${outcomeWords(outcome)}`);
  const parents = parentsFromPs(outcome.stdout.toString("utf8"));
  if (!parents.has(pid)) throw processGone(pid);
  return ancestryOf(pid, (each) => parents.get(each));
}

async function parentFromProc(pid: number, isFirst: boolean): Promise<number | undefined> {
  try {
    return parentFromStat(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    const gone = errorCode(error) === "ENOENT" || errorCode(error) === "ESRCH";
    if (!gone) throw unreadable(pid, describeError(error));
    if (isFirst) throw processGone(pid);
    // An ancestor that ended meanwhile ends the chain.
    return undefined;
  }
}

function processGone(pid: number): AncestryError {
  return rollcallError<AncestryErrorKind>("process-gone", `process ${pid} has ended meanwhile; refresh the list`);
}

function unreadable(pid: number, cause: string): AncestryError {
  return rollcallError<AncestryErrorKind>(
    "ancestry-unreadable",
    `the ancestors of process ${pid} cannot be told: ${cause}`,
  );
}
