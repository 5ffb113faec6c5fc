// The row of one session, and what stands below it.
import { coarseAge, coarseSpan } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { Session } from "../../protocol/roster.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import type { Grouping } from "./arrangement.ts";
import { folderName } from "./folders.ts";
import { projectOf } from "./groups/byProject.ts";
import type { RosterState } from "./rosterState.ts";
import { staleColor, statusLooks } from "./rowLooks.ts";
import { sessionChildren } from "./sessionChildren.ts";
import { stalenessOf } from "./staleness.ts";
import type { TreeNode } from "./treeNode.ts";

export interface RowPlace {
  /** Undefined where rows stand at the top. */
  readonly parent: string | undefined;
  /** What the place says already is not said again. */
  readonly grouping: Grouping;
}

export function sessionNodeId(key: string): string {
  return `session:${key}`;
}

/** The row first. */
export function sessionRow(
  state: RosterState,
  session: Session,
  { parent, grouping }: RowPlace,
  now: EpochMs,
): readonly [TreeNode, ...TreeNode[]] {
  const id = sessionNodeId(session.key);
  const stale = stalenessOf(state, session);
  const { icon, color } = statusLooks[session.status.kind];
  // The mark stands first, where a narrow view does not cut it off.
  const says = [
    ...(stale === undefined ? [] : [`stale ${coarseSpan(now - stale.asOf)}`]),
    doing(session),
    ...(session.status.since === undefined ? [] : [coarseAge(now - Date.parse(session.status.since))]),
    ...(session.folderGone === true ? ["folder gone"] : []),
    ...whereabouts(session, grouping),
  ];
  const children = sessionChildren(session, id, now);
  const row: TreeNode = {
    id,
    parent,
    children: [...new Set(children.filter((child) => child.parent === id).map((child) => child.id))],
    label: session.title,
    description: says.join(" · "),
    icon: { icon, color: stale === undefined ? color : staleColor },
    collapsed: children.length === 0 ? "leaf" : "collapsed",
    context: `session ${session.liveness.kind}${session.transcript === undefined ? "" : " transcript"}`,
    spoken: [session.title, ...says].join(", "),
    session,
    sandbox: undefined,
  };
  return [row, ...children];
}

/** The status, with the tool that is open, so that it is seen without opening the row. */
function doing(session: Session): string {
  const words = statusWords(session.status, session.liveness);
  const showsTool = session.status.kind === "working" || session.status.kind === "needs-you";
  const open = session.openTurns.find((turn) => !turn.abandoned);
  return showsTool && open !== undefined ? `${words} · ${open.tool}` : words;
}

/** The project and the sandbox, but for the one that the groups name. */
function whereabouts(session: Session, grouping: Grouping): readonly string[] {
  const project = grouping === "project" ? null : projectOf(session);
  const sandbox = grouping === "sandbox" ? null : session.sandbox;
  return [...(project === null ? [] : [folderName(project)]), ...(sandbox === null ? [] : [`in ${sandbox}`])];
}
