// What stands below a session's row: its open turns, then its background tasks.
import { coarseAge } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { BackgroundTask, OpenTurn, Session } from "../../protocol/roster.ts";
import { staleColor } from "./rowLooks.ts";
import type { TreeNode } from "./treeNode.ts";

const taskLooks = {
  shell: { label: "Background shell", icon: "terminal" },
  subagent: { label: "Subagent", icon: "organization" },
  other: { label: "Background task", icon: "server-process" },
} as const satisfies Record<BackgroundTask["kind"], { readonly label: string; readonly icon: string }>;

export function sessionChildren(session: Session, parent: string, now: EpochMs): readonly TreeNode[] {
  const turns = [
    ...session.openTurns.map((turn) => ({ turn, by: "" })),
    ...session.subagents.flatMap((subagent) => subagent.openTurns.map((turn) => ({ turn, by: `:${subagent.id}` }))),
  ];
  return [
    ...turns.map(({ turn, by }) => turnNode(session, turn, by, parent, now)),
    ...session.background.map((task) => taskNode(session, task, parent, now)),
  ];
}

function turnNode(session: Session, turn: OpenTurn, by: string, parent: string, now: EpochMs): TreeNode {
  const age = coarseAge(now - Date.parse(turn.since));
  const says = turn.abandoned ? `abandoned · began ${age === "just now" ? age : `${age} ago`}` : `open · ${age}`;
  const look = turn.abandoned ? { icon: "debug-disconnect", color: staleColor } : { icon: "tools", color: undefined };
  return leaf(session, parent, `turn:${session.key}${by}:${turn.toolUseId}`, turn.tool, says, look, "turn");
}

function taskNode(session: Session, task: BackgroundTask, parent: string, now: EpochMs): TreeNode {
  const { label, icon } = taskLooks[task.kind];
  const says = task.since === undefined ? "running" : `running · ${coarseAge(now - Date.parse(task.since))}`;
  return leaf(session, parent, `task:${session.key}:${task.id}`, label, says, { icon, color: undefined }, "task");
}

function leaf(
  session: Session,
  parent: string,
  id: string,
  label: string,
  description: string,
  icon: TreeNode["icon"],
  context: string,
): TreeNode {
  return {
    id,
    parent,
    children: [],
    label,
    description,
    icon,
    collapsed: "leaf",
    context,
    spoken: `${label}, ${description.replaceAll(" · ", ", ")}`,
    session,
  };
}
