// How each status looks in the tree: a shape of its own, so that colour is never the only sign, and its place in
// the order. Icons are VS Code's codicons, colours its theme's.
import type { Status, StatusKind, StatusWhy } from "../../protocol/roster.ts";

export interface Look {
  readonly icon: string;
  /** A theme colour; undefined for the plain foreground. */
  readonly color: string | undefined;
  /** Rows with a lower one stand first. */
  readonly order: number;
}

export const statusLooks = {
  "needs-you": { icon: "bell-dot", color: "charts.yellow", order: 0 },
  error: { icon: "error", color: "charts.red", order: 1 },
  working: { icon: "pulse", color: "charts.green", order: 2 },
  compacting: { icon: "fold", color: "charts.green", order: 3 },
  background: { icon: "server-process", color: "charts.green", order: 4 },
  waiting: { icon: "comment", color: "charts.blue", order: 5 },
  starting: { icon: "rocket", color: "charts.blue", order: 6 },
  unknown: { icon: "question", color: undefined, order: 7 },
  idle: { icon: "circle-outline", color: undefined, order: 8 },
  ended: { icon: "circle-slash", color: "disabledForeground", order: 9 },
} as const satisfies Record<StatusKind, Look>;

/** What a session needs its person for has a shape of its own: a narrow view has room for little more than that. */
const needIcons: Partial<Record<StatusWhy, string>> = {
  question: "comment-unresolved",
  plan: "checklist",
};

export function statusLook({ kind, why }: Pick<Status, "kind" | "why">): Look {
  const look = statusLooks[kind];
  const icon = kind === "needs-you" && why !== undefined ? needIcons[why] : undefined;
  return icon === undefined ? look : { ...look, icon };
}

/** The colour of a row that is stale, whatever its status. */
export const staleColor = "disabledForeground";
