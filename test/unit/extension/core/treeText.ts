// A tree as text, for tests: two blanks a level, label, description.
import assert from "node:assert/strict";
import { parseFilter } from "../../../../extension/core/sessionFilter.ts";
import type { Arrangement, Grouping } from "../../../../extension/core/arrangement.ts";
import type { TreeModel } from "../../../../extension/core/treeNode.ts";
import type { Sandbox } from "../../../../protocol/roster.ts";
import { at } from "./rosters.ts";

export function treeLines({ roots, nodes }: TreeModel): readonly string[] {
  const lines = (ids: readonly string[], parent: string | undefined, indent: string): string[] =>
    ids.flatMap((id) => {
      const node = nodes.get(id);
      assert.ok(node, `${id} is a child but no node`);
      assert.equal(node.parent, parent, `${id} is a child of another than its parent`);
      return [`${indent}${node.label} | ${node.description}`, ...lines(node.children, id, `${indent}  `)];
    });
  const text = lines(roots, undefined, "");
  assert.equal(text.length, nodes.size, "a node stands nowhere, or twice");
  return text;
}

export function arranged(grouping: Grouping, filter = ""): Arrangement {
  return { grouping, filter: parseFilter(filter), homeDir: "/home/u" };
}

export function sandbox(name: string, more: Partial<Sandbox> = {}): Sandbox {
  return { name, adapter: "proc", stale: false, asOf: at(0), state: "running", evidence: [], ...more };
}
