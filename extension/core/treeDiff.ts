// Which nodes of the tree have to be drawn again. Nothing that kept its words is touched, so that selection and
// scroll position survive. A node that VS Code draws again brings its children along, so that of a node and what
// stands below it only the upper one is named.
import type { TreeModel, TreeNode } from "./treeNode.ts";

export type TreeDiff =
  | { readonly kind: "nothing" }
  | { readonly kind: "nodes"; readonly ids: readonly string[] }
  /** What stands at the top changed. */
  | { readonly kind: "whole" };

export function diffTrees(before: TreeModel, after: TreeModel): TreeDiff {
  if (!sameList(before.roots, after.roots)) return { kind: "whole" };
  const changed = new Set<string>();
  for (const node of after.nodes.values()) {
    const old = before.nodes.get(node.id);
    // A new node, or one that moved, is drawn with its parent, whose list of children then differs.
    if (old !== undefined && !sameNode(old, node)) changed.add(node.id);
  }
  const ids = [...changed].filter((id) => !hasAncestorIn(changed, after, id));
  return ids.length === 0 ? { kind: "nothing" } : { kind: "nodes", ids };
}

function hasAncestorIn(changed: ReadonlySet<string>, model: TreeModel, id: string): boolean {
  let parent = model.nodes.get(id)?.parent;
  while (parent !== undefined) {
    if (changed.has(parent)) return true;
    parent = model.nodes.get(parent)?.parent;
  }
  return false;
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
    // The tooltip is made from these; unchanged ones are the same object.
    a.session === b.session &&
    a.sandbox === b.sandbox &&
    sameList(a.children, b.children)
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
