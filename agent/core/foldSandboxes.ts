// What an adapter's list changes: the list itself, as every source's answer does, who left it, and since when each
// sandbox is in its state. A list that failed keeps the one before, with its age. What probes tell is folded beside it.
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type { Observation } from "../../protocol/observation.ts";
import type { HostFacts } from "./monitor.ts";
import { neverKnown, retain, valueOf } from "./observation.ts";
import { foldProbe, type ProbeOutcome } from "./probeMemory.ts";
import type { GoneSandbox, SandboxListing } from "./sandboxListing.ts";
import { sandboxKey, type SandboxesKnown, type StateSince } from "./sandboxesKnown.ts";

export function foldSandboxList(known: SandboxesKnown, list: Observation<SandboxListing>): SandboxesKnown {
  const { source } = list;
  const before = known.lists.get(source) ?? neverKnown;
  const next = retain(before, list);
  const lists = new Map(known.lists).set(source, next);
  if (next.kind !== "current" || next === before) return { ...known, lists };
  const gone = goneAfter(known, list, next.value);
  const kept = new Set([...gone.values()].map(({ sandbox }) => sandbox.identity));
  for (const each of lists.values()) for (const { identity } of valueOf(each)?.sandboxes ?? []) kept.add(identity);
  return {
    lists,
    gone,
    since: sinceAfter(known.since, next.value, list.at, kept),
    probes: new Map([...known.probes].filter(([identity]) => kept.has(identity))),
  };
}

export function foldSandboxProbe(
  known: SandboxesKnown,
  outcome: ProbeOutcome,
  host: Pick<HostFacts, "bootId">,
): SandboxesKnown {
  const before = known.probes.get(outcome.identity);
  return { ...known, probes: new Map(known.probes).set(outcome.identity, foldProbe(before, outcome, host)) };
}

function goneAfter(
  { lists, gone }: SandboxesKnown,
  { source, at }: Observation<SandboxListing>,
  listing: SandboxListing,
): SandboxesKnown["gone"] {
  const there = new Set(listing.sandboxes.map(({ identity }) => identity));
  const next = new Map<string, GoneSandbox>();
  for (const [key, each] of gone) if (each.source !== source || !there.has(each.sandbox.identity)) next.set(key, each);
  for (const sandbox of valueOf(lists.get(source) ?? neverKnown)?.sandboxes ?? [])
    if (!there.has(sandbox.identity)) next.set(sandboxKey(source, sandbox.identity), { sandbox, source, goneAt: at });
  for (const key of next.keys()) {
    if (next.size <= limits.goneSandboxes) break;
    next.delete(key);
  }
  return next;
}

function sinceAfter(
  before: SandboxesKnown["since"],
  { sandboxes }: SandboxListing,
  at: EpochMs,
  kept: ReadonlySet<string>,
): SandboxesKnown["since"] {
  const since = new Map<string, StateSince>([...before].filter(([identity]) => kept.has(identity)));
  for (const { identity, state, run } of sandboxes) {
    const known = since.get(identity);
    if (known?.state !== state || known.run !== run) since.set(identity, { state, run, at });
  }
  return since;
}
