// The turns of a session whose transcript nobody here can read, as its hooks told them: so that everything that is made
// of turns is made of these too. Where there is a transcript it tells more.
import { limits } from "../../base/limits.ts";
import type { HookTask } from "../../protocol/files/hookEvent.ts";
import type { HookFacts } from "./hookFacts.ts";
import { hookTurn, type HookTurn } from "./hookTurn.ts";
import type { BackgroundKind } from "./transcriptEvents.ts";
import { noTurns, type BackgroundWork, type OpenCall, type TurnPhase, type Turns } from "./turns.ts";

export function turnsByHooks(facts: HookFacts): Turns {
  const turn = hookTurn(facts);
  return {
    ...noTurns,
    phase: phaseOf(turn),
    openCalls: turn.kind === "running" ? openCalls(facts, turn.since) : noTurns.openCalls,
    background: new Map(tasksOf(turn).map((task) => [task.id, task])),
    lastSignAt: turn.kind === "running" ? turn.lastSignAt : facts.last.at,
  };
}

function phaseOf(turn: HookTurn): TurnPhase {
  switch (turn.kind) {
    case "none":
      return { kind: "none" };
    case "running":
      return { kind: "running", since: turn.since };
    case "ended":
      return { kind: "ended", at: turn.at, how: "completed", marked: true };
    case "failed": {
      const { at, why, says, until } = turn;
      return { kind: "failed", at, why, says, ...(until === undefined ? {} : { until }) };
    }
  }
}

function openCalls({ calls }: HookFacts, since: number): ReadonlyMap<string, OpenCall> {
  const open = new Map<string, OpenCall>();
  for (const [toolUseId, call] of calls) {
    if (call.since === undefined || call.resultAt !== undefined || call.agentId !== undefined) continue;
    if (call.since >= since - 1_000 && open.size < limits.openCallsPerTranscript)
      open.set(toolUseId, { toolUseId, tool: call.tool ?? "unnamed", since: call.since });
  }
  return open;
}

/** What the turn's end told to run on. */
function tasksOf(turn: HookTurn): readonly BackgroundWork[] {
  if (turn.kind !== "ended") return [];
  return turn.background.map(({ id, type }) => ({ id, kind: kindOf(type), since: turn.at }));
}

const kinds: ReadonlyMap<HookTask["type"], BackgroundKind> = new Map([
  ["shell", "shell"],
  ["subagent", "subagent"],
  ["monitor", "monitor"],
]);

function kindOf(type: string): BackgroundKind {
  return kinds.get(type) ?? "other";
}
