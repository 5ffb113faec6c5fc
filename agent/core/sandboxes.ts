// Pid namespaces other than ours, each shown as a sandbox. No adapter names them yet, so that a number stands for each.
import { amount } from "../../base/amount.ts";
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { Sandbox, Session } from "../../protocol/roster.ts";
import { iso } from "./isoTime.ts";
import type { LivenessVerdict } from "./liveness.ts";
import type { Monitor } from "./monitor.ts";
import { recordedSandboxes, type RegistryAge } from "./recorded.ts";
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

export function projectSandboxes(monitor: Monitor, sessions: readonly Session[], now: EpochMs): Sandbox[] {
  const sandboxes = new Map(
    [...recordedSandboxes(monitor.registries)].map(([name, { registry, sessions: count }]) => [
      name,
      recordedSandbox(name, registry, count),
    ]),
  );
  for (const session of sessions) {
    if (session.sandbox === null) continue;
    const live = session.liveness.kind === "live";
    const known = sandboxes.get(session.sandbox);
    if (known !== undefined && (known.state === "running" || !live)) continue;
    const derived = session.sandboxDerived === true;
    sandboxes.set(session.sandbox, {
      name: session.sandbox,
      adapter: "proc",
      stale: session.liveness.stale,
      asOf: session.liveness.asOf,
      ...(derived ? { derived } : {}),
      state: live ? "running" : "unknown",
      evidence: [
        {
          source: "proc",
          says: sessionWords(live, derived),
          at: iso(now),
          asOf: session.liveness.asOf,
        },
        ...(known?.evidence ?? []),
      ],
    });
  }
  return [...sandboxes.values()].sort((a, b) => compareText(a.name, b.name));
}

function sessionWords(live: boolean, derived: boolean): string {
  if (!derived) return live ? "a session that is recorded in it runs" : "an earlier row names it";
  return live ? "a session runs in this pid namespace" : "a record names this pid namespace";
}

/** Nobody was asked whether it runs: that it is recorded says only that it was there. */
function recordedSandbox(name: string, { source, asOf, stale }: RegistryAge, sessions: number): Sandbox {
  const suffix = stale === undefined ? "" : `; unreadable since ${iso(stale.since)}: ${stale.cause}`;
  return {
    name,
    adapter: "registry",
    stale: stale !== undefined,
    asOf: iso(asOf),
    state: "unknown",
    evidence: [
      { source, says: `recorded in it: ${amount(sessions, "session")}${suffix}`, at: iso(asOf), asOf: iso(asOf) },
    ],
  };
}
