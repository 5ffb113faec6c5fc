// Pid namespaces other than ours, each shown as a sandbox. No adapter names them yet, so that a number stands for each.
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { Sandbox, Session } from "../../protocol/roster.ts";
import { iso } from "./isoTime.ts";
import type { LivenessVerdict } from "./liveness.ts";
import type { Monitor } from "./monitor.ts";
import { recordDomain } from "./recordDomain.ts";

/** A namespace that no adapter names is shown by its number. */
export function sandboxOf(
  monitor: Monitor,
  liveness: LivenessVerdict,
  record: PidRecord | undefined,
): string | undefined {
  const own = monitor.host.namespace;
  const seen = liveness.process?.facts.namespace;
  if (seen !== undefined) return own === undefined || seen === own ? undefined : `pidns:${seen}`;
  if (record === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  return domain.kind === "other" && domain.namespace !== undefined ? `pidns:${domain.namespace}` : undefined;
}

export function projectSandboxes(sessions: readonly Session[], now: EpochMs): Sandbox[] {
  const sandboxes = new Map<string, Sandbox>();
  for (const session of sessions) {
    if (session.sandbox === null) continue;
    const live = session.liveness.kind === "live";
    const known = sandboxes.get(session.sandbox);
    if (known !== undefined && (known.state === "running" || !live)) continue;
    sandboxes.set(session.sandbox, {
      name: session.sandbox,
      adapter: "proc",
      stale: session.liveness.stale,
      asOf: session.liveness.asOf,
      derived: true,
      state: live ? "running" : "unknown",
      evidence: [
        {
          source: "proc",
          says: live ? "a session runs in this pid namespace" : "a record names this pid namespace",
          at: iso(now),
          asOf: session.liveness.asOf,
        },
      ],
    });
  }
  return [...sandboxes.values()].sort((a, b) => compareText(a.name, b.name));
}
