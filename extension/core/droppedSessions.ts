// What another writer dropped from the registry, in a roster and in words. Who asks the agent whether a person is to be
// told is `notify/dropNotice.ts`.
import { amount } from "../../base/amount.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { Roster, Session } from "../../protocol/roster.ts";

/** When anything was last dropped that is not there again; undefined where nothing is. */
export function lastDropAt({ sessions }: Pick<Roster, "sessions">): EpochMs | undefined {
  const drops = sessions.flatMap(({ registry }) =>
    registry.droppedAt === undefined ? [] : [Date.parse(registry.droppedAt)],
  );
  return drops.length === 0 ? undefined : Math.max(...drops);
}

export function isDropped({ registry }: Session): boolean {
  return registry.droppedAt !== undefined;
}

export function dropWords(sessions: number, at: string): string {
  const were = sessions === 1 ? "was" : "were";
  return `${amount(sessions, "session")} ${were} dropped from the registry by another writer at ${at}.`;
}

export function restoredWords(restored: readonly unknown[], aside: string | undefined): string {
  if (restored.length === 0) return "Nothing was brought back: all of it is in the registry.";
  const kept = aside === undefined ? "" : ` What could not be read is kept in ${aside}.`;
  return `${amount(restored.length, "session")} brought back into the registry.${kept}`;
}
