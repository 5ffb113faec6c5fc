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

type LivenessSaid = Pick<Liveness, "how"> & Partial<Pick<Liveness, "kind" | "source">>;

/** Such as "needs you: permission", "waiting for you", "ended: killed", "not seen running, recorded". */
export function statusWords(status: Pick<Status, "kind" | "why">, liveness?: LivenessSaid): string {
  if (status.kind === "unknown" && status.why === undefined) return unknownWords(liveness);
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

/** What is known where no rule can tell the status: who spoke of the session last. */
function unknownWords(liveness: LivenessSaid | undefined): string {
  const source = liveness?.source ?? "";
  if (liveness?.kind === "live") return "running, status unknown";
  if (source === "registry" || source.startsWith("registry:")) return "not seen running, recorded";
  if (source.startsWith("transcripts:")) return "not seen running";
  return kindWords.unknown;
}
