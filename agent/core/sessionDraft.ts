// What the sources hold of each conversation, brought together under its key: claims of processes, session records,
// the newest transcript. What follows from it is `sessionRow.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { processSessionId, sessionKey, type ProcessInstance, type SessionKey } from "../../protocol/ids.ts";
import { withoutDisputed } from "./disputedClaims.ts";
import { claimsByHook } from "./hookClaims.ts";
import type { HookFacts } from "./hookFacts.ts";
import type { ClaimOnSession, ProbedOnSession } from "./livenessVerdict.ts";
import type { Claim, Monitor, RecordMemory, SubagentMemory } from "./monitor.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";
import { claimsByTranscript } from "./transcriptClaims.ts";
import type { RecordedSession } from "./recorded.ts";

export interface SessionDraft {
  readonly key: SessionKey;
  readonly id: string;
  readonly configDir: string;
  readonly claims: ClaimOnSession[];
  readonly records: RecordMemory[];
  transcript: TranscriptFacts | undefined;
  transcriptStale: { readonly since: EpochMs; readonly cause: string } | undefined;
  transcriptReadAt: EpochMs | undefined;
  recorded: RecordedSession | undefined;
  hooks: HooksOfSession | undefined;
  /** True where a transcript of it is there that was never read. */
  transcriptUnread: boolean;
  subagents: ReadonlyMap<string, SubagentMemory>;
  /** What a probe in a sandbox told of it. */
  probed: ProbedOnSession | undefined;
  /** The sandbox of a recorded session whose process lives in the same pid namespace. */
  neighbourSandbox: string | undefined;
}

/** What hooks told of it, and in which spool. */
export interface HooksOfSession {
  readonly spool: string;
  readonly facts: HookFacts;
}

const noSubagents: ReadonlyMap<string, SubagentMemory> = new Map();

export function collectSessions(
  known: Monitor,
  { onlyWatchedFolders }: { readonly onlyWatchedFolders: boolean },
): ReadonlyMap<SessionKey, SessionDraft> {
  const drafts = new Map<SessionKey, SessionDraft>();
  const draftOf = (configDir: string, id: string): SessionDraft => {
    const key = sessionKey(configDir, id);
    const before = drafts.get(key);
    if (before !== undefined) return before;
    const draft = emptySessionDraft(key, { configDir, id });
    drafts.set(key, draft);
    return draft;
  };
  const monitor = withoutDisputed(known);
  const byTranscript = claimsByTranscript(monitor);
  const byHook = claimsByHook(monitor);
  const wrappers = wrappersOf(monitor);
  for (const instance of new Set([...monitor.claims.keys(), ...byTranscript.keys(), ...byHook.keys()])) {
    if (wrappers.has(instance)) continue;
    const claims = allClaims(
      monitor.claims.get(instance) ?? [],
      byTranscript.get(instance) ?? [],
      byHook.get(instance) ?? [],
    );
    for (const [index, claim] of claims.entries()) {
      if (onlyWatchedFolders && !monitor.folders.has(claim.configDir)) continue;
      draftOf(claim.configDir, claim.id).claims.push({ instance, claim, next: claims[index + 1] });
    }
  }
  for (const [configDir, folder] of monitor.folders) {
    for (const memory of folder.records.values()) {
      const record = valueOf(memory.known);
      if (record !== undefined && record.spare !== true) draftOf(configDir, record.sessionId).records.push(memory);
    }
    for (const { known } of folder.transcripts.values()) {
      const transcript = valueOf(known);
      if (transcript === undefined || holdsOnlySubagents(transcript)) continue;
      const draft = draftOf(configDir, transcript.id);
      // A conversation that moved to another folder left its older file behind.
      if (draft.transcript !== undefined && draft.transcript.modifiedAt > transcript.modifiedAt) continue;
      draft.transcriptStale = undefined;
      draft.transcript = transcript;
      if (known.kind === "current" || known.kind === "stale") draft.transcriptReadAt = known.asOf;
      if (known.kind === "stale") draft.transcriptStale = known;
    }
  }
  for (const [configDir, folder] of monitor.folders) {
    for (const [path, { known }] of folder.transcripts) {
      if (known.kind !== "never") continue;
      const draft = drafts.get(sessionKey(configDir, conversationOf(path)));
      if (draft !== undefined) draft.transcriptUnread = true;
    }
  }
  for (const draft of drafts.values())
    draft.subagents = monitor.folders.get(draft.configDir)?.subagents.get(draft.id) ?? noSubagents;
  for (const [instance, memory] of monitor.processes) {
    if (wrappers.has(instance)) continue;
    if (memory.facts.role.kind !== "session" || monitor.claims.has(instance) || byTranscript.has(instance)) continue;
    if (byHook.has(instance)) continue;
    const { facts } = memory;
    if (onlyWatchedFolders && facts.configDir !== undefined && !monitor.folders.has(facts.configDir)) continue;
    const id = processSessionId(facts.namespace ?? "host", facts.pid, facts.startToken);
    const claim = {
      configDir: facts.configDir ?? "unknown",
      id,
      since: lastHeardOf(memory),
      by: "arguments",
      record: undefined,
      overwritten: false,
    } as const;
    draftOf(claim.configDir, id).claims.push({ instance, claim, next: undefined });
  }
  return drafts;
}

/** A hook's word replaces a guess from arguments, and a guess from transcripts that says the same. */
function allClaims(
  stored: readonly Claim[],
  byTranscript: readonly Claim[],
  byHook: readonly Claim[],
): readonly Claim[] {
  if (byHook.length === 0) return byTranscript.length === 0 ? stored : [...stored, ...byTranscript];
  const told = new Set(byHook.map(({ id }) => id));
  const kept = [...stored.filter(({ by }) => by !== "arguments"), ...byTranscript.filter(({ id }) => !told.has(id))];
  return [...kept, ...byHook].sort((a, b) => a.since - b.since);
}

export function emptySessionDraft(
  key: SessionKey,
  { configDir, id }: { readonly configDir: string; readonly id: string },
): SessionDraft {
  return {
    key,
    id,
    configDir,
    claims: [],
    records: [],
    transcript: undefined,
    transcriptStale: undefined,
    transcriptReadAt: undefined,
    transcriptUnread: false,
    subagents: noSubagents,
    recorded: undefined,
    hooks: undefined,
    probed: undefined,
    neighbourSandbox: undefined,
  };
}

/** A subagent's file that lies where sessions lie is none: older versions put it there. */
export function holdsOnlySubagents({ fold }: TranscriptFacts): boolean {
  return fold.sidechains.size > 0 && fold.firstRecordAt === undefined && fold.turns.phase.kind === "none";
}

function conversationOf(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? path).replace(/\.jsonl$/, "");
}

function lastHeardOf(memory: ProcessMemory): EpochMs {
  return memory.life.kind === "gone" ? memory.life.at : memory.life.asOf;
}

/** Interpreters that only started the agent's own program, which is the session: one conversation, one row. */
function wrappersOf({ processes, claims }: Monitor): ReadonlySet<ProcessInstance> {
  const parents = new Set<number>();
  for (const { facts, life } of processes.values())
    if (facts.role.kind === "session" && life.kind !== "gone" && facts.ppid !== undefined) parents.add(facts.ppid);
  const wrappers = new Set<ProcessInstance>();
  for (const [instance, { facts }] of processes) {
    if (facts.isInterpreted !== true || !parents.has(facts.pid)) continue;
    if ((claims.get(instance) ?? []).every(({ by }) => by === "arguments")) wrappers.add(instance);
  }
  return wrappers;
}
