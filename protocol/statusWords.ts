// The words in which every surface names a status, so that tree, status bar and terminal never disagree.
import type { Liveness, Status, StatusKind, StatusWhy } from "./roster.ts";

const kindWords = {
  "needs-you": "needs you",
  error: "error",
  compacting: "compacting",
  working: "working",
  background: "working in background",
  waiting: "waiting for you",
  idle: "idle",
  starting: "starting",
  ended: "ended",
  unknown: "unknown",
} as const satisfies Record<StatusKind, string>;

const whyWords = {
  permission: "permission",
  question: "question",
  plan: "plan",
  likely: "likely, a guess",
  login: "login",
  billing: "billing",
  limit: "usage limit",
  server: "server",
  other: "other",
} as const satisfies Record<StatusWhy, string>;

/** Such as "needs you: permission", "waiting for you", "ended: killed". */
export function statusWords(status: Pick<Status, "kind" | "why">, liveness?: Pick<Liveness, "how">): string {
  const more = statusReason(status, liveness);
  return more === undefined ? kindWords[status.kind] : `${kindWords[status.kind]}: ${more}`;
}

/** What stands behind the colon, for a place that has named the kind already. */
export function statusReason(
  status: Pick<Status, "kind" | "why">,
  liveness?: Pick<Liveness, "how">,
): string | undefined {
  const how = status.kind === "ended" ? liveness?.how : undefined;
  return status.why === undefined ? how : whyWords[status.why];
}
