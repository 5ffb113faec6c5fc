// Which rows offer to be restored. Whether one then is, the agent decides by what it finds.
import type { Session } from "./roster.ts";

/** Recorded, or with a transcript to go on from, and not known to run or to have left for good. */
export function isRestorable({ id, liveness, registry, transcript }: Session): boolean {
  if (liveness.kind === "live" || liveness.how === "rotated" || id.startsWith("proc:")) return false;
  return registry.departedAt === undefined && (registry.recorded || transcript !== undefined);
}

/** Those that a restore of all would be about. */
export function isInWave(session: Session): boolean {
  return session.registry.recorded && isRestorable(session);
}
