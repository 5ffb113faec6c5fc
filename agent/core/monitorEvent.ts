// What sources say, each thing as one event: a whole process table, one look at one pid, a listing of a folder, one
// file of it. How one changes what is known is `observeAll.ts`; how sources are asked is observe/.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { SubagentMeta } from "../../protocol/files/subagentMeta.ts";
import type { Cause, Observation } from "../../protocol/observation.ts";
import type { HookKnowledge, SpoolRead } from "./hookKnowledge.ts";
import type { HookSetupFacts } from "./hookSetup.ts";
import type { ProbeOutcome } from "./probeMemory.ts";
import type { ProcessFacts } from "./processes.ts";
import type { RegistryFacts } from "./recorded.ts";
import type { SandboxListing } from "./sandboxListing.ts";
import type { TranscriptFold } from "./transcript.ts";

export type MonitorEvent =
  | { readonly kind: "process-table"; readonly table: Observation<ProcessTable> }
  | { readonly kind: "proc"; readonly state: Observation<"answers"> }
  | { readonly kind: "pid-look"; readonly pid: number; readonly at: EpochMs; readonly look: PidLook }
  /** A whole look at who runs in a pid namespace, by the pids inside; none where nobody does. */
  | {
      readonly kind: "namespace-look";
      readonly namespace: string;
      readonly at: EpochMs;
      readonly pids: ReadonlySet<number>;
    }
  | {
      readonly kind: "pid-record-listing";
      readonly configDir: string;
      readonly listing: Observation<ReadonlySet<string>>;
    }
  | {
      readonly kind: "pid-record";
      readonly configDir: string;
      readonly file: string;
      readonly record: Observation<PidRecord>;
      /** Times in it that can be none. */
      readonly oddTimes?: readonly string[];
    }
  | {
      readonly kind: "transcript-listing";
      readonly configDir: string;
      readonly listing: Observation<TranscriptListing>;
    }
  | { readonly kind: "registry"; readonly registry: Observation<RegistryFacts> }
  /** Whether the spools of hooks could be looked at. */
  | { readonly kind: "hooks"; readonly spools: Observation<"answers"> }
  | { readonly kind: "hook-setup"; readonly configDir: string; readonly setup: Observation<HookSetupFacts> }
  | { readonly kind: "hook-spool"; readonly read: SpoolRead }
  /** What hooks told before, as it was kept. */
  | { readonly kind: "hooks-kept"; readonly kept: HookKnowledge }
  | { readonly kind: "sandboxes"; readonly list: Observation<SandboxListing> }
  | { readonly kind: "probe"; readonly outcome: ProbeOutcome }
  | { readonly kind: "snapshot"; readonly snapshot: Observation<"answers"> }
  | {
      readonly kind: "transcript";
      readonly configDir: string;
      readonly path: string;
      readonly transcript: Observation<TranscriptFacts>;
    }
  /** It is watched no more; `isKept` where it cannot be read again. */
  | { readonly kind: "folder-left"; readonly configDir: string; readonly at: EpochMs; readonly isKept: boolean }
  /** Those that are not watched since too many are. */
  | { readonly kind: "folders-left-out"; readonly configDirs: readonly string[] }
  | {
      readonly kind: "subagent";
      readonly configDir: string;
      readonly sessionId: string;
      readonly agentId: string;
      readonly subagent: Observation<SubagentFacts>;
    }
  /** No longer followed; whether it is there is not said. */
  | { readonly kind: "transcript-left"; readonly configDir: string; readonly path: string }
  | {
      readonly kind: "transcripts-read-over";
      readonly configDir: string;
      readonly skips: readonly { readonly path: string; readonly count: number; readonly why: string }[];
    }
  /** No longer followed: it finished, or its session is of no interest any more. */
  | {
      readonly kind: "subagent-left";
      readonly configDir: string;
      readonly sessionId: string;
      readonly agentId: string;
      /** When it finished, as its own note says; undefined where it did not. */
      readonly finishedAt: EpochMs | undefined;
    };

/** A whole process table: the agents in it, and which pids have children. */
export interface ProcessTable {
  readonly rows: ReadonlyMap<number, TableRow>;
  readonly parents: ReadonlySet<number>;
}

export interface TableRow {
  readonly pid: number;
  readonly startedAt: EpochMs | undefined;
  /** Set where the kernel cannot be asked and the row itself is the identity. */
  readonly facts: ProcessFacts | undefined;
}

/** One look at one pid through the kernel. */
export type PidLook =
  | { readonly kind: "alive"; readonly facts: ProcessFacts }
  | { readonly kind: "gone"; readonly because: string }
  | { readonly kind: "unobserved"; readonly cause: Cause };

export interface TranscriptFacts {
  readonly id: string;
  readonly path: string;
  readonly fold: TranscriptFold;
  /** From the head of the file. */
  readonly startCwd: string | undefined;
  readonly firstRecordAt: EpochMs | undefined;
  readonly modifiedAt: EpochMs;
  readonly sizeBytes: number;
  /** True when reading back stopped at the cap before a turn boundary was found. */
  readonly windowCapped: boolean;
}

export interface SubagentFacts {
  readonly transcript: TranscriptFacts;
  /** Undefined where its note is not there yet or could not be read. */
  readonly meta: SubagentMeta | undefined;
}

export interface TranscriptListing {
  /** Files touched lately, by path. */
  readonly recent: ReadonlySet<string>;
  readonly older: number;
  /** The conversations whose transcripts were looked for, so that their absence is an answer. */
  readonly answersFor: ReadonlySet<string>;
}
