// Everything the agent knows, as one value that is replaced whole. How a batch of events changes it is
// `observeAll.ts`; what a client sees of it is `roster.ts`; what outlives the agent is `memory.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Cause, Known, SourceId } from "../../protocol/observation.ts";
import type { Session } from "../../protocol/roster.ts";
import type { PidLook, SubagentFacts, TranscriptFacts, TranscriptListing } from "./monitorEvent.ts";
import { noHooks, type HookKnowledge } from "./hookKnowledge.ts";
import type { HookSetupFacts } from "./hookSetup.ts";
import { neverKnown } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import type { Registries } from "./recorded.ts";
import { noSandboxes, type SandboxesKnown } from "./sandboxesKnown.ts";

export interface Monitor {
  readonly host: HostFacts;
  readonly sources: ReadonlyMap<SourceId, SourceAttempt>;
  readonly processes: ReadonlyMap<ProcessInstance, ProcessMemory>;
  /** Pids that were looked at and had no process, or could not be looked at. */
  readonly pidLooks: ReadonlyMap<number, { readonly at: EpochMs; readonly look: Exclude<PidLook, { kind: "alive" }> }>;
  /** Pid namespaces of records that no process answers: who runs there, by the pids inside. */
  readonly namespaceLooks: ReadonlyMap<string, { readonly at: EpochMs; readonly pids: ReadonlySet<number> }>;
  /** Oldest first; the last one is what the process holds now. */
  readonly claims: ReadonlyMap<ProcessInstance, readonly Claim[]>;
  /** Since when whole tables show no child of a process. */
  readonly childlessSince: ReadonlyMap<ProcessInstance, EpochMs>;
  readonly folders: ReadonlyMap<string, ConfigFolder>;
  /** Config folders that are not watched, since too many are. */
  readonly foldersLeftOut: readonly string[];
  /** What each registry recorded when it was last read. */
  readonly registries: Registries;
  /** Whether our hooks stand in the settings of each config folder. */
  readonly hookSetups: ReadonlyMap<string, Known<HookSetupFacts>>;
  /** What hooks told of sessions. */
  readonly hooks: HookKnowledge;
  /** What the adapters tell of sandboxes. */
  readonly sandboxes: SandboxesKnown;
  /** Rows as an earlier agent last knew them; each serves until its sources answered this one. */
  readonly remembered: ReadonlyMap<string, Session>;
}

/** What holds for this host while the agent runs. */
export interface HostFacts {
  /** Our own `pidDomain`, as the coding agent writes it; undefined where it could not be told. */
  readonly pidDomain: string | undefined;
  readonly namespace: string | undefined;
  readonly bootedAt: EpochMs | undefined;
  /** Changes with every start of the host; undefined where it could not be told. */
  readonly bootId: string | undefined;
  /** True where the kernel can be asked about one process (`/proc`). */
  readonly kernelAnswers: boolean;
}

/** The last attempt of a source, answered or not. */
export interface SourceAttempt {
  readonly id: SourceId;
  readonly last: "observed" | "absent" | "unobserved";
  readonly at: EpochMs;
  readonly answeredAt: EpochMs | undefined;
  readonly failingSince: EpochMs | undefined;
  readonly cause: Cause | undefined;
}

/** A conversation that a process instance held, by its record, its arguments, or a transcript that only it can have. */
export interface Claim {
  readonly configDir: string;
  readonly id: string;
  readonly since: EpochMs;
  readonly by: "record" | "arguments" | "transcript" | "hook";
  readonly record: PidRecord | undefined;
  /** Another process wrote its record over this one, so that the record's later absence says nothing of this process. */
  readonly overwritten: boolean;
  /** The record named it before anybody but its process can have written there. */
  readonly asStarted?: boolean | undefined;
}

export interface ConfigFolder {
  readonly recordListing: Known<ReadonlySet<string>>;
  readonly records: ReadonlyMap<string, RecordMemory>;
  readonly transcriptListing: Known<TranscriptListing>;
  readonly transcripts: ReadonlyMap<string, TranscriptMemory>;
  /** Since when it is watched no more, of a folder that cannot be read again. */
  readonly leftAt: EpochMs | undefined;
  /** What lies among the transcripts and was read over. */
  readonly readOver: readonly { readonly path: string; readonly count: number; readonly why: string }[];
  /** By session, then by subagent. */
  readonly subagents: ReadonlyMap<string, ReadonlyMap<string, SubagentMemory>>;
}

export interface RecordMemory {
  readonly known: Known<PidRecord>;
  /** When a record of this pid and start was first read. */
  readonly firstReadAt: EpochMs;
  /** The last attempt to read it. */
  readonly readAt: EpochMs;
  /** Why its last read failed. */
  readonly unreadable: Cause | undefined;
  /** Times in it that can be none. */
  readonly oddTimes?: readonly string[] | undefined;
  /** Since when it is gone, of a session of another pid namespace of which nobody can be asked whether it ended. */
  readonly goneAt: EpochMs | undefined;
}

export interface TranscriptMemory {
  readonly known: Known<TranscriptFacts>;
  readonly unreadable: Cause | undefined;
  /** When it was not there although seen before: it is kept until its folder answers without it. */
  readonly goneAt: EpochMs | undefined;
}

export interface SubagentMemory {
  readonly known: Known<SubagentFacts>;
  readonly unreadable: Cause | undefined;
  /** Of one that finished and is followed no more. Its session may hear of the end only a while later. */
  readonly finishedAt: EpochMs | undefined;
}

export const emptyFolder: ConfigFolder = {
  recordListing: neverKnown,
  records: new Map(),
  transcriptListing: neverKnown,
  transcripts: new Map(),
  leftAt: undefined,
  readOver: [],
  subagents: new Map(),
};

export function newMonitor(host: HostFacts): Monitor {
  return {
    host,
    sources: new Map(),
    processes: new Map(),
    pidLooks: new Map(),
    namespaceLooks: new Map(),
    claims: new Map(),
    childlessSince: new Map(),
    folders: new Map(),
    foldersLeftOut: [],
    registries: new Map(),
    hookSetups: new Map(),
    hooks: noHooks,
    sandboxes: noSandboxes,
    remembered: new Map(),
  };
}
