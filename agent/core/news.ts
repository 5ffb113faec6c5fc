// Whether an event can change what a client sees, or only says again what is known. Most events of an idle host are of
// the second kind, and deriving every row from them would be most of what the agent costs. Where this is not sure the
// event is news; and what time alone changes, the observer's clock finds.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { staleAfterPeriods } from "../../base/limits.ts";
import { sameJson } from "../../base/sameJson.ts";
import { processInstance } from "../../protocol/ids.ts";
import type { Known, Observation } from "../../protocol/observation.ts";
import type { Monitor } from "./monitor.ts";
import type { MonitorEvent, PidLook, ProcessTable, TranscriptListing } from "./monitorEvent.ts";
import { foldProbe, type ProbeOutcome } from "./probeMemory.ts";
import type { RegistryFacts } from "./recorded.ts";
import type { SandboxListing } from "./sandboxListing.ts";
import { periodOf } from "./sourceStates.ts";

/** @param monitor what was known before the event */
export function isNews(monitor: Monitor, event: MonitorEvent): boolean {
  switch (event.kind) {
    case "process-table":
      return !(answersAgain(monitor, event.table) && tellsSameChildren(monitor, event.table));
    case "proc":
      return !answersAgain(monitor, event.state);
    case "pid-look":
      return !livesOn(monitor, event.pid, event.at, event.look);
    case "pid-record-listing":
      return !(answersAgain(monitor, event.listing) && listsSameRecords(monitor, event.configDir, event.listing));
    case "transcript-listing":
      return !(answersAgain(monitor, event.listing) && listsSameTranscripts(monitor, event.configDir, event.listing));
    case "registry":
      return !(answersAgain(monitor, event.registry) && recordsTheSame(monitor, event.registry));
    case "hooks":
      return !answersAgain(monitor, event.spools);
    case "sandboxes":
      return !(answersAgain(monitor, event.list) && listsSameSandboxes(monitor, event.list));
    case "probe":
      return !answersTheSame(monitor, event.outcome);
    case "snapshot":
      return !answersAgain(monitor, event.snapshot);
    case "namespace-look":
      return !findsSameProcesses(monitor, event.namespace, event.pids);
    case "hook-setup":
    case "hook-spool":
    case "hooks-kept":
    case "pid-record":
    case "transcript":
    case "folder-left":
    case "folders-left-out":
    case "transcript-left":
    case "transcripts-read-over":
    case "subagent":
    case "subagent-left":
      return true;
    default:
      return unreachable(event);
  }
}

/** A source that answered the last time too, and was not overdue. */
function answersAgain(monitor: Monitor, next: Observation<unknown>): boolean {
  const before = monitor.sources.get(next.source);
  return before !== undefined && before.last === next.kind && next.kind !== "unobserved" && !isOverdue(before.at, next);
}

function isOverdue(since: EpochMs, { at, source }: Pick<Observation<unknown>, "at" | "source">): boolean {
  return at - since > staleAfterPeriods * periodOf(source);
}

/** A look that found the very process that is known alive, as it was. */
export function livesOn(
  monitor: Pick<Monitor, "processes" | "pidLooks">,
  pid: number,
  at: EpochMs,
  look: PidLook,
): boolean {
  if (look.kind !== "alive" || monitor.pidLooks.has(pid)) return false;
  const known = monitor.processes.get(processInstance(pid, look.facts.startToken));
  if (known === undefined || known.facts !== look.facts || known.unobserved !== undefined) return false;
  return (
    known.life.kind === "alive" && known.life.source === "proc" && !isOverdue(known.life.asOf, { at, source: "proc" })
  );
}

/** Where the kernel answers a table tells only who has children; who is new in it is looked at then. */
function tellsSameChildren(monitor: Monitor, next: Observation<ProcessTable>): boolean {
  if (!monitor.host.kernelAnswers || next.kind !== "observed") return false;
  for (const [instance, { facts, life, unobserved }] of monitor.processes) {
    if (life.kind !== "gone" && unobserved !== undefined) return false;
    if (next.value.parents.has(facts.pid) === monitor.childlessSince.has(instance)) return false;
  }
  return true;
}

function listsSameRecords(monitor: Monitor, configDir: string, next: Observation<ReadonlySet<string>>): boolean {
  const folder = monitor.folders.get(configDir);
  if (folder === undefined) return false;
  if (next.kind !== "observed") return next.kind === "absent" && folder.records.size === 0;
  if (endedSince(monitor, folder.recordListing)) return false;
  return folder.records.size === next.value.size && isSubset(folder.records, next.value);
}

/** The first listing after an end tells whether its process took its record along. */
function endedSince({ processes }: Monitor, listing: Known<unknown>): boolean {
  if (listing.kind !== "current") return true;
  for (const { life } of processes.values()) if (life.kind === "gone" && life.at > listing.asOf) return true;
  return false;
}

/** The first look after a record was read may end its session. */
function findsSameProcesses(monitor: Monitor, namespace: string, pids: ReadonlySet<number>): boolean {
  const before = monitor.namespaceLooks.get(namespace);
  if (before === undefined || before.pids.size !== pids.size) return false;
  for (const pid of pids) if (!before.pids.has(pid)) return false;
  for (const { records } of monitor.folders.values())
    for (const { firstReadAt } of records.values()) if (firstReadAt > before.at) return false;
  return true;
}

function listsSameTranscripts(monitor: Monitor, configDir: string, next: Observation<TranscriptListing>): boolean {
  const folder = monitor.folders.get(configDir);
  if (folder === undefined) return false;
  const known = folder.transcriptListing;
  if (next.kind !== "observed") return next.kind === "absent" && known.kind === "none";
  if (known.kind !== "current" || known.value.older !== next.value.older) return false;
  for (const { goneAt } of folder.transcripts.values()) if (goneAt !== undefined) return false;
  if (!isSubset(next.value.answersFor, known.value.answersFor)) return false;
  return known.value.recent.size === next.value.recent.size && isSubset(known.value.recent, next.value.recent);
}

/** A text that did not change gives the same facts. */
function recordsTheSame(monitor: Monitor, next: Observation<RegistryFacts>): boolean {
  const known = monitor.registries.get(next.source);
  if (next.kind !== "observed") return next.kind === "absent" && known?.kind === "none";
  return known?.kind === "current" && known.value === next.value;
}

function listsSameSandboxes({ sandboxes }: Monitor, next: Observation<SandboxListing>): boolean {
  const known = sandboxes.lists.get(next.source);
  if (next.kind !== "observed") return next.kind === "absent" && known?.kind === "none";
  if (known?.kind !== "current") return false;
  const skipped = known.value.skipped;
  for (const [why, count] of next.value.skipped) if (skipped.get(why) !== count) return false;
  return skipped.size === next.value.skipped.size && sameJson(known.value.sandboxes, next.value.sandboxes);
}

/** Folding it anew is cheap, and tells what would differ. */
function answersTheSame({ sandboxes, host }: Monitor, outcome: ProbeOutcome): boolean {
  const before = sandboxes.probes.get(outcome.identity);
  if (before?.answer.kind !== "current") return false;
  const after = foldProbe(before, outcome, host);
  if (after.answer.kind !== "current" || after.run !== before.run) return false;
  return (
    sameJson(after.answer.value, before.answer.value) &&
    sameJson([...after.sessions.values()], [...before.sessions.values()])
  );
}

function isSubset(some: ReadonlySet<string> | ReadonlyMap<string, unknown>, all: ReadonlySet<string>): boolean {
  for (const key of some.keys()) if (!all.has(key)) return false;
  return true;
}
