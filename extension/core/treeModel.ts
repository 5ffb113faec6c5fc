// The tree as plain values: which nodes there are, under which ids, and what each says. Ids are made of session
// keys, sandbox names and folders, so that a node keeps its selection while what it says changes. Drawing it is the
// view's business.
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import { unreachable } from "../../base/errors.ts";
import type { Roster, Sandbox, Session } from "../../protocol/roster.ts";
import { defaultArrangement, type Arrangement } from "./arrangement.ts";
import { groupByAttention } from "./groups/byAttention.ts";
import { groupByProject } from "./groups/byProject.ts";
import { groupBySandbox, sandboxGroup, type SandboxGrouping } from "./groups/bySandbox.ts";
import { group, type Group, type GroupNote } from "./groups/group.ts";
import { lastRoster, type RosterState } from "./rosterState.ts";
import { isInWave } from "../../protocol/restorable.ts";
import { staleColor, statusLooks } from "./rowLooks.ts";
import { matchesFilter, matchesSandboxName, type SessionFilter } from "./sessionFilter.ts";
import { sessionRow } from "./sessionRow.ts";
import { emptyTree, type FilterCounts, type TreeModel, type TreeNode } from "./treeNode.ts";

/** How long a row that ended stays where it was. */
export const recentAfterMs = 30_000;

export function buildTree(state: RosterState, now: EpochMs, arrangement: Arrangement = defaultArrangement): TreeModel {
  const roster = lastRoster(state)?.roster;
  if (roster === undefined) return emptyTree;
  const { grouping, filter } = arrangement;
  const shown =
    filter.terms.length === 0 ? roster.sessions : roster.sessions.filter((each) => matchesFilter(filter, each));
  const nodes = new Map<string, TreeNode>();
  /** A node that comes twice, as a hostile file may have it, is shown once: VS Code draws no tree with doubles. */
  const add = (node: TreeNode): boolean => {
    if (nodes.has(node.id)) return false;
    nodes.set(node.id, node);
    return true;
  };
  const addRows = (sessions: readonly Session[], parent: string | undefined): readonly string[] =>
    sessions.flatMap((session) => {
      const [row, ...children] = sessionRow(state, session, { parent, grouping }, now);
      if (!add(row)) return [];
      for (const child of children) add(child);
      return [row.id];
    });
  const addGroup = (each: Group): string => {
    const notes = each.notes.map((note) => noteNode(note, each));
    add(groupNode(each, [...notes.map(({ id }) => id), ...addRows(each.sessions, each.id)]));
    for (const note of notes) add(note);
    return each.id;
  };

  const isOld = (session: Session): boolean => isRecent(session, now);
  const current = shown.filter((session) => !isOld(session)).sort(compareSessions);
  const told: SandboxGrouping = { state, sandboxes: sandboxesToShow(roster, filter, current), now };
  const roots = [
    ...(grouping === "none" ? addRows(current, undefined) : groupsOf(current, arrangement, told).map(addGroup)),
    ...recentGroup(shown.filter(isOld)).map(addGroup),
  ];
  if (grouping !== "sandbox") roots.push(...addQuietSandboxes(add, current, told));
  return { roots, nodes, filtered: filterCounts(filter, roster.sessions, shown) };
}

/** Those that want something first, then those that move, then by title. */
export function compareSessions(a: Session, b: Session): number {
  const byStatus = statusLooks[a.status.kind].order - statusLooks[b.status.kind].order;
  return byStatus !== 0 ? byStatus : compareText(a.title, b.title) || compareText(a.key, b.key);
}

function groupsOf(current: readonly Session[], arrangement: Arrangement, told: SandboxGrouping): readonly Group[] {
  switch (arrangement.grouping) {
    case "sandbox":
      return groupBySandbox(current, told);
    case "project":
      return groupByProject(current, arrangement.homeDir);
    case "attention":
      return groupByAttention(current);
    case "none":
      return [];
    default:
      return unreachable(arrangement.grouping);
  }
}

/**
 * All of them, whatever their source says, but for two kinds: those that the filter leaves out, and namespaces that
 * have no name of their own and nothing left in them but what stands among the recent.
 */
function sandboxesToShow(roster: Roster, filter: SessionFilter, current: readonly Session[]): readonly Sandbox[] {
  const withRows = sandboxNames(current);
  const named = sandboxNames(roster.sessions);
  return roster.sandboxes.filter(({ name, derived, state }) => {
    if (withRows.has(name)) return true;
    if (!matchesSandboxName(filter, name)) return false;
    return derived !== true || state === "running" || !named.has(name);
  });
}

/** Where rows are not grouped by sandbox, those without a row would else be seen nowhere. */
function addQuietSandboxes(
  add: (node: TreeNode) => boolean,
  current: readonly Session[],
  told: SandboxGrouping,
): readonly string[] {
  const withRows = sandboxNames(current);
  const quiet = told.sandboxes.filter(({ name }) => !withRows.has(name));
  if (quiet.length === 0) return [];
  const parent = group("quiet-sandboxes", "Sandboxes without sessions", "package", { folded: true });
  const children = [...quiet]
    .sort((a, b) => compareText(a.name, b.name))
    .map((sandbox) => ({ ...groupNode(sandboxGroup(sandbox, [], told), []), parent: parent.id }))
    .filter(add)
    .map(({ id }) => id);
  add(groupNode(parent, children));
  return [parent.id];
}

/** The latest first. */
function recentGroup(sessions: readonly Session[]): readonly Group[] {
  if (sessions.length === 0) return [];
  const latestFirst = [...sessions].sort((a, b) => endOf(b) - endOf(a) || compareSessions(a, b));
  return [group("recent", "Recent", "history", { says: ["ended"], folded: true, sessions: latestFirst })];
}

function groupNode(of: Group, children: readonly string[]): TreeNode {
  const count = of.context === "quiet-sandboxes" ? children.length : of.sessions.length;
  const needsYou = of.sessions.filter(({ status }) => status.kind === "needs-you").length;
  // Said for a group that is closed; where all rows need their person the label says so.
  const urgent =
    needsYou === 0 || of.context === "attention" ? [] : [`${needsYou} ${needsYou === 1 ? "needs" : "need"} you`];
  const says = [...urgent, ...of.says];
  const nouns = of.context === "quiet-sandboxes" ? ["sandbox", "sandboxes"] : ["session", "sessions"];
  return {
    id: of.id,
    parent: undefined,
    children,
    label: of.label,
    description: [count, ...says].join(" · "),
    icon: of.icon,
    collapsed: children.length === 0 ? "leaf" : of.folded ? "collapsed" : "expanded",
    context: [
      "group",
      of.context,
      ...(of.context === "sandbox" && of.sessions.some(isInWave) ? ["restorable"] : []),
    ].join(" "),
    spoken: [of.label, `${count} ${nouns[count === 1 ? 0 : 1] ?? ""}`, ...says].join(", "),
    session: undefined,
    sandbox: of.sandbox,
  };
}

function noteNode({ id, label, description }: GroupNote, of: Group): TreeNode {
  return {
    id: `note:${of.id}:${id}`,
    parent: of.id,
    children: [],
    label,
    description,
    icon: { icon: "warning", color: staleColor },
    collapsed: "leaf",
    context: "note",
    spoken: `${label}, ${description}`,
    session: undefined,
    sandbox: of.sandbox,
  };
}

function filterCounts(
  filter: SessionFilter,
  all: readonly Session[],
  shown: readonly Session[],
): FilterCounts | undefined {
  if (filter.terms.length === 0) return undefined;
  const needsYou = (sessions: readonly Session[]): number =>
    sessions.filter(({ status }) => status.kind === "needs-you").length;
  return { shown: shown.length, total: all.length, hiddenNeedsYou: needsYou(all) - needsYou(shown) };
}

function sandboxNames(sessions: readonly Session[]): ReadonlySet<string | null> {
  return new Set(sessions.map(({ sandbox }) => sandbox));
}

function isRecent(session: Session, now: EpochMs): boolean {
  return session.liveness.kind === "ended" && now - endOf(session) >= recentAfterMs;
}

function endOf({ endedAt, liveness }: Session): EpochMs {
  return Date.parse(endedAt ?? liveness.asOf);
}
