// When the last event of hooks came from each config folder: from what was written down of events that are gone, and from
// those that still lie in the spools. For `rollcall hooks status`, which needs no agent.
import type { EpochMs } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { RollcallPaths } from "../base/node/paths.ts";
import { readBounded } from "../base/node/readBounded.ts";
import { readHookFacts } from "./core/hookFactsText.ts";
import { foldSpool, noHooks } from "./core/hookKnowledge.ts";
import { toldConfigDir } from "./core/hookConfigDir.ts";
import { SpoolReader } from "./observe/spoolReader.ts";

export async function lastHookEvents(
  { spool, hookFacts }: Pick<RollcallPaths, "spool" | "hookFacts">,
  now: () => EpochMs,
): Promise<ReadonlyMap<string, EpochMs>> {
  // In this order, since an agent may be removing events just now.
  const { reads } = await new SpoolReader(spool, now).look();
  const kept = await readBounded(hookFacts, limits.hookFactsBytes, limits.fileReadDeadlineMs);
  const before = kept.kind === "read" ? readHookFacts(kept.bytes.toString("utf8")) : undefined;
  const known = reads.reduce(foldSpool, before ?? noHooks);
  const last = new Map<string, EpochMs>();
  for (const { sessions } of known.spools.values()) {
    for (const facts of sessions.values()) {
      const configDir = toldConfigDir(facts);
      if (configDir !== undefined) last.set(configDir, Math.max(last.get(configDir) ?? 0, facts.last.at));
    }
  }
  return last;
}
