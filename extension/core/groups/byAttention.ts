// Groups by what a session asks of its person, the most urgent first. A group without rows is not shown.
import type { Session, StatusKind } from "../../../protocol/roster.ts";
import { statusLooks } from "../rowLooks.ts";
import { group, partition, type Group } from "./group.ts";

const attentions = {
  "needs-you": { label: "Needs you", look: "needs-you" },
  failed: { label: "Failed", look: "error" },
  working: { label: "Working", look: "working" },
  waiting: { label: "Waiting for you", look: "waiting" },
  resting: { label: "Idle or unknown", look: "idle" },
  ended: { label: "Just ended", look: "ended" },
} as const satisfies Record<string, { readonly label: string; readonly look: StatusKind }>;

type Attention = keyof typeof attentions;

const attentionOf = {
  "needs-you": "needs-you",
  error: "failed",
  working: "working",
  compacting: "working",
  background: "working",
  starting: "working",
  waiting: "waiting",
  idle: "resting",
  unknown: "resting",
  ended: "ended",
} as const satisfies Record<StatusKind, Attention>;

/** Whether the group's label is all that the status says, but for its reason. */
export function isSaidByAttention(kind: StatusKind): boolean {
  const { look } = attentions[attentionOf[kind]];
  return look === kind && kind !== "idle";
}

export function groupByAttention(sessions: readonly Session[]): readonly Group[] {
  const parts = partition(sessions, (session): Attention => attentionOf[session.status.kind]);
  return (Object.keys(attentions) as Attention[]).flatMap((attention) => {
    const part = parts.get(attention);
    if (part === undefined) return [];
    const { label, look } = attentions[attention];
    const { icon, color } = statusLooks[look];
    return [
      group(`attention:${attention}`, label, icon, { icon: { icon, color }, context: "attention", sessions: part }),
    ];
  });
}
