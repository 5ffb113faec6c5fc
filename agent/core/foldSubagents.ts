// What was read of a session's subagents, each in a file of its own. One that could not be read, or is not there any
// more, stays as it was last known until nobody follows it; of one that finished, only when stays. What it means for the session is `subagents.ts`.
import type { SubagentMemory } from "./monitor.ts";
import { folderOf, type Draft } from "./monitorDraft.ts";
import type { MonitorEvent } from "./monitorEvent.ts";
import { neverKnown, retain } from "./observation.ts";

type Read = Extract<MonitorEvent, { kind: "subagent" }>;
type Left = Extract<MonitorEvent, { kind: "subagent-left" }>;

export function foldSubagent(draft: Draft, { configDir, sessionId, agentId, subagent }: Read): void {
  const { subagents } = folderOf(draft, configDir);
  const of = new Map(subagents.get(sessionId));
  const known = retain(of.get(agentId)?.known ?? neverKnown, subagent);
  if (known.kind === "none") return;
  of.set(agentId, { known, unreadable: causeOf(known, subagent), finishedAt: undefined });
  subagents.set(sessionId, of);
}

export function dropSubagent(draft: Draft, { configDir, sessionId, agentId, finishedAt }: Left): void {
  const { subagents } = folderOf(draft, configDir);
  const of = new Map(subagents.get(sessionId));
  if (finishedAt === undefined) of.delete(agentId);
  else of.set(agentId, { known: neverKnown, unreadable: undefined, finishedAt });
  if (of.size === 0) subagents.delete(sessionId);
  else subagents.set(sessionId, of);
}

function causeOf(known: SubagentMemory["known"], last: Read["subagent"]): SubagentMemory["unreadable"] {
  if (known.kind === "stale") return known.cause;
  return known.kind === "never" && last.kind === "unobserved" ? last.cause : undefined;
}
