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
  const why = status.why === undefined ? undefined : whyWords[status.why];
  const how = status.kind === "ended" ? liveness?.how : undefined;
  const more = why ?? how;
  return more === undefined ? kindWords[status.kind] : `${kindWords[status.kind]}: ${more}`;
}
