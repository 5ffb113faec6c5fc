// What an adapter's list changes: the list itself, as every source's answer does, and who left it. A list that failed
// keeps the one before, with its age.
import { limits } from "../../base/limits.ts";
import type { Observation } from "../../protocol/observation.ts";
import { neverKnown, retain, valueOf } from "./observation.ts";
import type { GoneSandbox, SandboxListing } from "./sandboxListing.ts";
import { sandboxKey, type SandboxesKnown } from "./sandboxesKnown.ts";

export function foldSandboxList(known: SandboxesKnown, list: Observation<SandboxListing>): SandboxesKnown {
  const { source } = list;
  const before = known.lists.get(source) ?? neverKnown;
  const next = retain(before, list);
  const lists = new Map(known.lists).set(source, next);
  if (next.kind !== "current" || next === before) return { ...known, lists };
  return { ...known, lists, gone: goneAfter(known, list, next.value) };
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
