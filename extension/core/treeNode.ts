// One node of the tree and the whole of it, as the models make them and the view draws them.
import type { Sandbox, Session } from "../../protocol/roster.ts";
import type { Look } from "./rowLooks.ts";

export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly children: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly icon: Pick<Look, "icon" | "color"> | undefined;
  readonly collapsed: "leaf" | "collapsed" | "expanded";
  /** Words that menus match on, separated by blanks. */
  readonly context: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** The session that the node is, or is a part of. */
  readonly session: Session | undefined;
  /** The sandbox that the node is. */
  readonly sandbox: Sandbox | undefined;
}

export interface TreeModel {
  readonly roots: readonly string[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
  /** What the filter leaves; undefined while there is none. */
  readonly filtered: FilterCounts | undefined;
}

export interface FilterCounts {
  readonly shown: number;
  readonly total: number;
  /** Rows that need their person and that the filter hides. */
  readonly hiddenNeedsYou: number;
}

export const emptyTree: TreeModel = { roots: [], nodes: new Map(), filtered: undefined };
