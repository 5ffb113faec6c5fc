// One node of the tree and the whole of it, as the models make them and the view draws them.
import type { Session } from "../../protocol/roster.ts";
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
}

export interface TreeModel {
  readonly roots: readonly string[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
}
