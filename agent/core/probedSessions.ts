// Joins what probes found in sandboxes to the conversations that other sources know: by a process of that very sandbox
// with the same pid and start inside, or by the same record. What matches nothing is a row of its own. An answer speaks
// of its own sandbox only, whatever ids it names.
import {
  processInstance,
  processSessionId,
  sessionKey,
  type ProcessInstance,
  type SessionKey,
} from "../../protocol/ids.ts";
import type { ProbedOnSession, SandboxNow } from "./livenessVerdict.ts";
import type { Monitor, RecordMemory } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import type { ProbedSession, ProbeMemory } from "./probeMemory.ts";
import { isAtRest } from "./probeRung.ts";
import { sandboxOfIdentity, sandboxOfProcess, type NamedSandbox } from "./sandboxNames.ts";
import { emptySessionDraft, type SessionDraft } from "./sessionDraft.ts";

/** Adds to the drafts that were collected from the other sources. */
export function joinProbed(
  monitor: Monitor,
  collected: ReadonlyMap<SessionKey, SessionDraft>,
): ReadonlyMap<SessionKey, SessionDraft> {
  const { probes } = monitor.sandboxes;
  if (probes.size === 0) return collected;
  const drafts = new Map(collected);
  const byInstance = draftsByInstance(collected);
  const inside = processesInside(monitor);
  const byRecord = draftsByRecord(collected);
  for (const memory of probes.values()) {
    const sandbox = sandboxOfIdentity(monitor.sandboxes, memory.identity);
    if (sandbox === undefined) continue;
    for (const session of memory.sessions.values()) {
      if (session.role?.kind === "helper" && session.record === undefined) continue;
      const instance = inside.get(insideKey(memory.identity, session));
      const seen = instance === undefined ? undefined : byInstance.get(instance);
      const match = matchOf(session, memory, { seen, byRecord });
      const probed = probedOn(monitor, memory, sandbox, session);
      if (match !== undefined) {
        match.probed ??= probed;
        continue;
      }
      // The kernel sees the process, and only the probe what it holds.
      if (seen !== undefined && isBare(seen)) drafts.delete(seen.key);
      else if (instance !== undefined && session.record === undefined) continue;
      const draft = draftOf(memory, sandbox, session, probed);
      if (instance !== undefined) claimIt(draft, instance, session, memory);
      if (!drafts.has(draft.key)) drafts.set(draft.key, draft);
    }
  }
  return drafts;
}

interface Matches {
  readonly seen: SessionDraft | undefined;
  readonly byRecord: ReadonlyMap<string, SessionDraft>;
}

function matchOf(session: ProbedSession, memory: ProbeMemory, { seen, byRecord }: Matches): SessionDraft | undefined {
  const { record } = session;
  if (seen !== undefined && (record === undefined || seen.id === record.sessionId || !isBare(seen))) return seen;
  const facts = valueOf(memory.answer);
  // On another kernel the same numbers are another process.
  if (record === undefined || facts?.isElsewhere !== false) return undefined;
  return byRecord.get(recordKey(record));
}

function isBare({ id }: SessionDraft): boolean {
  return id.startsWith("proc:");
}

function draftOf(
  memory: ProbeMemory,
  { listed }: NamedSandbox,
  session: ProbedSession,
  probed: ProbedOnSession,
): SessionDraft {
  const { record, folder, role } = session;
  const named = role?.kind === "session" ? role.conversationId : undefined;
  const place = `${listed.adapter}:${listed.name}`;
  const id = record?.sessionId ?? named ?? processSessionId(place, session.pid, session.start);
  const configDir = folder === undefined ? place : `${place}:${folder}`;
  const draft = emptySessionDraft(sessionKey(configDir, id), { configDir, id });
  draft.probed = probed;
  if (record !== undefined) draft.records.push(recordMemory(memory, record));
  return draft;
}

function recordMemory({ answer }: ProbeMemory, record: NonNullable<ProbedSession["record"]>): RecordMemory {
  const asOf = answer.kind === "never" ? 0 : answer.asOf;
  const known =
    answer.kind === "stale"
      ? { kind: "stale" as const, value: record, asOf, since: answer.since, cause: answer.cause }
      : { kind: "current" as const, value: record, asOf };
  return { known, firstReadAt: asOf, readAt: asOf, unreadable: undefined, goneAt: undefined };
}

function claimIt(
  draft: SessionDraft,
  instance: ProcessInstance,
  { record }: ProbedSession,
  { answer }: ProbeMemory,
): void {
  const since = answer.kind === "never" ? 0 : answer.asOf;
  const claim = { configDir: draft.configDir, id: draft.id, since, by: "record", record, overwritten: false } as const;
  draft.claims.push({ instance, claim, next: undefined });
}

function probedOn(
  monitor: Monitor,
  memory: ProbeMemory,
  sandbox: NamedSandbox,
  session: ProbedSession,
): ProbedOnSession {
  return {
    session,
    sandbox: sandbox.name,
    source: memory.source,
    answer: memory.answer,
    about: sandboxNow(monitor, memory, sandbox),
  };
}

function sandboxNow(
  { sandboxes }: Monitor,
  { identity, run, answer }: ProbeMemory,
  { listed, known }: NamedSandbox,
): SandboxNow {
  const answeredAt = answer.kind === "never" ? 0 : answer.asOf;
  if (known === undefined) {
    const left = [...sandboxes.gone.values()].find(({ sandbox }) => sandbox.identity === identity);
    return left === undefined || left.goneAt < answeredAt
      ? { kind: "as-answered" }
      : { kind: "ended", at: left.goneAt, says: "its sandbox is gone" };
  }
  const since = sandboxes.since.get(identity);
  if (since === undefined || since.at < answeredAt) return { kind: "as-answered" };
  if (isAtRest(listed.state)) return { kind: "ended", at: since.at, says: `its sandbox is ${listed.state}` };
  if (listed.run !== undefined && run !== undefined && listed.run !== run)
    return { kind: "ended", at: since.at, says: "its sandbox was started again" };
  return listed.state === "paused" ? { kind: "frozen", since: since.at } : { kind: "as-answered" };
}

function insideKey(identity: string, { pid, start }: Pick<ProbedSession, "pid" | "start">): string {
  return `${identity}#${pid}:${start}`;
}

/** Of this host's processes those in a listed sandbox, by what it calls them. */
function processesInside(monitor: Monitor): ReadonlyMap<string, ProcessInstance> {
  const found = new Map<string, ProcessInstance>();
  for (const { facts } of monitor.processes.values()) {
    const sandbox = sandboxOfProcess(monitor.sandboxes, facts);
    if (sandbox === undefined) continue;
    const key = insideKey(sandbox.listed.identity, { pid: facts.namespacePid, start: facts.startToken });
    found.set(key, processInstance(facts.pid, facts.startToken));
  }
  return found;
}

function draftsByInstance(drafts: ReadonlyMap<SessionKey, SessionDraft>): ReadonlyMap<ProcessInstance, SessionDraft> {
  const found = new Map<ProcessInstance, SessionDraft>();
  for (const draft of drafts.values())
    for (const { instance, next } of draft.claims) if (next === undefined) found.set(instance, draft);
  return found;
}

function draftsByRecord(drafts: ReadonlyMap<SessionKey, SessionDraft>): ReadonlyMap<string, SessionDraft> {
  const found = new Map<string, SessionDraft>();
  for (const draft of drafts.values())
    for (const { known } of draft.records) {
      const record = valueOf(known);
      if (record?.pidDomain !== undefined) found.set(recordKey(record), draft);
    }
  return found;
}

function recordKey(
  record: Pick<NonNullable<ProbedSession["record"]>, "pid" | "procStart" | "pidDomain" | "sessionId">,
): string {
  return JSON.stringify([record.sessionId, record.pid, record.procStart, record.pidDomain]);
}
