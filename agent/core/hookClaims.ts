// Which conversation a process holds by its own hooks, where its session record does not tell: a hook names the process
// by the pid of its own namespace and the conversation by its id. A start is of the process that began last before it;
// where two could be meant nothing is guessed. What records tell is `claims.ts`, and is believed before this.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { HookFacts, HookNote } from "./hookFacts.ts";
import { toldConfigDir } from "./hookConfigDir.ts";
import type { Claim, Monitor } from "./monitor.ts";
import type { ProcessMemory } from "./processes.ts";
import { withInnerPid } from "./recordDomain.ts";

/** A process tells of its start within so long, also on a slow machine; its own start is reckoned from ticks. */
const tellsWithinMs = 60_000;
const slackMs = 2_000;

/** What each process of these holds beyond what `monitor.claims` tells, oldest first. */
export function claimsByHook(monitor: Monitor): ReadonlyMap<ProcessInstance, readonly Claim[]> {
  const found = new Map<ProcessInstance, Claim[]>();
  for (const { sessions } of monitor.hooks.spools.values()) {
    for (const facts of sessions.values()) {
      for (const start of facts.starts) {
        const holder = holderOf(monitor, facts, start);
        if (holder === undefined) continue;
        const [instance, process] = holder;
        if (!isBeyond(monitor, instance, facts.sessionId, start.at)) continue;
        const claim = claimBy(facts, process, start.at);
        found.set(instance, [...(found.get(instance) ?? []), claim]);
      }
    }
  }
  for (const [instance, claims] of found) found.set(instance, onceEach(claims));
  return found;
}

type Holder = readonly [ProcessInstance, ProcessMemory];

function holderOf(monitor: Monitor, facts: HookFacts, { pid, at, what }: HookNote): Holder | undefined {
  if (pid === undefined || what === "compact") return undefined;
  const told = toldConfigDir(facts);
  const candidates = withInnerPid(monitor, pid).filter(([, process]) => couldTell(process, told, at));
  // A `/clear` comes at any time of a process' life, so that only one that is alone can be meant.
  const near = what === "clear" ? candidates : candidates.filter(([, process]) => startedJustBefore(process, at));
  const exact = near.filter(([, { facts: of }]) => of.configDir === told);
  const meant = exact.length > 0 ? exact : near;
  return meant.length === 1 ? meant[0] : undefined;
}

function couldTell({ facts, life }: ProcessMemory, told: string | undefined, at: EpochMs): boolean {
  if (facts.role.kind !== "session") return false;
  if (facts.startedAt === undefined || facts.startedAt > at + slackMs) return false;
  return told !== undefined && (life.kind !== "gone" || life.at >= at);
}

function startedJustBefore({ facts }: ProcessMemory, at: EpochMs): boolean {
  return facts.startedAt !== undefined && at - facts.startedAt < tellsWithinMs;
}

/** What a record said of the same time or later is believed before it. */
function isBeyond(monitor: Monitor, instance: ProcessInstance, id: string, at: EpochMs): boolean {
  const claims = monitor.claims.get(instance) ?? [];
  if (claims.some((claim) => claim.id === id)) return false;
  const last = claims.at(-1);
  return last === undefined || last.by === "arguments" || last.since < at;
}

function claimBy(facts: HookFacts, process: ProcessMemory, since: EpochMs): Claim {
  const configDir = process.facts.configDir ?? toldConfigDir(facts) ?? "unknown";
  return { configDir, id: facts.sessionId, since, by: "hook", record: undefined, overwritten: false };
}

function onceEach(claims: readonly Claim[]): Claim[] {
  const sorted = [...claims].sort((a, b) => a.since - b.since);
  return sorted.filter((claim, index) => sorted.findIndex(({ id }) => id === claim.id) === index);
}
