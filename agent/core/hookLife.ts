// The rung of the ladder of liveness that hooks are: an end that a session told itself, and that it lived when its last
// hook came. A process that is seen alive well after such an end refutes it: the hook was another's, or the end did not
// come. The rungs above are `liveness.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { iso } from "./isoTime.ts";
import type { HookFacts, HookNote } from "./hookFacts.ts";
import { startOf } from "./hookTurn.ts";
import type { EndedHow, LivenessVerdict } from "./livenessVerdict.ts";

/** An agent ends within so long of saying so, and is seen alive until then. */
export const endGraceMs = 10_000;
/** Without any other source a session is believed alive this long after its last hook. */
const believedMs = 15 * 60_000;
const freshMs = 60_000;

/** The end that stands: the first since the session was last started, whatever came twice. */
export function hookEnd(facts: HookFacts): HookNote | undefined {
  const startedAt = startOf(facts);
  return facts.ends.findLast(({ at }) => startedAt === undefined || at >= startedAt);
}

/** How an end is shown, and whether it is its user's own word. */
export function endOf(reason: string): { readonly how: EndedHow; readonly isUsers: boolean } {
  switch (reason) {
    case "clear":
    case "resume":
      return { how: "rotated", isUsers: false };
    case "prompt_input_exit":
    case "logout":
      return { how: "exited", isUsers: true };
    default:
      return { how: "departed", isUsers: false };
  }
}

export function withHooks(verdict: LivenessVerdict, facts: HookFacts | undefined, now: EpochMs): LivenessVerdict {
  if (facts === undefined) return verdict;
  const end = hookEnd(facts);
  if (end !== undefined && !isLaterThan(facts, end)) return ended(verdict, end, now);
  return alive(verdict, facts, now);
}

/** Anything that it did after its end, but for what hooks of one moment do. */
function isLaterThan({ last }: HookFacts, { at }: HookNote): boolean {
  return last.at > at + endGraceMs;
}

function ended(verdict: LivenessVerdict, { at, what, pid }: HookNote, now: EpochMs): LivenessVerdict {
  const { how } = endOf(what);
  if (verdict.kind === "ended") {
    const isSame = verdict.how === undefined && Math.abs((verdict.endedAt ?? verdict.asOf) - at) < endGraceMs;
    return isSame ? { ...verdict, how } : verdict;
  }
  const seenSince = verdict.kind === "live" && !verdict.stale && verdict.asOf > at + endGraceMs;
  const startedSince = (verdict.process?.facts.startedAt ?? 0) > at;
  const inner = verdict.process?.facts.namespacePid;
  const isOthers = verdict.kind === "live" && pid !== undefined && inner !== undefined && inner !== pid;
  if (seenSince || startedSince || isOthers) return verdict;
  return {
    ...verdict,
    kind: "ended",
    how,
    source: "hooks",
    asOf: Math.min(at, now),
    endedAt: Math.min(at, now),
    stale: false,
    says: `its session said at ${iso(Math.min(at, now))} that it ends: ${what}`,
  };
}

/** A hook proves that it lived then, and nothing of now. */
function alive(verdict: LivenessVerdict, { last }: HookFacts, now: EpochMs): LivenessVerdict {
  const isNewer = verdict.kind === "ended" && verdict.source !== "registry" && last.at > verdict.asOf + endGraceMs;
  const lacksOther = verdict.kind === "unknown" && now - last.at < believedMs;
  if (!lacksOther && !isNewer) return verdict;
  const asOf = Math.min(last.at, now);
  return {
    kind: now - last.at < believedMs ? "live" : "unknown",
    source: "hooks",
    asOf,
    stale: now - last.at > freshMs,
    how: undefined,
    endedAt: undefined,
    process: undefined,
    says: `its last hook came at ${iso(asOf)}, ${last.what}; nothing else tells whether its process lives`,
  };
}
