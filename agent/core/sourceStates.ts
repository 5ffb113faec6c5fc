// How each source fares: its last attempt, its last answer, and since when it is silent. One that was not asked for
// three of its periods is as good as silent.
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import { periods, staleAfterPeriods } from "../../base/limits.ts";
import type { SourceId } from "../../protocol/observation.ts";
import type { SourceState } from "../../protocol/roster.ts";
import type { HookSilence } from "./hookSilence.ts";
import { iso } from "./isoTime.ts";
import type { Monitor, SourceAttempt } from "./monitor.ts";
import { unprovenWords } from "./probeNotes.ts";

/** @param silent hooks that are installed and say nothing */
export function projectSources(monitor: Monitor, now: EpochMs, silent: readonly HookSilence[] = []): SourceState[] {
  return [...monitor.sources.values()]
    .sort((a, b) => compareText(a.id, b.id))
    .map((attempt) => withSilence(sourceState(attempt, now, unprovenWords(monitor, attempt.id)), silent));
}

function withSilence(state: SourceState, silent: readonly HookSilence[]): SourceState {
  const [first] = silent;
  if (state.id !== "hooks" || first === undefined) return state;
  const causes = [...(state.cause === undefined ? [] : [state.cause]), ...silent.map(({ says }) => says)];
  return { ...state, state: "unobserved", since: state.since ?? iso(first.since), cause: causes.join("; ") };
}

function sourceState(attempt: SourceAttempt, now: EpochMs, unproven: string | undefined): SourceState {
  const overdue = now - attempt.at > staleAfterPeriods * periodOf(attempt.id);
  const since = attempt.failingSince ?? (overdue ? attempt.at : undefined);
  const cause = attempt.cause ?? (overdue ? "no answer for three of its periods" : unproven);
  return {
    id: attempt.id,
    state: overdue ? "unobserved" : attempt.last,
    at: iso(attempt.at),
    ...(attempt.answeredAt === undefined ? {} : { asOf: iso(attempt.answeredAt) }),
    ...(since === undefined ? {} : { since: iso(since) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** An adapter with several ends tells them apart behind its name. */
function listPeriodOf(id: SourceId): number {
  const adapter = id.split(":")[1] ?? "other";
  const known: Readonly<Record<string, number>> = periods.sandboxListMs;
  return known[adapter] ?? periods.sandboxListMs.other;
}

export function periodOf(id: SourceId): number {
  if (id === "process-table") return periods.processTableMs;
  if (id === "hooks") return periods.hookSpoolMs;
  if (id.startsWith("sandboxes:")) return listPeriodOf(id);
  return id === "proc" ? periods.procMs : periods.polledFolderMs;
}
