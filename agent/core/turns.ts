// The turn tracker: which tool calls of one transcript are open, whether a turn runs or how it ended, and
// which background work goes on after it. A fold over events, in the order of the file; a call and its
// result pair by id in either order. Whether an open call is *abandoned* is decided where the process is known.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { BackgroundKind, TurnErrorWhy, TurnEvent } from "./transcriptEvents.ts";

export type TurnPhase =
  /** What was read holds no turn. */
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly since: EpochMs }
  /** `marked`: the agent wrote the turn's end itself; else the last message says so. */
  | {
      readonly kind: "ended";
      readonly at: EpochMs;
      readonly how: "completed" | "interrupted";
      readonly marked: boolean;
    }
  | {
      readonly kind: "failed";
      readonly at: EpochMs;
      readonly why: TurnErrorWhy;
      readonly says: string;
      /** Until when a limit holds, where the failure says so. */
      readonly until?: EpochMs;
    };

export interface OpenCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly since: EpochMs;
}

export interface BackgroundWork {
  readonly id: string;
  readonly kind: BackgroundKind;
  readonly since: EpochMs;
}

export interface Turns {
  readonly phase: TurnPhase;
  readonly openCalls: ReadonlyMap<string, OpenCall>;
  /** Calls of this turn that have their result, also those whose call stands behind it. */
  readonly results: ReadonlySet<string>;
  readonly background: ReadonlyMap<string, BackgroundWork>;
  /** When tasks ended that were told of; the oldest are forgotten first. */
  readonly endedTasks: ReadonlyMap<string, EpochMs>;
  /** When all subagents were killed at once. */
  readonly subagentsKilledAt: EpochMs | undefined;
  /** The last record that shows the turn moving. */
  readonly lastSignAt: EpochMs | undefined;
  /** Calls beyond the limit, which are not tracked. */
  readonly callsNotTracked: number;
}

export const noTurns: Turns = {
  phase: { kind: "none" },
  openCalls: new Map(),
  results: new Set(),
  background: new Map(),
  endedTasks: new Map(),
  subagentsKilledAt: undefined,
  lastSignAt: undefined,
  callsNotTracked: 0,
};

export function foldTurns(turns: Turns, event: TurnEvent): Turns {
  switch (event.kind) {
    case "prompt":
      // A later turn settles whatever an earlier one left open.
      return {
        ...turns,
        phase: { kind: "running", since: event.at },
        openCalls: noTurns.openCalls,
        results: noTurns.results,
        lastSignAt: event.at,
      };
    case "sign":
      return { ...turns, phase: running(turns.phase, event.at), lastSignAt: event.at };
    case "call":
      return call(turns, event);
    case "result":
      return result(turns, event);
    case "answered":
      return turns.openCalls.size > 0 ? turns : ended(turns, event.at, "completed", false);
    case "turn-ended":
      return ended(turns, event.at, "completed", true);
    case "interrupted":
      return ended(turns, event.at, "interrupted", true);
    case "failed":
      return { ...settled(turns), phase: { ...event } };
    case "background-started":
      return withBackground(turns, (tasks) => {
        if (tasks.size < limits.openCallsPerTranscript && !tasks.has(event.id))
          tasks.set(event.id, { id: event.id, kind: event.task, since: event.at });
      });
    case "background-ended":
      return {
        ...withBackground(turns, (tasks) => tasks.delete(event.id)),
        endedTasks: withEnded(turns.endedTasks, event.id, event.at),
      };
    case "subagents-killed":
      return {
        ...withBackground(turns, (tasks) => {
          for (const task of tasks.values()) if (task.kind === "subagent") tasks.delete(task.id);
        }),
        subagentsKilledAt: event.at,
      };
    default:
      return unreachable(event);
  }
}

function call(turns: Turns, event: Extract<TurnEvent, { kind: "call" }>): Turns {
  const moved: Turns = { ...turns, phase: running(turns.phase, event.at), lastSignAt: event.at };
  if (turns.results.has(event.toolUseId)) return moved;
  if (turns.openCalls.has(event.toolUseId)) return moved;
  if (turns.openCalls.size >= limits.openCallsPerTranscript)
    return { ...moved, callsNotTracked: turns.callsNotTracked + 1 };
  const open: OpenCall = { toolUseId: event.toolUseId, tool: event.tool, since: event.at };
  return { ...moved, openCalls: new Map(turns.openCalls).set(event.toolUseId, open) };
}

function result(turns: Turns, event: Extract<TurnEvent, { kind: "result" }>): Turns {
  const results = withResult(turns.results, event.toolUseId);
  // An orphan moves nothing; it waits for its call in case that stands behind it.
  if (!turns.openCalls.has(event.toolUseId)) return { ...turns, results };
  const openCalls = new Map(turns.openCalls);
  openCalls.delete(event.toolUseId);
  return { ...turns, phase: running(turns.phase, event.at), openCalls, results, lastSignAt: event.at };
}

/** The oldest go first when there are too many. */
function withResult(results: ReadonlySet<string>, toolUseId: string): ReadonlySet<string> {
  return new Set([...results, toolUseId].slice(-limits.openCallsPerTranscript));
}

function withEnded(ended: Turns["endedTasks"], id: string, at: EpochMs): Turns["endedTasks"] {
  const rest = [...ended].filter(([other]) => other !== id);
  return new Map([...rest, [id, at] as const].slice(-limits.openCallsPerTranscript));
}

function running(phase: TurnPhase, at: EpochMs): TurnPhase {
  return phase.kind === "running" ? phase : { kind: "running", since: at };
}

function ended(turns: Turns, at: EpochMs, how: "completed" | "interrupted", marked: boolean): Turns {
  if (turns.phase.kind === "failed" && how === "completed") return settled(turns);
  if (turns.phase.kind === "ended" && turns.phase.how === "interrupted" && how === "completed") return settled(turns);
  return { ...settled(turns), phase: { kind: "ended", at, how, marked } };
}

function settled(turns: Turns): Turns {
  return { ...turns, openCalls: noTurns.openCalls, results: noTurns.results };
}

function withBackground(turns: Turns, change: (tasks: Map<string, BackgroundWork>) => void): Turns {
  const background = new Map(turns.background);
  change(background);
  return { ...turns, background };
}
