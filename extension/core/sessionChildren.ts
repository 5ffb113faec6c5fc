// What stands below a session's row: its open turns, its subagents with theirs, and its background tasks. Each says
// only what somebody told: a subagent of which nothing is known but its calls has no status.
import { coarseAge, coarseAgo } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { BackgroundTask, OpenTurn, Session } from "../../protocol/roster.ts";
import { staleColor } from "./rowLooks.ts";
import type { TreeNode } from "./treeNode.ts";

const taskLooks = {
  shell: { label: "Background shell", icon: "terminal" },
  subagent: { label: "Subagent", icon: "organization" },
  monitor: { label: "Monitor", icon: "pulse" },
  other: { label: "Background task", icon: "server-process" },
} as const satisfies Record<BackgroundTask["kind"], { readonly label: string; readonly icon: string }>;

/** Those right below the row and those below them; a node's parent tells which. */
export function sessionChildren(session: Session, parent: string, now: EpochMs): readonly TreeNode[] {
  // Most rows, and there may be thousands.
  if (session.openTurns.length + session.subagents.length + session.background.length === 0) return [];
  const subagents = new Map(session.subagents.map(({ id }) => [id, nodeId("subagent", session, id)]));
  const calls = [
    ...session.openTurns.map((turn) => ({ turn, agentId: turn.agentId })),
    ...session.subagents.flatMap(({ id, openTurns }) => openTurns.map((turn) => ({ turn, agentId: id }))),
  ];
  // A call of a subagent stands below that one, wherever the roster lists it.
  const turns = calls.map(({ turn, agentId }) =>
    turnNode(session, turn, {
      id: nodeId("turn", session, agentId ?? "", turn.toolUseId),
      parent: subagents.get(agentId ?? "") ?? parent,
      now,
    }),
  );
  // A subagent in the background is both a task and a subagent: one node.
  const background = new Map(session.background.map((task) => [task.id, task]));
  return [
    ...turns.filter((turn) => turn.parent === parent),
    ...session.subagents.flatMap((subagent) => {
      const id = nodeId("subagent", session, subagent.id);
      const calls = unique(turns.filter((turn) => turn.parent === id));
      return [subagentNode(session, subagent, { id, parent, calls, task: background.get(subagent.id), now }), ...calls];
    }),
    ...session.background.flatMap((task) => (subagents.has(task.id) ? [] : [taskNode(session, task, parent, now)])),
  ];
}

interface TurnPlace {
  readonly id: string;
  readonly parent: string;
  readonly now: EpochMs;
}

function turnNode(session: Session, turn: OpenTurn, { id, parent, now }: TurnPlace): TreeNode {
  const ageMs = now - Date.parse(turn.since);
  const says = turn.abandoned ? `abandoned · began ${coarseAgo(ageMs)}` : `open · ${coarseAge(ageMs)}`;
  const icon = turn.abandoned ? { icon: "debug-disconnect", color: staleColor } : { icon: "tools", color: undefined };
  return child(session, { id, parent, label: turn.tool, description: says, icon, context: "turn" });
}

interface SubagentPlace {
  readonly id: string;
  readonly parent: string;
  readonly calls: readonly TreeNode[];
  /** Where it runs in the background. */
  readonly task: BackgroundTask | undefined;
  readonly now: EpochMs;
}

function subagentNode(
  session: Session,
  subagent: Session["subagents"][number],
  { id, parent, calls, task, now }: SubagentPlace,
): TreeNode {
  const open = subagent.openTurns.find((turn) => !turn.abandoned);
  const says = [
    ...(subagent.status === "" ? [] : [subagent.status]),
    ...(open === undefined ? [] : [open.tool]),
    ...(task === undefined ? [] : ["in background"]),
    ...(task?.since === undefined ? [] : [coarseAge(now - Date.parse(task.since))]),
  ];
  return {
    ...child(session, {
      id,
      parent,
      label: `Subagent ${subagent.id}`,
      description: says.join(" · "),
      icon: { icon: "organization", color: undefined },
      context: "subagent",
    }),
    children: calls.map((call) => call.id),
    collapsed: calls.length === 0 ? "leaf" : "expanded",
  };
}

function taskNode(session: Session, task: BackgroundTask, parent: string, now: EpochMs): TreeNode {
  const { label, icon } = taskLooks[task.kind];
  const says = task.since === undefined ? "running" : `running · ${coarseAge(now - Date.parse(task.since))}`;
  const id = nodeId("task", session, task.id);
  return child(session, { id, parent, label, description: says, icon: { icon, color: undefined }, context: "task" });
}

type Child = Pick<TreeNode, "id" | "label" | "description" | "icon" | "context"> & { readonly parent: string };

function child(session: Session, told: Child): TreeNode {
  const { label, description } = told;
  const spoken = description === "" ? label : `${label}, ${description.replaceAll(" · ", ", ")}`;
  return { ...told, children: [], collapsed: "leaf", spoken, session, sandbox: undefined };
}

/** Ids of others may hold any sign, so that the parts are kept apart by more than one. */
function nodeId(kind: "turn" | "subagent" | "task", session: Session, ...ids: readonly string[]): string {
  return `${kind}:${JSON.stringify([session.key, ...ids])}`;
}

function unique(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
