// Hooks that are installed and say nothing: a program that is missing in a sandbox, a spool that is not mounted, settings
// that switch them off. Noticed where the transcripts of a config folder go on without any event, and told, since silence
// would else be taken for quiet.
import type { EpochMs } from "../../base/clock.ts";
import type { HookSetupFacts } from "./hookSetup.ts";
import type { SessionDraft } from "./sessionDraft.ts";
import type { Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import { iso } from "./isoTime.ts";

export interface HookSilence {
  readonly configDir: string;
  readonly since: EpochMs;
  readonly says: string;
}

const silentMs = 10 * 60_000;

export function silentHooks(monitor: Monitor, drafts: Iterable<SessionDraft>, now: EpochMs): readonly HookSilence[] {
  const installed = installedIn(monitor);
  if (installed.size === 0) return [];
  const heard = new Map<string, EpochMs>();
  const moved = new Map<string, EpochMs>();
  for (const { configDir, hooks, transcript } of drafts) {
    if (!installed.has(configDir)) continue;
    later(heard, configDir, hooks?.facts.last.at);
    later(moved, configDir, transcript?.fold.lastRecordAt);
  }
  return [...installed].flatMap(([configDir, { since, isOff }]): readonly HookSilence[] => {
    const last = heard.get(configDir);
    const from = Math.max(since, last ?? 0);
    const until = Math.min(moved.get(configDir) ?? 0, now);
    if (isOff !== undefined)
      return [
        { configDir, since, says: `hooks are installed in ${configDir}, and its settings say ${isOff}, so none runs` },
      ];
    if (until - from < silentMs) return [];
    const heardWords = last === undefined ? "no event ever came" : `no event came since ${iso(last)}`;
    return [
      {
        configDir,
        since: from,
        says: `hooks are installed in ${configDir} and say nothing: its sessions went on until ${iso(until)}, and ${heardWords}`,
      },
    ];
  });
}

function installedIn({ hookSetups }: Monitor): ReadonlyMap<string, HookSetupFacts> {
  const installed = new Map<string, HookSetupFacts>();
  for (const [configDir, known] of hookSetups) {
    const setup = valueOf(known);
    if (setup !== undefined && setup.spools.length > 0) installed.set(configDir, setup);
  }
  return installed;
}

function later(times: Map<string, EpochMs>, key: string, at: EpochMs | undefined): void {
  if (at !== undefined && at > (times.get(key) ?? 0)) times.set(key, at);
}
