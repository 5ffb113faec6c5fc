// What a session's status rests on, as plain values. Rules look only at these, so that the same facts give the same
// status on a tick that read nothing.
import type { EpochMs } from "../../base/clock.ts";
import type { HookStatus } from "./hookStatus.ts";
import type { BackgroundWork, OpenCall, TurnPhase } from "./turns.ts";

export interface StatusFacts {
  readonly now: EpochMs;
  readonly liveness: "live" | "ended" | "unknown";
  readonly endedAt: EpochMs | undefined;
  readonly processStartedAt: EpochMs | undefined;
  /** Undefined where no record was ever read. */
  readonly record: RecordStatus | undefined;
  /** `none`: its folder answered without one; `unread`: there may be calls in it that nobody saw. */
  readonly transcript: "read" | "none" | "unread";
  /** Undefined where no transcript was ever read. */
  readonly phase: TurnPhase | undefined;
  /** Open calls of the living process; those of an earlier one are abandoned and not here. */
  readonly openCalls: readonly OpenCall[];
  /** Open calls of its running subagents. */
  readonly subagentCalls: readonly OpenCall[];
  readonly background: readonly BackgroundWork[];
  readonly lastSignAt: EpochMs | undefined;
  /** Missing where no hook told of it. */
  readonly hooks?: HookStatus | undefined;
  /** While which time whole process tables show no child; undefined where there is one or nothing is known. */
  readonly childless: { readonly since: EpochMs; readonly asOf: EpochMs } | undefined;
}

export interface RecordStatus {
  readonly status: string | undefined;
  readonly waitingFor: string | undefined;
  readonly since: EpochMs | undefined;
  /**
   * `own`: written in our pid namespace, so it is this session's; `hint`: of another namespace, and needs to be
   * confirmed; `none`: another session writes the same file, or wrote over it, so alone it tells nothing.
   */
  readonly trust: "own" | "hint" | "none";
}
