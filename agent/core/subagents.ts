// Which subagents of a session run, and what each has open. Told by several sources at once: the session's transcript
// (a task in the background, or a call that waits for it), each subagent's own file and note, and lines that older
// versions wrote into the session's file. One that finished is not shown; one whose session ended is abandoned.
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import type { SubagentMeta } from "../../protocol/files/subagentMeta.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { SubagentMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import type { TranscriptFold } from "./transcript.ts";
import type { BackgroundWork, OpenCall, Turns } from "./turns.ts";
import { isEarlier, splitCalls } from "./turnsOfProcess.ts";

export interface SubagentState {
  readonly id: string;
  readonly status: "running" | "abandoned";
  readonly open: readonly OpenCall[];
  readonly abandoned: readonly OpenCall[];
  readonly meta: SubagentMeta | undefined;
  readonly since: EpochMs | undefined;
  /** True where its session waits for it; else it runs in the background. */
  readonly awaited: boolean;
}

export interface SubagentSources {
  readonly fold: TranscriptFold | undefined;
  readonly files: ReadonlyMap<string, SubagentMemory>;
  readonly openCalls: readonly OpenCall[];
  readonly background: readonly BackgroundWork[];
  readonly liveness: LivenessVerdict;
  readonly processStartedAt: EpochMs | undefined;
  /** Since when the session's own record says idle: what moved last before it is over. */
  readonly idleSince: EpochMs | undefined;
}

interface Candidate {
  readonly id: string;
  readonly turns: Turns | undefined;
  readonly meta: SubagentMeta | undefined;
  readonly task: BackgroundWork | undefined;
  readonly finishedAt: EpochMs | undefined;
}

export function subagentsOf(sources: SubagentSources): readonly SubagentState[] {
  const candidates = candidatesOf(sources);
  const running = new Set<string>();
  // A nested one runs where its parent waits for it, so parents are settled first.
  for (let before = -1; before < running.size;) {
    before = running.size;
    for (const candidate of candidates) if (runs(candidate, candidates, running, sources)) running.add(candidate.id);
  }
  return candidates
    .filter(({ id }) => running.has(id))
    .map((candidate) => {
      const { open, abandoned } = splitCalls(candidate.turns, sources.liveness, sources.processStartedAt);
      return {
        id: candidate.id,
        status: sources.liveness.kind === "ended" ? ("abandoned" as const) : ("running" as const),
        open,
        abandoned,
        meta: candidate.meta,
        since: candidate.task?.since ?? sinceOf(candidate, sources),
        awaited: candidate.task === undefined && waitingCall(candidate, sources.openCalls) !== undefined,
      };
    })
    .filter(({ status, abandoned }) => status === "running" || abandoned.length > 0)
    .sort((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity) || compareText(a.id, b.id));
}

function candidatesOf({ fold, files, background }: SubagentSources): readonly Candidate[] {
  const tasks = new Map(background.flatMap((task) => (task.kind === "subagent" ? [[task.id, task] as const] : [])));
  const ids = new Set([...tasks.keys(), ...files.keys(), ...(fold?.sidechains.keys() ?? [])]);
  return [...ids].map((id) => {
    const memory = files.get(id);
    const facts = memory === undefined ? undefined : valueOf(memory.known);
    return {
      id,
      turns: facts?.transcript.fold.turns ?? fold?.sidechains.get(id),
      meta: facts?.meta,
      task: tasks.get(id),
      finishedAt: memory?.finishedAt,
    };
  });
}

function runs(
  candidate: Candidate,
  all: readonly Candidate[],
  running: ReadonlySet<string>,
  sources: SubagentSources,
): boolean {
  const { meta, turns, task, finishedAt } = candidate;
  if (isOver(candidate, sources.idleSince)) return false;
  // Its own note says so before its session's transcript does.
  if (task !== undefined) return finishedAt === undefined || task.since > finishedAt;
  const told = endedAt(candidate.id, sources.fold?.turns);
  const sign = turns?.lastSignAt;
  // It may be sent on after it ended.
  if (told !== undefined && (sign === undefined || sign <= told)) return false;
  if (waitingCall(candidate, sources.openCalls) !== undefined) return true;
  const parent = all.find(({ id }) => id === meta?.parentAgentId);
  if (parent !== undefined && running.has(parent.id)) {
    if (parent.turns?.background.has(candidate.id) === true) return true;
    if (waitingCall(candidate, [...(parent.turns?.openCalls.values() ?? [])]) !== undefined) return true;
  }
  // Started before the part of the session's transcript that was read.
  if (meta?.finished === true || turns?.phase.kind !== "running") return false;
  return !isEarlier(sign ?? turns.phase.since, sources.processStartedAt);
}

function isOver({ task, turns }: Candidate, idleSince: EpochMs | undefined): boolean {
  if (idleSince === undefined) return false;
  const moved = Math.max(task?.since ?? 0, turns?.lastSignAt ?? 0);
  return moved > 0 && idleSince > moved;
}

function waitingCall({ meta }: Candidate, openCalls: readonly OpenCall[]): OpenCall | undefined {
  if (meta?.toolUseId === undefined) return undefined;
  return openCalls.find(({ toolUseId }) => toolUseId === meta.toolUseId);
}

function sinceOf(candidate: Candidate, { openCalls }: SubagentSources): EpochMs | undefined {
  const { turns } = candidate;
  return (
    waitingCall(candidate, openCalls)?.since ??
    (turns?.phase.kind === "running" ? turns.phase.since : turns?.lastSignAt)
  );
}

function endedAt(id: string, turns: Turns | undefined): EpochMs | undefined {
  const own = turns?.endedTasks.get(id);
  const all = turns?.subagentsKilledAt;
  if (own === undefined || all === undefined) return own ?? all;
  return Math.max(own, all);
}
