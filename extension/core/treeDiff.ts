// Which nodes of the tree have to be drawn again. Nothing that kept its words is touched, so that selection and
// scroll position survive.
import type { TreeModel, TreeNode } from "./treeNode.ts";

export type TreeDiff =
  | { readonly kind: "nothing" }
  | { readonly kind: "nodes"; readonly ids: readonly string[] }
  /** The list of groups changed, or a node moved to another parent. */
  | { readonly kind: "whole" };

export function diffTrees(before: TreeModel, after: TreeModel): TreeDiff {
  if (!sameList(before.roots, after.roots)) return { kind: "whole" };
  const ids: string[] = [];
  for (const node of after.nodes.values()) {
    const old = before.nodes.get(node.id);
    // A new node is drawn with its parent, whose list of children then differs.
    if (old === undefined) continue;
    if (old.parent !== node.parent) return { kind: "whole" };
    if (!sameNode(old, node)) ids.push(node.id);
  }
  return ids.length === 0 ? { kind: "nothing" } : { kind: "nodes", ids };
}

function sameNode(a: TreeNode, b: TreeNode): boolean {
  return (
    a.label === b.label &&
    a.description === b.description &&
    a.icon?.icon === b.icon?.icon &&
    a.icon?.color === b.icon?.color &&
    a.collapsed === b.collapsed &&
    a.context === b.context &&
    a.spoken === b.spoken &&
    // The tooltip is made from the session; an unchanged one is the same object.
    a.session === b.session &&
    sameList(a.children, b.children)
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
