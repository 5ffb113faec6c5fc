// The sandboxes as a client sees them: those that adapters list, those that only a registry or a session names, each
// with the evidence for its state. A pid namespace that nobody names is shown by its number.
import { amount } from "../../base/amount.ts";
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { Evidence, Sandbox, Session } from "../../protocol/roster.ts";
import { iso } from "./isoTime.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { Monitor } from "./monitor.ts";
import { probeEvidence } from "./probeNotes.ts";
import { recordedSandboxes, type RecordedSandbox } from "./recorded.ts";
import { recordDomain } from "./recordDomain.ts";
import { namedSandboxes, sandboxOfNamespace, sandboxOfProcess, type NamedSandbox } from "./sandboxNames.ts";

/** The sandbox in which an adapter proves that the session runs, where somebody named it. */
export function listedSandboxOf(
  monitor: Monitor,
  liveness: LivenessVerdict,
  record: PidRecord | undefined,
): string | undefined {
  const found =
    liveness.process === undefined
      ? sandboxOfRecord(monitor, record)
      : sandboxOfProcess(monitor.sandboxes, liveness.process.facts);
  return found === undefined || found.listed.derived === true ? undefined : found.name;
}

function sandboxOfRecord(monitor: Monitor, record: PidRecord | undefined): NamedSandbox | undefined {
  const domain = record === undefined ? undefined : recordDomain(monitor.host, record);
  if (domain?.kind !== "other" || domain.namespace === undefined || !domain.mayBeOfThisHost) return undefined;
  return sandboxOfNamespace(monitor.sandboxes, domain.namespace);
}

/** A namespace that no adapter names is shown by its number. */
export function sandboxOf(
  monitor: Monitor,
  liveness: LivenessVerdict,
  record: PidRecord | undefined,
): string | undefined {
  const own = monitor.host.namespace;
  const seen = liveness.process?.facts.namespace;
  if (seen !== undefined) return own === undefined || seen === own ? undefined : namespaceName(seen);
  if (record === undefined) return undefined;
  const domain = recordDomain(monitor.host, record);
  return domain.kind === "other" && domain.namespace !== undefined ? namespaceName(domain.namespace) : undefined;
}

export function namespaceName(namespace: string): string {
  return `pidns:${namespace}`;
}

export function projectSandboxes(monitor: Monitor, sessions: readonly Session[], now: EpochMs): Sandbox[] {
  const sandboxes = new Map<string, Sandbox>();
  for (const [name, recorded] of recordedSandboxes(monitor.registries))
    sandboxes.set(name, recordedSandbox(name, recorded));
  const inhabited = new Set(sessions.map(({ sandbox }) => sandbox));
  for (const named of namedSandboxes(monitor.sandboxes)) {
    // Browsers and tests make namespaces too: without a row in it, one that nobody named is none of ours.
    if (named.listed.derived === true && !inhabited.has(named.name)) continue;
    const recorded = sandboxes.get(named.name);
    const inside = probeEvidence(monitor.sandboxes, named.listed.identity);
    const answer = monitor.sandboxes.probes.get(named.listed.identity)?.answer;
    sandboxes.set(named.name, {
      ...listedSandbox(named, [...inside, ...(recorded?.evidence ?? [])]),
      ...(answer?.kind === "current" ? { insideAsOf: iso(answer.asOf) } : {}),
    });
  }
  const left = leftSandboxes(monitor);
  for (const session of sessions) {
    if (session.sandbox === null) continue;
    const known = sandboxes.get(session.sandbox);
    if (known === undefined || !isSettled(known, session))
      sandboxes.set(
        session.sandbox,
        sandboxBySession(session, session.sandbox, known ?? left.get(session.sandbox), now),
      );
  }
  return [...sandboxes.values()].sort((a, b) => compareText(a.name, b.name));
}

/** What a session in it cannot tell better: it runs by what is known, or its adapter says now what it does. */
function isSettled({ state, stale, adapter }: Sandbox, { liveness }: Session): boolean {
  if (liveness.kind !== "live") return true;
  const isListed = adapter !== registryAdapter && adapter !== processAdapter;
  if (isListed) return !stale || liveness.stale;
  return state === "running";
}

const registryAdapter = "registry";
/** Nobody lists it: processes and records of sessions tell of it. */
const processAdapter = "proc";

/** Those that their adapter lists no more, in which a session may still be shown. */
function leftSandboxes({ sandboxes }: Monitor): ReadonlyMap<string, Sandbox> {
  return new Map(
    [...sandboxes.gone.values()].map(({ sandbox, source, goneAt }) => {
      const at = iso(goneAt);
      const says = `not on the list any more, since ${at}`;
      const { name, adapter, title } = sandbox;
      const evidence = [{ source, says, at, asOf: at }];
      return [
        name,
        {
          name,
          adapter,
          stale: false,
          asOf: at,
          ...(title === undefined ? {} : { title }),
          state: "unknown",
          evidence,
        },
      ];
    }),
  );
}

function sandboxBySession(session: Session, name: string, known: Sandbox | undefined, now: EpochMs): Sandbox {
  const live = session.liveness.kind === "live";
  const derived = session.sandboxDerived === true;
  const listed = known !== undefined && known.adapter !== registryAdapter;
  return {
    name,
    adapter: listed ? known.adapter : processAdapter,
    stale: session.liveness.stale,
    asOf: session.liveness.asOf,
    ...(known?.title === undefined ? {} : { title: known.title }),
    ...(derived ? { derived } : {}),
    state: live ? "running" : "unknown",
    evidence: [
      { source: "proc", says: sessionWords(live, derived), at: iso(now), asOf: session.liveness.asOf },
      ...(known?.evidence ?? []),
    ],
  };
}

function sessionWords(live: boolean, derived: boolean): string {
  if (!derived) return live ? "a session that is recorded in it runs" : "an earlier row names it";
  return live ? "a session runs in this pid namespace" : "a record names this pid namespace";
}

function listedSandbox({ name, listed, known }: NamedSandbox, others: readonly Evidence[]): Sandbox {
  const age = known?.age;
  const asOf = iso(age?.asOf ?? 0);
  const suffix = age?.stale === undefined ? "" : `; not listed since ${iso(age.stale.since)}: ${age.stale.cause}`;
  return {
    name,
    adapter: listed.adapter,
    stale: age?.stale !== undefined,
    asOf,
    ...(listed.title === undefined ? {} : { title: listed.title }),
    ...(listed.derived === true ? { derived: true } : {}),
    state: listed.state,
    evidence: [
      { source: age?.source ?? "none", says: `${listed.state}: ${listed.says}${suffix}`, at: asOf, asOf },
      ...others,
    ],
  };
}

/** Nobody was asked whether it runs: that it is recorded says only that it was there. */
function recordedSandbox(name: string, { sessions, dropped, registry }: RecordedSandbox): Sandbox {
  const { source, asOf, stale } = registry;
  const left = dropped === 0 ? "" : `, of which another writer dropped ${dropped}`;
  const suffix = stale === undefined ? "" : `; unreadable since ${iso(stale.since)}: ${stale.cause}`;
  return {
    name,
    adapter: registryAdapter,
    stale: stale !== undefined,
    asOf: iso(asOf),
    state: "unknown",
    evidence: [
      {
        source,
        says: `recorded in it: ${amount(sessions, "session")}${left}${suffix}`,
        at: iso(asOf),
        asOf: iso(asOf),
      },
    ],
  };
}
