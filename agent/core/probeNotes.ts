// What is told of probes beside the rows: in a sandbox' evidence whether it proved itself and since when not, among what
// was read over each refusal with its count, and at its adapter's source who did not prove himself.
import { amount } from "../../base/amount.ts";
import type { SourceId } from "../../protocol/observation.ts";
import type { Evidence, Skipped } from "../../protocol/roster.ts";
import { iso } from "./isoTime.ts";
import type { Monitor } from "./monitor.ts";
import type { Refusal } from "./probe.ts";
import type { ProbeMemory } from "./probeMemory.ts";
import { sandboxOfIdentity } from "./sandboxNames.ts";
import type { SandboxesKnown } from "./sandboxesKnown.ts";

const refusalWords = {
  "no-answer": "a probe without an answer in time",
  "too-large": "a probe whose answer was too large",
  failed: "a probe that could not be run",
  "not-an-answer": "a probe whose answer is none",
  half: "a probe with half an answer",
  "old-format": "a probe answered in another format",
  twice: "a probe answered twice",
  "stale-nonce": "a probe with the answer to another question",
  "host-namespace": "a probe that landed in this host's own pid namespace",
  "another-sandbox": "a probe that landed in another sandbox",
  unproven: "a probe whose answer tells not where it is from",
} as const satisfies Record<Refusal, string>;

export function probesSkipped({ sandboxes }: Monitor): Skipped[] {
  const skipped: Skipped[] = [];
  for (const memory of sandboxes.probes.values()) {
    const path = nameOf(sandboxes, memory);
    if (path === undefined) continue;
    for (const [why, count] of memory.refusals)
      skipped.push({ source: memory.source, path, count, why: `refused: ${refusalWords[why]}` });
    const { answer } = memory;
    for (const [why, count] of answer.kind === "current" || answer.kind === "stale" ? answer.value.skipped : [])
      skipped.push({ source: memory.source, path, count, why });
  }
  return skipped;
}

export function probeEvidence({ probes }: SandboxesKnown, identity: string): Evidence[] {
  const memory = probes.get(identity);
  if (memory === undefined) return [];
  const { source, answer, sessions, lastRefusal } = memory;
  const evidence: Evidence[] = [];
  if (answer.kind === "current" || answer.kind === "stale") {
    const live = [...sessions.values()].filter(({ life }) => life.kind === "alive").length;
    const asOf = iso(answer.asOf);
    evidence.push({ source, says: `asked inside: ${amount(live, "session")} found`, at: asOf, asOf });
  }
  if (lastRefusal !== undefined) {
    const at = iso(lastRefusal.at);
    evidence.push({ source, says: `the last probe was refused: ${lastRefusal.says}`, at, asOf: at });
  }
  return evidence;
}

/** Undefined where every sandbox of the source that was asked inside has proven itself. */
export function unprovenWords({ sandboxes }: Monitor, source: SourceId): string | undefined {
  const names = [...sandboxes.probes.values()].flatMap((memory) =>
    memory.source === source && memory.lastRefusal !== undefined ? (nameOf(sandboxes, memory) ?? []) : [],
  );
  if (names.length === 0) return undefined;
  const shown = names.slice(0, 3).join(", ");
  return `not proven from inside: ${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

function nameOf(sandboxes: SandboxesKnown, { identity }: ProbeMemory): string | undefined {
  return sandboxOfIdentity(sandboxes, identity)?.name;
}
