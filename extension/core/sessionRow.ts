// The row of one session, and what stands below it.
import { coarseAge, coarseSpan } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import type { Session, StatusWhy } from "../../protocol/roster.ts";
import { statusReason, statusWords } from "../../protocol/statusWords.ts";
import type { Grouping } from "./arrangement.ts";
import { isDropped } from "./droppedSessions.ts";
import { folderName } from "./folders.ts";
import { isSaidByAttention } from "./groups/byAttention.ts";
import type { RosterState } from "./rosterState.ts";
import { isRestorable } from "../../protocol/restorable.ts";
import { staleColor, statusLook } from "./rowLooks.ts";
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
  const { icon, color } = statusLook(session.status);
  // The mark stands first, where a narrow view does not cut it off.
  const mark = stale === undefined ? [] : [`stale ${coarseSpan(now - stale.asOf)}`];
  const more = [
    ...openTool(session),
    ...(session.status.since === undefined ? [] : [coarseAge(now - Date.parse(session.status.since))]),
    ...(session.folderGone === true ? ["folder gone"] : []),
    ...(isDropped(session) ? ["dropped from registry"] : []),
    ...whereabouts(session, grouping),
  ];
  const children = sessionChildren(session, id, now);
  const row: TreeNode = {
    id,
    parent,
    children: [...new Set(children.filter((child) => child.parent === id).map((child) => child.id))],
    label: rowTitle(session.title),
    description: [...mark, ...shownStatus(session, grouping), ...more].join(" · "),
    icon: { icon, color: stale === undefined ? color : staleColor },
    collapsed: children.length === 0 ? "leaf" : "collapsed",
    context: contextOf(session),
    spoken: [session.title, ...mark, statusWords(session.status, session.liveness), ...more].join(", "),
    session,
    sandbox: undefined,
  };
  return [row, ...children];
}

/** Letters of a title in a row: behind a longer one nothing else would be seen. The tooltip has the whole. */
const rowTitleChars = 40;

function rowTitle(title: string): string {
  const letters = [...title];
  return letters.length <= rowTitleChars
    ? title
    : `${letters
        .slice(0, rowTitleChars - 1)
        .join("")
        .trimEnd()}…`;
}

function contextOf(session: Session): string {
  const { liveness, transcript, registry } = session;
  const recorded = registry.departedAt === undefined ? "recorded" : "departed";
  return [
    "session",
    liveness.kind,
    ...(transcript === undefined ? [] : ["transcript"]),
    ...(registry.recorded ? [recorded] : []),
    ...(isRestorable(session) ? ["restorable"] : []),
    ...(registry.droppedAt === undefined ? [] : ["dropped"]),
  ].join(" ");
}

/** A view is narrow: what the group's label says is not said again, nor what the icon says where a reason says more. */
function shownStatus({ status, liveness }: Session, grouping: Grouping): readonly string[] {
  const reason = statusReason(status, liveness);
  if (grouping === "attention" && isSaidByAttention(status.kind)) return reason === undefined ? [] : [reason];
  return [reason !== undefined && standsAlone(status.why) ? reason : statusWords(status, liveness)];
}

/** Whether a reason is understood beside the icon of what needs its person or failed. */
function standsAlone(why: StatusWhy | undefined): boolean {
  switch (why) {
    case "permission":
    case "question":
    case "plan":
    case "login":
    case "billing":
    case "limit":
      return true;
    case "likely":
    case "server":
    case "other":
    case undefined:
      return false;
    default:
      return unreachable(why);
  }
}

/** Seen without opening the row; that of a question or a plan says no more than these words. */
function openTool({ status, openTurns }: Session): readonly string[] {
  const asks = status.why === "question" || status.why === "plan";
  const showsTool = status.kind === "working" || (status.kind === "needs-you" && !asks);
  const open = openTurns.find((turn) => !turn.abandoned);
  return showsTool && open !== undefined ? [open.tool] : [];
}

/** The project and the sandbox, but for the one that the groups name. */
function whereabouts(session: Session, grouping: Grouping): readonly string[] {
  const project = grouping === "project" ? null : (session.startCwd ?? session.cwd);
  const sandbox = grouping === "sandbox" ? null : session.sandbox;
  return [...(project === null ? [] : [folderName(project)]), ...(sandbox === null ? [] : [`in ${sandbox}`])];
}
