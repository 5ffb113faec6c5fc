// The tree as plain values: which nodes there are, under which ids, and what each says. Ids are made of session
// keys, so that a node keeps its selection while what it says changes. Drawing it is the view's business.
import { compareText } from "../../base/compareText.ts";
import { coarseAge, coarseSpan } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import { lastRoster, type RosterState } from "./rosterState.ts";
import { sessionChildren } from "./sessionChildren.ts";
import { staleColor, statusLooks } from "./rowLooks.ts";
import { stalenessOf } from "./staleness.ts";
import type { TreeModel, TreeNode } from "./treeNode.ts";

/** How long a row that ended stays where it was. */
export const recentAfterMs = 30_000;
const hostGroup = "group:host";
const recentGroup = "group:recent";

export function buildTree(state: RosterState, now: EpochMs): TreeModel {
  const roster = lastRoster(state)?.roster;
  if (roster === undefined) return { roots: [], nodes: new Map() };
  const groups = groupSessions(roster, now);
  const nodes = new Map<string, TreeNode>();
  for (const group of groups) {
    const rows = [...group.sessions].sort(compareSessions).map((session) => sessionRow(state, session, group.id, now));
    nodes.set(
      group.id,
      groupNode(
        group,
        rows.map(({ row }) => row.id),
      ),
    );
    for (const { row, children } of rows) {
      nodes.set(row.id, row);
      for (const child of children) nodes.set(child.id, child);
    }
  }
  return { roots: groups.map((group) => group.id), nodes };
}

export function sessionNodeId(key: string): string {
  return `session:${key}`;
}

/** Those that want something first, then those that move, then by title. */
export function compareSessions(a: Session, b: Session): number {
  const byStatus = statusLooks[a.status.kind].order - statusLooks[b.status.kind].order;
  return byStatus !== 0 ? byStatus : compareText(a.title, b.title) || compareText(a.key, b.key);
}

interface Group {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly collapsed: boolean;
  readonly context: string;
  readonly sessions: Session[];
}

function groupSessions(roster: Roster, now: EpochMs): readonly Group[] {
  const host: Group = newGroup(hostGroup, "This host", "", "device-desktop", "host");
  const recent: Group = { ...newGroup(recentGroup, "Recent", "ended", "history", "recent"), collapsed: true };
  const sandboxes = new Map<string, Group>();
  for (const sandbox of roster.sandboxes) {
    const description = `${sandbox.state}${sandbox.derived === true ? ", named after its namespace" : ""}`;
    sandboxes.set(sandbox.name, sandboxGroup(sandbox.name, sandbox.stale ? `${description}, stale` : description));
  }
  for (const session of roster.sessions) {
    const group = isRecent(session, now)
      ? recent
      : session.sandbox === null
        ? host
        : groupOf(sandboxes, session.sandbox);
    group.sessions.push(session);
  }
  const named = [...sandboxes.values()].sort((a, b) => compareText(a.label, b.label));
  return [
    ...(host.sessions.length > 0 ? [host] : []),
    ...named.filter(
      (group) => group.sessions.length > 0 || roster.sessions.every((row) => row.sandbox !== group.label),
    ),
    ...(recent.sessions.length > 0 ? [recent] : []),
  ];
}

function groupOf(sandboxes: Map<string, Group>, name: string): Group {
  const known = sandboxes.get(name);
  if (known !== undefined) return known;
  const group = sandboxGroup(name, "");
  sandboxes.set(name, group);
  return group;
}

function sandboxGroup(name: string, description: string): Group {
  return newGroup(`group:sandbox:${name}`, name, description, "package", "sandbox");
}

function newGroup(id: string, label: string, description: string, icon: string, context: string): Group {
  return { id, label, description, icon, collapsed: false, context, sessions: [] };
}

function groupNode(group: Group, children: readonly string[]): TreeNode {
  const count = `${children.length}`;
  const description = group.description === "" ? count : `${count} · ${group.description}`;
  const plural = children.length === 1 ? "session" : "sessions";
  return {
    id: group.id,
    parent: undefined,
    children,
    label: group.label,
    description,
    icon: { icon: group.icon, color: undefined },
    collapsed: children.length === 0 ? "leaf" : group.collapsed ? "collapsed" : "expanded",
    context: `group ${group.context}`,
    spoken: [group.label, `${count} ${plural}`, group.description].filter((part) => part !== "").join(", "),
    session: undefined,
  };
}

function sessionRow(
  state: RosterState,
  session: Session,
  parent: string,
  now: EpochMs,
): { readonly row: TreeNode; readonly children: readonly TreeNode[] } {
  const id = sessionNodeId(session.key);
  const stale = stalenessOf(state, session);
  const { icon, color } = statusLooks[session.status.kind];
  // The mark stands first, where a narrow view does not cut it off.
  const says = [
    ...(stale === undefined ? [] : [`stale ${coarseSpan(now - stale.asOf)}`]),
    doing(session),
    ...(session.status.since === undefined ? [] : [coarseAge(now - Date.parse(session.status.since))]),
    ...(session.folderGone === true ? ["folder gone"] : []),
  ];
  const children = sessionChildren(session, id, now);
  const row: TreeNode = {
    id,
    parent,
    children: children.map((child) => child.id),
    label: session.title,
    description: says.join(" · "),
    icon: { icon, color: stale === undefined ? color : staleColor },
    collapsed: children.length === 0 ? "leaf" : "collapsed",
    context: `session ${session.liveness.kind}${session.transcript === undefined ? "" : " transcript"}`,
    spoken: [session.title, ...says].join(", "),
    session,
  };
  return { row, children };
}

/** The status, with the tool that is open, so that it is seen without opening the row. */
function doing(session: Session): string {
  const words = statusWords(session.status, session.liveness);
  const showsTool = session.status.kind === "working" || session.status.kind === "needs-you";
  const open = session.openTurns.find((turn) => !turn.abandoned);
  return showsTool && open !== undefined ? `${words} · ${open.tool}` : words;
}

function isRecent(session: Session, now: EpochMs): boolean {
  if (session.liveness.kind !== "ended") return false;
  return now - Date.parse(session.endedAt ?? session.liveness.asOf) >= recentAfterMs;
}
