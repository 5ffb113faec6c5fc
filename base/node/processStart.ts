// What tells one process from a later one with the same pid.
import { readFileSync } from "node:fs";
import { errorCode } from "../errors.ts";

export type ProcessStart =
  { readonly kind: "started"; readonly token: string } | { readonly kind: "gone" } | { readonly kind: "cannot-tell" };

/** On Linux the start in ticks since boot; elsewhere only whether some process of that pid can be signalled. */
export function processStart(pid: number): ProcessStart {
  if (process.platform !== "linux") return signalAnswers(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold anything, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    if (state === "Z" || state === "X") return { kind: "gone" };
    const ticks = fields[19];
    return ticks === undefined ? { kind: "cannot-tell" } : { kind: "started", token: ticks };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ESRCH" ? { kind: "gone" } : { kind: "cannot-tell" };
  }
}

function signalAnswers(pid: number): ProcessStart {
  try {
    process.kill(pid, 0);
    return { kind: "started", token: "" };
  } catch (error) {
    return errorCode(error) === "ESRCH" ? { kind: "gone" } : { kind: "cannot-tell" };
  }
}
