// Which nodes of the tree a person opened or closed. VS Code keeps that for a node that stays where it is; a row that
// moves to another group, or that a filter hid for a while, would come back as it was at first.
import { limits } from "../../base/limits.ts";
import type { TreeNode } from "../core/treeNode.ts";

export class OpenNodes {
  private readonly opened = new Map<string, boolean>();

  remember(id: string, open: boolean): void {
    // The one that was touched last stands last, so that the oldest are forgotten.
    this.opened.delete(id);
    this.opened.set(id, open);
    for (const oldest of this.opened.keys()) {
      if (this.opened.size <= limits.openNodesRemembered) break;
      this.opened.delete(oldest);
    }
  }

  stateOf({ id, collapsed }: Pick<TreeNode, "id" | "collapsed">): TreeNode["collapsed"] {
    const open = this.opened.get(id);
    return collapsed === "leaf" || open === undefined ? collapsed : open ? "expanded" : "collapsed";
  }
}
