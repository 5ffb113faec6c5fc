// Draws the tree of sessions. Elements are node ids, so that they stay the same while what they say changes, and
// only nodes whose words changed are drawn again. What a node says is decided in core.
import {
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  type Disposable,
  type TreeDataProvider,
  type TreeView,
} from "vscode";
import type { EpochMs } from "../../base/clock.ts";
import type { Session } from "../../protocol/roster.ts";
import { ClickedNode } from "../commands/sessionTarget.ts";
import { commandIds } from "../core/commandIds.ts";
import type { RosterState } from "../core/rosterState.ts";
import type { Arrangement } from "../core/arrangement.ts";
import { badgeOf } from "../core/statusBarModel.ts";
import { sandboxTooltip, sessionTooltip, type TimeFormat } from "../core/tooltip.ts";
import { diffTrees } from "../core/treeDiff.ts";
import { treeMessage } from "../core/treeMessage.ts";
import { buildTree } from "../core/treeModel.ts";
import { emptyTree, type FilterCounts, type TreeModel, type TreeNode } from "../core/treeNode.ts";
import { OpenNodes } from "./openNodes.ts";
import type { Surface } from "./painter.ts";

/** Also of a sandbox that only its rows name. */
const sandboxNodes = "group:sandbox:";

export const sessionsViewId = "rollcall.sessions";

const collapsibleStates = {
  leaf: TreeItemCollapsibleState.None,
  collapsed: TreeItemCollapsibleState.Collapsed,
  expanded: TreeItemCollapsibleState.Expanded,
} as const satisfies Record<TreeNode["collapsed"], TreeItemCollapsibleState>;

export interface SessionsTreeOptions {
  readonly viewId: string;
  readonly format: TimeFormat;
  readonly arrangement: () => Arrangement;
}

export class SessionsTree implements TreeDataProvider<string>, Surface, Disposable {
  private readonly changes = new EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly options: SessionsTreeOptions;
  private readonly view: TreeView<string>;
  private readonly openNodes = new OpenNodes();
  private model: TreeModel = emptyTree;
  private state: RosterState | undefined;

  constructor(options: SessionsTreeOptions) {
    this.options = options;
    this.view = window.createTreeView(options.viewId, { treeDataProvider: this, showCollapseAll: true });
    this.view.onDidExpandElement(({ element }) => this.openNodes.remember(element, true));
    this.view.onDidCollapseElement(({ element }) => this.openNodes.remember(element, false));
  }

  draw(state: RosterState, now: EpochMs): void {
    const before = this.model;
    const arrangement = this.options.arrangement();
    this.model = buildTree(state, now, arrangement);
    this.state = state;
    // First, so that nothing that fails after it can lose a difference.
    const diff = diffTrees(before, this.model);
    if (diff.kind === "whole") this.changes.fire(undefined);
    if (diff.kind === "nodes") this.changes.fire([...diff.ids]);
    // Empty hides the line.
    const message = treeMessage(state, this.model, arrangement.filter, now);
    if ((this.view.message ?? "") !== message) this.view.message = message;
    const badge = badgeOf(state);
    if (this.view.badge?.value !== badge?.value || this.view.badge?.tooltip !== badge?.tooltip) this.view.badge = badge;
  }

  /** The session of a node, of a session's row as well as of what stands below it. */
  sessionOf(nodeId: string): Session | undefined {
    return this.model.nodes.get(nodeId)?.session;
  }

  /** The name of the sandbox that a node is. */
  sandboxOf(nodeId: string): string | undefined {
    const node = this.model.nodes.get(nodeId);
    return node?.sandbox?.name ?? (nodeId.startsWith(sandboxNodes) ? nodeId.slice(sandboxNodes.length) : undefined);
  }

  /** Of the filter with which the tree was drawn last. */
  get filterCounts(): FilterCounts | undefined {
    return this.model.filtered;
  }

  getChildren(id?: string): string[] {
    return [...(id === undefined ? this.model.roots : (this.model.nodes.get(id)?.children ?? []))];
  }

  getParent(id: string): string | undefined {
    return this.model.nodes.get(id)?.parent;
  }

  getTreeItem(id: string): TreeItem {
    const node = this.model.nodes.get(id);
    // A node that VS Code asks for after it left the model is drawn no more than once.
    if (node === undefined) return new TreeItem("");
    const item = new TreeItem(node.label, collapsibleStates[this.openNodes.stateOf(node)]);
    item.id = node.id;
    item.description = node.description;
    item.contextValue = node.context;
    item.accessibilityInformation = { label: node.spoken, role: "treeitem" };
    if (node.icon !== undefined) item.iconPath = themeIcon(node.icon);
    if (node.session !== undefined) {
      const clicked = new ClickedNode(node.id);
      item.command = { title: "Open Detail", command: commandIds.openDetail, arguments: [clicked] };
    }
    return item;
  }

  /** Tooltips are made when they are asked for. */
  resolveTreeItem(item: TreeItem, id: string): TreeItem {
    const { state } = this;
    const { session, sandbox } = this.model.nodes.get(id) ?? {};
    if (state === undefined) return item;
    if (session !== undefined) item.tooltip = new MarkdownString(sessionTooltip(state, session, this.options.format));
    else if (sandbox !== undefined)
      item.tooltip = new MarkdownString(sandboxTooltip(state, sandbox, this.options.format));
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }
}

function themeIcon({ icon, color }: NonNullable<TreeNode["icon"]>): ThemeIcon {
  return color === undefined ? new ThemeIcon(icon) : new ThemeIcon(icon, new ThemeColor(color));
}
