// The lives of agent processes, as the sources tell them. A process is its pid and its start; what was once
// seen of it stays until a source says positively that it is gone. The kernel (`proc`) decides alone where it
// can be asked; a process table alone must miss a process twice, three seconds apart, and never decides
// while the kernel can be asked.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import type { Cause } from "../../protocol/observation.ts";
import type { AgentRole } from "./processIdentity.ts";

export interface ProcessFacts {
  readonly pid: number;
  /** On Linux the start in clock ticks since boot (field 22 of stat), else the start in epoch seconds. */
  readonly startToken: string;
  readonly startedAt: EpochMs | undefined;
  readonly ppid: number | undefined;
  /** Inode of the process' pid namespace; undefined where there are none or it could not be read. */
  readonly namespace: string | undefined;
  /** The pid as the process' own namespace counts. */
  readonly namespacePid: number;
  readonly role: AgentRole;
  /** Its program is an interpreter, which may only have started the agent's own program. */
  readonly isInterpreted?: boolean;
  readonly cwd: string | undefined;
  /** It sees other mounts than we do, so that its paths may name other folders here. */
  readonly hasOtherMounts?: boolean;
  /** What started it, as its environment says. */
  readonly entrypoint?: string;
  /** The sandbox that its environment names: whoever started it could name any, so it is a hint and no identity. */
  readonly sandboxNamed?: string;
  /** The containers that its control group names, the outermost first. */
  readonly containers?: readonly string[];
  /** From CLAUDE_CONFIG_DIR or HOME of the process; undefined where it could not be read. */
  readonly configDir: string | undefined;
}

export type ProcessSource = "proc" | "process-table";

export type ProcessLife =
  | { readonly kind: "alive"; readonly asOf: EpochMs; readonly source: ProcessSource }
  | { readonly kind: "missing"; readonly since: EpochMs; readonly asOf: EpochMs; readonly aliveAsOf: EpochMs }
  | {
      readonly kind: "gone";
      readonly at: EpochMs;
      readonly source: ProcessSource;
      readonly because: string;
      readonly aliveAsOf: EpochMs;
    };

export interface ProcessMemory {
  readonly facts: ProcessFacts;
  readonly life: ProcessLife;
  /** Set while the last look did not tell. */
  readonly unobserved: { readonly since: EpochMs; readonly cause: Cause } | undefined;
}

/** What one look at a process says, `at` the time the look began. */
export type LifeSign =
  | { readonly kind: "alive"; readonly at: EpochMs; readonly source: ProcessSource }
  /** The kernel's answer for exactly this process. */
  | { readonly kind: "gone"; readonly at: EpochMs; readonly source: "proc"; readonly because: string }
  /** A whole process table without it. */
  | { readonly kind: "not-in-table"; readonly at: EpochMs; readonly kernelAnswers: boolean }
  | { readonly kind: "unobserved"; readonly at: EpochMs; readonly cause: Cause };

const tableConfirmMs = 3_000;

export function firstSeen(facts: ProcessFacts, at: EpochMs, source: ProcessSource): ProcessMemory {
  return { facts, life: { kind: "alive", asOf: at, source }, unobserved: undefined };
}

export function foldLife(memory: ProcessMemory, sign: LifeSign): ProcessMemory {
  switch (sign.kind) {
    case "alive":
      if (isOlder(sign.at, memory.life)) return memory;
      return {
        ...memory,
        life: { kind: "alive", asOf: sign.at, source: sign.source },
        // A look from before the silence began does not end it.
        unobserved:
          memory.unobserved !== undefined && sign.at < memory.unobserved.since ? memory.unobserved : undefined,
      };
    case "gone":
      if (memory.life.kind === "gone" || isOlder(sign.at, memory.life)) return memory;
      return {
        ...memory,
        life: { kind: "gone", at: sign.at, source: "proc", because: sign.because, aliveAsOf: aliveAsOf(memory.life) },
        unobserved: undefined,
      };
    case "not-in-table":
      return foldTableAbsence(memory, sign.at, sign.kernelAnswers);
    case "unobserved":
      if (memory.life.kind === "gone" || isOlder(sign.at, memory.life)) return memory;
      return { ...memory, unobserved: { since: memory.unobserved?.since ?? sign.at, cause: sign.cause } };
    default:
      return unreachable(sign);
  }
}

function foldTableAbsence(memory: ProcessMemory, at: EpochMs, kernelAnswers: boolean): ProcessMemory {
  const { life } = memory;
  if (kernelAnswers || isOlder(at, life)) return memory;
  switch (life.kind) {
    case "gone":
      return memory;
    case "alive":
      return { ...memory, life: { kind: "missing", since: at, asOf: at, aliveAsOf: life.asOf } };
    case "missing":
      if (at - life.since < tableConfirmMs) return { ...memory, life: { ...life, asOf: at } };
      return {
        ...memory,
        life: {
          kind: "gone",
          at,
          source: "process-table",
          because: "missing from two whole process tables",
          aliveAsOf: life.aliveAsOf,
        },
        unobserved: undefined,
      };
    default:
      return unreachable(life);
  }
}

/** True for an answer that speaks of a time before what is known; a look that began before an end is older than it. */
function isOlder(at: EpochMs, life: ProcessLife): boolean {
  switch (life.kind) {
    case "alive":
    case "missing":
      return at < life.asOf;
    case "gone":
      return at <= life.at;
    default:
      return unreachable(life);
  }
}

function aliveAsOf(life: ProcessLife): EpochMs {
  return life.kind === "alive" ? life.asOf : life.aliveAsOf;
}
