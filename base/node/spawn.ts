// The one place that runs outside programs: a deadline, a bound on the output, closed stdin, and a kill that
// reaches the whole group, so that a hanging grandchild does not outlive the call. Every way it can end is a
// value of one union; the first reason is the one reported.
import { spawn, type ChildProcess } from "node:child_process";

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly deadlineMs: number;
  /** Asked to end after so long, for a program that holds something; it is ended at the deadline all the same. */
  readonly orderlyMs?: number;
  readonly outputLimitBytes: number;
}

export type ProgramOutcome =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: "killed-by-signal"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  | { readonly kind: "output-too-large"; readonly limitBytes: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly cause: Error };

export interface RunningProgram {
  readonly pid: number | undefined;
  readonly outcome: Promise<ProgramOutcome>;
  cancel(): void;
}

const stderrLimitChars = 2_000;
const windows = process.platform === "win32";

export function runProgram(call: ProgramCall): RunningProgram {
  const child = spawn(call.command, [...call.args], {
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that the kill reaches what the program started.
    detached: !windows,
    windowsHide: true,
    ...(call.env === undefined ? {} : { env: call.env }),
  });
  let settle: (outcome: ProgramOutcome) => void = () => undefined;
  const outcome = new Promise<ProgramOutcome>((resolve) => {
    settle = resolve;
  });
  const stdout: Buffer[] = [];
  let stdoutBytes = 0;
  let stderr = "";
  const end = (reason: ProgramOutcome): void => {
    clearTimeout(timer);
    clearTimeout(orderly);
    settle(reason);
    signalGroup(child, "SIGKILL");
  };
  const timer = setTimeout(() => end({ kind: "timed-out", deadlineMs: call.deadlineMs }), call.deadlineMs);
  const orderly =
    call.orderlyMs === undefined ? undefined : setTimeout(() => signalGroup(child, "SIGTERM"), call.orderlyMs);
  child.stdout.on("data", (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    if (stdoutBytes > call.outputLimitBytes) end({ kind: "output-too-large", limitBytes: call.outputLimitBytes });
    else stdout.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(0, stderrLimitChars);
  });
  child.on("error", (cause) => end({ kind: "not-started", cause }));
  child.on("close", (code, signal) => {
    if (signal !== null) end({ kind: "killed-by-signal", signal, stderr });
    else end({ kind: "exited", code: code ?? -1, stdout: Buffer.concat(stdout), stderr });
  });
  return { pid: child.pid, outcome, cancel: () => end({ kind: "cancelled" }) };
}

/** What happened, for people; the exit code alone is no answer. */
export function outcomeWords(outcome: ProgramOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `exit code ${outcome.code}${outcome.stderr === "" ? "" : `: ${outcome.stderr.trim()}`}`;
    case "killed-by-signal":
      return `ended by ${outcome.signal}${outcome.stderr === "" ? "" : `: ${outcome.stderr.trim()}`}`;
    case "timed-out":
      return `no answer within ${outcome.deadlineMs} ms`;
    case "output-too-large":
      return `more than ${outcome.limitBytes} bytes of output`;
    case "cancelled":
      return "cancelled";
    case "not-started":
      return `could not be started: ${outcome.cause.message}`;
  }
}

/** Most programs run here hold nothing that an orderly end would save, and get SIGKILL at once. */
function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (windows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group has ended already, which is what was wanted.
    return;
  }
}
