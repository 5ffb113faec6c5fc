// What is decided of a session's life, and on what: each rung of the ladder says as much, or nothing. The ladder is
// `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Known, SourceId } from "../../protocol/observation.ts";
import type { Claim, RecordMemory } from "./monitor.ts";
import type { AnswerFacts, ProbedSession } from "./probeMemory.ts";
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

/** What a probe in a sandbox told of a session, and what is known of that sandbox. */
export interface ProbedOnSession {
  readonly session: ProbedSession;
  readonly sandbox: string;
  readonly source: SourceId;
  readonly answer: Known<AnswerFacts>;
  readonly about: SandboxNow;
}

/** What is known of the sandbox beside the answer from inside. */
export type SandboxNow =
  | { readonly kind: "as-answered" }
  /** Its processes stand still, and nobody inside can answer. */
  | { readonly kind: "frozen"; readonly since: EpochMs }
  /** What ran in it when it answered runs no more. */
  | { readonly kind: "ended"; readonly at: EpochMs; readonly says: string };

export interface SessionSources {
  readonly configDir: string;
  readonly claims: readonly ClaimOnSession[];
  readonly records: readonly RecordMemory[];
  readonly transcriptSeenAt: EpochMs | undefined;
  /** What a probe in a sandbox told. */
  readonly probed?: ProbedOnSession | undefined;
}
