// Which conversation a process holds, and which it held before: what its session record says, else its arguments.
// What claims mean for a conversation's life is `liveness.ts`.
import { limits } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Claim } from "./monitor.ts";
import type { Draft } from "./monitorDraft.ts";
import type { ProcessFacts } from "./processes.ts";
import { instanceOfRecord, isContended } from "./recordDomain.ts";

/** Lets a process claim the conversation that a record of it names, else the one its arguments name. */
export function claimFor(draft: Draft, instance: ProcessInstance): void {
  const memory = draft.processes.get(instance);
  if (memory === undefined) return;
  const { role, configDir } = memory.facts;
  const byRecord = recordClaim(draft, instance, memory.facts);
  if (byRecord !== undefined && !isOverwritten(draft, instance, byRecord)) claim(draft, instance, byRecord);
  if (role.kind !== "session" || role.conversationId === undefined || configDir === undefined) return;
  if (draft.claims.has(instance) || memory.life.kind !== "alive") return;
  const since = memory.life.asOf;
  claim(draft, instance, {
    configDir,
    id: role.conversationId,
    since,
    by: "arguments",
    record: undefined,
    overwritten: false,
  });
}

/** The record of this process is lost: its file holds another one's now. */
export function markOverwritten(draft: Draft, record: PidRecord): void {
  const instance = instanceOfRecord(draft, record);
  const held = instance === undefined ? undefined : draft.claims.get(instance);
  const last = held?.at(-1);
  if (instance === undefined || held === undefined || last === undefined) return;
  draft.claims.set(instance, [...held.slice(0, -1), { ...last, overwritten: true }]);
}

/** What the records say that this process holds; of several, such as in a copied folder, the newest. */
function recordClaim(draft: Draft, instance: ProcessInstance, facts: ProcessFacts): Claim | undefined {
  let newest: Claim | undefined;
  let newestAt = Number.NEGATIVE_INFINITY;
  for (const pid of new Set([facts.pid, facts.namespacePid])) {
    for (const [file, configDir] of draft.recordsByPid.get(pid) ?? []) {
      const known = draft.folders.get(configDir)?.records.get(file)?.known;
      if (known === undefined || known.kind === "never" || known.kind === "none") continue;
      const record = known.value;
      // A spare waits for a conversation and holds none yet.
      if (record.spare === true || instanceOfRecord(draft, record) !== instance) continue;
      const at = record.updatedAt ?? record.startedAt ?? known.asOf;
      if (at <= newestAt) continue;
      newestAt = at;
      newest = {
        configDir,
        id: record.sessionId,
        since: known.asOf,
        by: "record",
        record,
        overwritten: false,
        ...(isAsStarted(record) ? { asStarted: true } : {}),
      };
    }
  }
  return newest;
}

/** A start writes the record whole; only what changes it tells a later time. */
function isAsStarted({ startedAt, updatedAt }: PidRecord): boolean {
  return startedAt !== undefined && (updatedAt ?? startedAt) <= startedAt;
}

/** Another process that writes the same file may have put its conversation into a record of this one. */
function isOverwritten(draft: Draft, instance: ProcessInstance, { configDir, id, record }: Claim): boolean {
  const last = draft.claims.get(instance)?.at(-1);
  if (last?.by !== "record" || last.id === id || record === undefined) return false;
  return isContended(draft, configDir, record);
}

function claim(draft: Draft, instance: ProcessInstance, next: Claim): void {
  const held = draft.claims.get(instance) ?? [];
  const last = held.at(-1);
  if (last?.id === next.id && last.configDir === next.configDir) {
    const { since, asStarted } = last;
    if (last.record !== next.record)
      draft.claims.set(instance, [
        ...held.slice(0, -1),
        { ...next, since, ...(asStarted === true ? { asStarted } : {}) },
      ]);
    return;
  }
  // A stronger word replaces a guess from the arguments.
  const kept = last?.by === "arguments" ? held.slice(0, -1) : held;
  draft.claims.set(instance, [...kept, next].slice(-limits.evidencePerRow));
}
