// What is decided of a session's life, and on what: each rung of the ladder says as much, or nothing. The ladder is
// `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Claim, RecordMemory } from "./monitor.ts";
import type { ProcessMemory } from "./processes.ts";

export type EndedHow = "exited" | "killed" | "departed" | "rotated";

export interface LivenessVerdict {
  readonly kind: "live" | "ended" | "unknown";
  /** The rung that decided. */
  readonly source: string;
  readonly asOf: EpochMs;
  readonly stale: boolean;
  readonly how: EndedHow | undefined;
  readonly endedAt: EpochMs | undefined;
  readonly says: string;
  /** The process that lives or lived. */
  readonly process: ProcessMemory | undefined;
  /** The start of the first of the processes that live: two may hold one conversation, and each writes its turns. */
  readonly heldSince?: EpochMs | undefined;
}

/** A process instance that held this conversation at some time. */
export interface ClaimOnSession {
  readonly instance: ProcessInstance;
  readonly claim: Claim;
  /** The claim that came after this one, where the process holds another conversation now. */
  readonly next: Claim | undefined;
}

export interface SessionSources {
  readonly configDir: string;
  readonly claims: readonly ClaimOnSession[];
  readonly records: readonly RecordMemory[];
  readonly transcriptSeenAt: EpochMs | undefined;
}
