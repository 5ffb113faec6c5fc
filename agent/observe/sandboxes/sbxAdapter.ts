// Docker Sandboxes, asked through their `sbx` command. Nearly each of its calls starts its daemon and takes seconds, and
// some never end: whether the daemon runs is asked first, which does not start it, then one list at most every 15 s, each
// with a deadline. Nothing is run inside: `sbx exec` starts a sandbox that has stopped meanwhile, and keeps one awake that
// would have. An empty list after one that was not says nothing: an expired login and another version print that too.
import type { EpochMs } from "../../../base/clock.ts";
import { errorCode } from "../../../base/errors.ts";
import { limits, periods, recentMs } from "../../../base/limits.ts";
import { outcomeWords, runProgram, type ProgramOutcome } from "../../../base/node/spawn.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../../protocol/observation.ts";
import { readDaemonStatus, readSbxList } from "../../core/sbxAnswers.ts";
import type { SandboxListing } from "../../core/sandboxListing.ts";
import type { SandboxAdapter } from "./adapter.ts";

export interface SbxAdapterOptions {
  readonly now: () => EpochMs;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of one call: asked to end, then ended. */
  readonly call?: { readonly orderlyMs: number; readonly deadlineMs: number };
}

const leaveOut = "or leave sbx out in ROLLCALL_SANDBOX_ADAPTERS";

export class SbxAdapter implements SandboxAdapter {
  readonly kind = "sbx";
  readonly source: SourceId = "sandboxes:sbx";
  readonly periodMs = periods.sandboxListMs.sbx;
  readonly deadlineMs = 2 * limits.sbxCallMs.deadline + 1_000;
  private readonly options: SbxAdapterOptions;
  private readonly running = new Set<() => void>();
  private last: { readonly at: EpochMs; readonly list: Observation<SandboxListing> } | undefined;
  /** Since when a list is empty that was not before. */
  private emptySince: EpochMs | undefined;
  private hadSome = false;

  constructor(options: SbxAdapterOptions) {
    this.options = options;
  }

  async list(): Promise<Observation<SandboxListing>> {
    const at = this.options.now();
    // Timers run a little early or late.
    if (this.last !== undefined && at - this.last.at < this.periodMs - 500) return this.last.list;
    const list = await this.ask(at);
    this.last = { at, list };
    return list;
  }

  dispose(): void {
    for (const cancel of this.running) cancel();
  }

  private async ask(at: EpochMs): Promise<Observation<SandboxListing>> {
    const failed = (cause: string): Observation<SandboxListing> => unobserved(this.source, at, cause);
    const status = await this.run(["daemon", "status", "--json"]);
    if (status.kind === "not-started" && errorCode(status.cause) === "ENOENT") return absent(this.source, at);
    if (status.kind !== "exited") return failed(`sbx daemon status: ${outcomeWords(status)}`);
    // It may say by its exit code, too, that the daemon does not run.
    const daemon = readDaemonStatus(status.stdout.toString("utf8"));
    if (daemon.kind === "not-understood")
      return failed(`sbx daemon status: what it prints is not understood; ${outcomeWords(status)}`);
    if (daemon.kind === "does-not-run")
      return failed(
        `the daemon of Docker Sandboxes does not run, and to list would start it; run sbx daemon start, ${leaveOut}`,
      );
    const listed = await this.run(["ls", "--json"]);
    if (listed.kind !== "exited" || listed.code !== 0) return failed(`sbx ls: ${outcomeWords(listed)}`);
    const read = readSbxList(listed.stdout.toString("utf8"), limits.sandboxesPerAdapter);
    if (read.kind === "not-understood") return failed(`sbx ls: ${read.cause}`);
    if (read.sandboxes.length > 0) {
      this.hadSome = true;
      this.emptySince = undefined;
    } else if (this.hadSome && at - (this.emptySince ??= at) < recentMs)
      return failed(
        `sbx lists no sandbox where there were some, as it also does when its login has expired; run sbx ls, ${leaveOut}`,
      );
    return observed(this.source, at, { sandboxes: read.sandboxes, skipped: new Map() });
  }

  private async run(args: readonly string[]): Promise<ProgramOutcome> {
    const { orderlyMs = limits.sbxCallMs.orderly, deadlineMs = limits.sbxCallMs.deadline } = this.options.call ?? {};
    const program = runProgram({
      command: "sbx",
      args,
      env: this.options.env,
      deadlineMs,
      orderlyMs,
      outputLimitBytes: limits.sbxAnswerBytes,
    });
    const cancel = (): void => program.cancel();
    this.running.add(cancel);
    try {
      return await program.outcome;
    } finally {
      this.running.delete(cancel);
    }
  }
}
