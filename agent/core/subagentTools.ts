// What subagents did, under the call of their session that started them: a subagent that was started by another one
// stands under that one's call. Told by the note beside each one's file; what no call is known of is left out.
import { compareText } from "../../base/compareText.ts";
import { limits } from "../../base/limits.ts";
import type { SubagentMeta } from "../../protocol/files/subagentMeta.ts";
import type { TimelineFold, ToolEntry } from "./timelineItems.ts";

export interface SubagentTimeline {
  readonly agentId: string;
  readonly meta: SubagentMeta | undefined;
  readonly fold: TimelineFold;
}

export interface SubagentTools {
  /** Oldest first, each with the subagent whose it is. */
  readonly tools: readonly (ToolEntry & { readonly agentId: string })[];
  readonly dropped: number;
}

/** By the call of the session. */
export function subagentTools(subagents: readonly SubagentTimeline[]): ReadonlyMap<string, SubagentTools> {
  const starters = startersOf(subagents);
  const below = new Map<string, SubagentTools["tools"][number][]>();
  const cut = new Map<string, number>();
  for (const subagent of subagents) {
    const call = rootCall(subagent, starters);
    if (call === undefined) continue;
    const tools = toolsOf(subagent.fold).map((tool) => ({ ...tool, agentId: subagent.agentId }));
    below.set(call, [...(below.get(call) ?? []), ...tools]);
    cut.set(call, (cut.get(call) ?? 0) + droppedOf(subagent.fold));
  }
  return new Map(
    [...below].map(([call, all]) => {
      const tools = all
        .sort((a, b) => a.since - b.since || compareText(a.id, b.id))
        .slice(-limits.timelineSubagentTools);
      return [call, { tools, dropped: (cut.get(call) ?? 0) + all.length - tools.length }];
    }),
  );
}

/** Which subagent made a call; none of them made those of their session. */
function startersOf(subagents: readonly SubagentTimeline[]): ReadonlyMap<string, SubagentTimeline> {
  const starters = new Map<string, SubagentTimeline>();
  for (const subagent of subagents) for (const { id } of toolsOf(subagent.fold)) starters.set(id, subagent);
  return starters;
}

function rootCall(subagent: SubagentTimeline, starters: ReadonlyMap<string, SubagentTimeline>): string | undefined {
  let call = subagent.meta?.toolUseId;
  for (let depth = 0; call !== undefined && depth <= limits.subagentDepth; depth += 1) {
    const starter = starters.get(call);
    if (starter === undefined) return call;
    call = starter.meta?.toolUseId;
  }
  return undefined;
}

function toolsOf({ items }: TimelineFold): readonly ToolEntry[] {
  return items.flatMap((item) =>
    item.kind === "turn" ? item.entries.flatMap((entry) => (entry.kind === "tool" ? [entry] : [])) : [],
  );
}

function droppedOf({ items }: TimelineFold): number {
  return items.reduce((sum, item) => sum + (item.kind === "turn" ? item.entriesDropped : 0), 0);
}
