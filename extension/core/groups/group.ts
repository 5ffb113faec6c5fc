// A group of the tree before its rows are made.
import type { Sandbox, Session } from "../../../protocol/roster.ts";
import type { TreeNode } from "../treeNode.ts";

export interface Group {
  /** Stays the same whatever the group says. */
  readonly id: string;
  readonly label: string;
  /** What stands behind the number of its rows. */
  readonly says: readonly string[];
  readonly icon: NonNullable<TreeNode["icon"]>;
  /** Closed until somebody opens it. */
  readonly folded: boolean;
  readonly context: string;
  readonly sandbox: Sandbox | undefined;
  readonly sessions: readonly Session[];
  /** Lines above its rows. */
  readonly notes: readonly GroupNote[];
}

/**
 * What ages stands in a line of its own: a group that is drawn again draws all its rows again, and that must not
 * happen each minute.
 */
export interface GroupNote {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

export function group(id: string, label: string, icon: string, more: Partial<Group> = {}): Group {
  return {
    id: `group:${id}`,
    label,
    says: [],
    icon: { icon, color: undefined },
    folded: false,
    context: id,
    sandbox: undefined,
    sessions: [],
    notes: [],
    ...more,
  };
}

/** In the order in which the keys first come. */
export function partition<Key>(
  sessions: readonly Session[],
  keyOf: (session: Session) => Key,
): ReadonlyMap<Key, readonly Session[]> {
  const parts = new Map<Key, Session[]>();
  for (const session of sessions) {
    const part = parts.get(keyOf(session));
    if (part === undefined) parts.set(keyOf(session), [session]);
    else part.push(session);
  }
  return parts;
}
