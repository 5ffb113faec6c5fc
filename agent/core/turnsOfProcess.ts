// Which part of a transcript's turns belongs to the process that lives now: a resumed conversation goes on in the same
// file, and what an earlier process left open is over.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { OpenCall, TurnPhase, Turns } from "./turns.ts";

/**
 * Process starts are reckoned from ticks and a boot time in whole seconds, so they come out early by up to one; what
 * is left is for a clock that was set. More would take a quick resume for the process before it.
 */
const startSlackMs = 250;

export function splitCalls(
  turns: Turns | undefined,
  liveness: LivenessVerdict,
  startedAt: EpochMs | undefined,
): { readonly open: readonly OpenCall[]; readonly abandoned: readonly OpenCall[] } {
  const open: OpenCall[] = [];
  const abandoned: OpenCall[] = [];
  for (const call of turns?.openCalls.values() ?? []) {
    const earlier = isEarlier(call.since, startedAt);
    (liveness.kind === "ended" || earlier ? abandoned : open).push(call);
  }
  return { open, abandoned };
}

/** What an earlier process of the conversation left unfinished is over for the one that lives now. */
export function phaseOfProcess(turns: Turns, liveness: LivenessVerdict, startedAt: EpochMs | undefined): TurnPhase {
  const { phase } = turns;
  if (liveness.kind !== "live" || startedAt === undefined) return phase;
  switch (phase.kind) {
    case "none":
    case "ended":
      return phase;
    case "running": {
      const sign = turns.lastSignAt ?? phase.since;
      return isEarlier(sign, startedAt) ? { kind: "ended", at: sign, how: "interrupted", marked: false } : phase;
    }
    case "failed":
      return isEarlier(phase.at, startedAt) ? { kind: "ended", at: phase.at, how: "completed", marked: false } : phase;
    default:
      return unreachable(phase);
  }
}

/** Background work dies with its process. */
export function backgroundOf(
  turns: Turns | undefined,
  startedAt: EpochMs | undefined,
): Turns["background"] extends ReadonlyMap<string, infer Task> ? readonly Task[] : never {
  return [...(turns?.background.values() ?? [])].filter((task) => !isEarlier(task.since, startedAt));
}

/** A time that no record told, which is 0, is no earlier time. */
export function isEarlier(at: EpochMs, startedAt: EpochMs | undefined): boolean {
  return startedAt !== undefined && at > 0 && at < startedAt - startSlackMs;
}
