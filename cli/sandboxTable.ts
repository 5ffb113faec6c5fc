// The sandboxes as lines below the table of sessions: what state each is in, as of when, and how many live sessions it
// holds.
import { amount } from "../base/amount.ts";
import { coarseAgo } from "../base/coarseAge.ts";
import type { Roster, Sandbox } from "../protocol/roster.ts";

export function sandboxLines(
  { sandboxes, sessions }: Pick<Roster, "sandboxes" | "sessions">,
  now: number,
): readonly string[] {
  const live = new Map<string | null, number>();
  for (const { sandbox, liveness } of sessions)
    if (liveness.kind === "live") live.set(sandbox, (live.get(sandbox) ?? 0) + 1);
  return sandboxes.map((sandbox) => {
    const count = live.get(sandbox.name) ?? 0;
    return `sandbox ${shownName(sandbox)}: ${stateWords(sandbox, now)}${count === 0 ? "" : `, ${amount(count, "live session")}`}`;
  });
}

function shownName({ name, title }: Sandbox): string {
  return title === undefined ? name : `${title} (${name})`;
}

function stateWords({ state, adapter, stale, asOf }: Sandbox, now: number): string {
  const said = state === "unknown" ? "not known whether it runs" : state;
  const by = adapter === "registry" ? "recorded" : adapter;
  return `${said}, ${by}${stale ? ` (stale, ${coarseAgo(now - Date.parse(asOf))})` : ""}`;
}
