// What one look at one pid says of the process that holds it now and of those that held it before. Looks may come
// late; then what a newer one said stays.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { processInstance, type ProcessInstance } from "../../protocol/ids.ts";
import { claimFor } from "./claims.ts";
import { remember, type Draft } from "./monitorDraft.ts";
import type { PidLook } from "./monitorEvent.ts";
import { livesOn } from "./news.ts";
import { firstSeen, foldLife, type LifeSign, type ProcessFacts, type ProcessMemory } from "./processes.ts";

export function foldPidLook(draft: Draft, pid: number, at: EpochMs, look: PidLook): void {
  const held = look.kind === "alive" ? processInstance(pid, look.facts.startToken) : undefined;
  if (held !== undefined && livesOn(draft, pid, at, look)) return livedUntil(draft, held, at);
  for (const instance of draft.instancesByPid.get(pid) ?? []) {
    const memory = draft.processes.get(instance);
    if (memory !== undefined) draft.processes.set(instance, foldLife(memory, signFor(instance, held, at, look)));
  }
  const before = draft.pidLooks.get(pid);
  const late = before !== undefined && at < before.at;
  if (look.kind !== "alive") {
    // An end stays known while later looks do not tell.
    const kept = late || (look.kind === "unobserved" && before?.look.kind === "gone");
    if (!kept) draft.pidLooks.set(pid, { at, look });
    return;
  }
  if (!late) draft.pidLooks.delete(pid);
  if (held === undefined) return;
  remember(draft, held, aliveMemory(draft, held, look.facts, at));
  claimFor(draft, held);
}

/** What nearly every look says; it tells nothing of other processes and of conversations. */
function livedUntil(draft: Draft, instance: ProcessInstance, at: EpochMs): void {
  const memory = draft.processes.get(instance);
  if (memory !== undefined) draft.processes.set(instance, foldLife(memory, { kind: "alive", at, source: "proc" }));
}

function signFor(instance: ProcessInstance, held: ProcessInstance | undefined, at: EpochMs, look: PidLook): LifeSign {
  switch (look.kind) {
    case "alive":
      if (instance === held) return { kind: "alive", at, source: "proc" };
      return { kind: "gone", at, source: "proc", because: "its pid has another start time" };
    case "gone":
      return { kind: "gone", at, source: "proc", because: look.because };
    case "unobserved":
      return { kind: "unobserved", at, cause: look.cause };
    default:
      return unreachable(look);
  }
}

function aliveMemory(draft: Draft, held: ProcessInstance, facts: ProcessFacts, at: EpochMs): ProcessMemory {
  const known = draft.processes.get(held);
  if (known !== undefined) {
    // A process that ran another program since then is judged by what it runs now.
    return known.life.kind === "alive" && known.life.asOf <= at ? { ...known, facts } : known;
  }
  const seen = firstSeen(facts, at, "proc");
  const end = laterEnd(draft, facts.pid, at);
  return end === undefined ? seen : foldLife(seen, { kind: "gone", source: "proc", ...end });
}

/** A look that came late: what a newer one already said of this pid. */
function laterEnd(
  draft: Draft,
  pid: number,
  at: EpochMs,
): { readonly at: EpochMs; readonly because: string } | undefined {
  const look = draft.pidLooks.get(pid);
  if (look?.look.kind === "gone" && look.at > at) return { at: look.at, because: look.look.because };
  for (const instance of draft.instancesByPid.get(pid) ?? []) {
    const life = draft.processes.get(instance)?.life;
    if (life?.kind === "alive" && life.asOf > at) return { at: life.asOf, because: "its pid has another start time" };
  }
  return undefined;
}
