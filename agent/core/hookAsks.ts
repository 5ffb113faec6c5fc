// Which permission a session asked for by its hooks and has no answer to by them. A request names no call, so it is found
// by its tool and the mark of its input among the calls. That more than hooks may answer it is `hookStatus.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { HookAsk, HookCall, HookFacts } from "./hookFacts.ts";
import { startOf } from "./hookTurn.ts";

/** Hooks of one moment come in any order. */
const reorderMs = 2_000;

export interface OpenAsk {
  readonly since: EpochMs;
  readonly tool: string;
  /** The call that it asks for, where a hook told of it. */
  readonly toolUseId: string | undefined;
  readonly agentId: string | undefined;
  readonly promptId: string | undefined;
}

/** Those without an answer, oldest first. */
export function openAsks(facts: HookFacts): readonly OpenAsk[] {
  const groups = new Map<string, HookAsk[]>();
  const startedAt = startOf(facts);
  for (const ask of facts.asks) {
    if (startedAt !== undefined && ask.at < startedAt) continue;
    const key = JSON.stringify([ask.tool, ask.mark, ask.agentId]);
    groups.set(key, [...(groups.get(key) ?? []), ask]);
  }
  return [...groups.values()].flatMap((asks) => openOf(facts, asks) ?? []).sort((a, b) => a.since - b.since);
}

/** Of requests for the same; one may come twice, and two calls may ask for the same. */
function openOf(facts: HookFacts, asks: readonly HookAsk[]): OpenAsk | undefined {
  const [newest] = asks;
  if (newest === undefined || isPassed(facts, newest)) return undefined;
  const calls = [...facts.calls].filter(([, call]) => isAskedBy(call, newest));
  const before = calls.filter(([, { since }]) => since !== undefined && since <= newest.at + reorderMs);
  const open = before.find(([, { resultAt }]) => resultAt === undefined);
  if (open === undefined && before.length > 0) return undefined;
  // Of a call that no hook told of a later result of the same is the answer.
  if (open === undefined && calls.some(([, { resultAt }]) => resultAt !== undefined && resultAt >= newest.at))
    return undefined;
  const callSince = open?.[1].since ?? newest.at;
  const first = asks.findLast(({ at }) => at >= callSince - reorderMs) ?? newest;
  return {
    since: first.at,
    tool: newest.tool,
    toolUseId: open?.[0],
    agentId: newest.agentId,
    promptId: newest.promptId,
  };
}

function isAskedBy(call: HookCall, ask: HookAsk): boolean {
  if (call.tool !== undefined && call.tool !== ask.tool) return false;
  if (call.agentId !== ask.agentId) return false;
  return call.mark === undefined || ask.mark === undefined || call.mark === ask.mark;
}

/** A later turn, the end of its own, or the end of the subagent that asked. */
function isPassed(facts: HookFacts, ask: HookAsk): boolean {
  if (ask.agentId !== undefined) {
    const stoppedAt = facts.agents.get(ask.agentId)?.stoppedAt;
    return stoppedAt !== undefined && stoppedAt >= ask.at;
  }
  const isLater = ({ at }: { readonly at: EpochMs }): boolean => at > ask.at;
  return facts.prompts.some(isLater) || facts.stops.some(isLater);
}
