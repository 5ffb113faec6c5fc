// What a whole process table says of each process: that it was seen, that it is missing, whether it has children. How
// much its word counts beside the kernel's is `processes.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { processInstance } from "../../protocol/ids.ts";
import { claimFor } from "./claims.ts";
import type { HostFacts } from "./monitor.ts";
import { remember, type Draft } from "./monitorDraft.ts";
import type { ProcessTable, TableRow } from "./monitorEvent.ts";
import { firstSeen, foldLife, type LifeSign, type ProcessFacts, type ProcessMemory } from "./processes.ts";

export function foldTable(draft: Draft, table: ProcessTable, at: EpochMs): void {
  for (const row of table.rows.values()) {
    if (row.facts === undefined) continue;
    const instance = processInstance(row.facts.pid, row.facts.startToken);
    if (draft.processes.has(instance) || isKnownBySlack(draft, row)) continue;
    remember(draft, instance, firstSeen(row.facts, at, "process-table"));
    claimFor(draft, instance);
  }
  for (const [instance, memory] of draft.processes) {
    const sign = tableSign(draft.host, table.rows.get(memory.facts.pid), memory, at);
    if (sign !== undefined) {
      const folded = foldLife(memory, sign);
      draft.processes.set(instance, folded);
      // One that lives after all holds again what its arguments name.
      if (memory.life.kind !== "alive" && folded.life.kind === "alive") claimFor(draft, instance);
    }
    if (table.parents.has(memory.facts.pid)) draft.childlessSince.delete(instance);
    else if (!draft.childlessSince.has(instance)) draft.childlessSince.set(instance, at);
  }
}

/** What a whole table says of one known process; undefined where it says nothing. */
function tableSign(
  { kernelAnswers }: HostFacts,
  row: TableRow | undefined,
  memory: ProcessMemory,
  at: EpochMs,
): LifeSign | undefined {
  switch (row === undefined ? "another" : compareStart(row, memory.facts)) {
    case "another":
      return { kind: "not-in-table", at, kernelAnswers };
    case "same":
      // Where the kernel told of this very process, its word is the newer and stronger one.
      return kernelAnswers && memory.unobserved === undefined
        ? undefined
        : { kind: "alive", at, source: "process-table" };
    case "cannot-tell":
      return undefined;
  }
}

/** A start that was reckoned a second off is no other process. */
function isKnownBySlack(draft: Draft, row: TableRow): boolean {
  return [...(draft.instancesByPid.get(row.pid) ?? [])].some((instance) => {
    const memory = draft.processes.get(instance);
    return memory !== undefined && memory.life.kind !== "gone" && compareStart(row, memory.facts) === "same";
  });
}

/** A table tells starts in whole seconds; a start that is not told is no other start. */
function compareStart(row: TableRow, facts: ProcessFacts): "same" | "another" | "cannot-tell" {
  if (row.facts?.startToken === facts.startToken) return "same";
  if (row.startedAt === undefined || facts.startedAt === undefined) return "cannot-tell";
  return Math.abs(row.startedAt - facts.startedAt) <= 2_000 ? "same" : "another";
}
