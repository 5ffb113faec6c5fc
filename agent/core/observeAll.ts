// How one batch of events changes what is known. A pure fold: the same observations give the same state. It knows
// which event goes where, how each source fares and how much is remembered; what an event means for processes and
// folders is `foldTable.ts`, `foldPidLook.ts` and `foldFolder.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Cause, Observation } from "../../protocol/observation.ts";
import { foldRecord, foldRecordListing, foldTranscript, foldTranscriptListing } from "./foldFolder.ts";
import { foldFolderLeft } from "./foldFolderLeft.ts";
import { dropSubagent, foldSubagent } from "./foldSubagents.ts";
import { foldPidLook } from "./foldPidLook.ts";
import { foldSandboxList, foldSandboxProbe } from "./foldSandboxes.ts";
import { foldTable } from "./foldTable.ts";
import { foldSpool } from "./hookKnowledge.ts";
import type { Monitor } from "./monitor.ts";
import { folderOf, monitorOf, newDraft, type Draft } from "./monitorDraft.ts";
import type { MonitorEvent } from "./monitorEvent.ts";
import { neverKnown, retain } from "./observation.ts";
import { foldLife } from "./processes.ts";

/** Folds one batch; the state given stays as it was. */
export function observeAll(monitor: Monitor, events: readonly MonitorEvent[]): Monitor {
  const draft = newDraft(monitor);
  for (const event of events) fold(draft, event);
  forgetOldest(draft);
  return monitorOf(draft);
}

function fold(draft: Draft, event: MonitorEvent): void {
  switch (event.kind) {
    case "process-table":
      if (event.table.at < (draft.sources.get(event.table.source)?.answeredAt ?? event.table.at)) return;
      attempted(draft, event.table);
      if (event.table.kind === "observed") foldTable(draft, event.table.value, event.table.at);
      else if (event.table.kind === "unobserved" && !draft.host.kernelAnswers)
        unobservedProcesses(draft, event.table.at, event.table.cause);
      return;
    case "proc":
      attempted(draft, event.state);
      if (event.state.kind === "unobserved") unobservedProcesses(draft, event.state.at, event.state.cause);
      return;
    case "pid-look":
      foldPidLook(draft, event.pid, event.at, event.look);
      return;
    case "namespace-look":
      draft.namespaceLooks.delete(event.namespace);
      draft.namespaceLooks.set(event.namespace, { at: event.at, pids: event.pids });
      return;
    case "pid-record-listing":
      attempted(draft, event.listing);
      foldRecordListing(draft, event.configDir, event.listing);
      return;
    case "pid-record":
      foldRecord(draft, event.configDir, event.file, event.record, event.oddTimes);
      return;
    case "transcript-listing":
      attempted(draft, event.listing);
      foldTranscriptListing(draft, event.configDir, event.listing);
      return;
    case "transcript":
      foldTranscript(draft, event.configDir, event.path, event.transcript);
      return;
    case "folder-left":
      draft.hookSetups.delete(event.configDir);
      foldFolderLeft(draft, event.configDir, event.at, event.isKept);
      return;
    case "folders-left-out":
      draft.foldersLeftOut = event.configDirs;
      return;
    case "registry":
      attempted(draft, event.registry);
      draft.registries.set(
        event.registry.source,
        retain(draft.registries.get(event.registry.source) ?? neverKnown, event.registry),
      );
      return;
    case "hooks":
      attempted(draft, event.spools);
      return;
    case "hook-setup":
      draft.hookSetups.set(
        event.configDir,
        retain(draft.hookSetups.get(event.configDir) ?? neverKnown, event.setup, { goneIsAnAnswer: true }),
      );
      return;
    case "hook-spool":
      draft.hooks = foldSpool(draft.hooks, event.read);
      return;
    case "hooks-kept":
      draft.hooks = event.kept;
      return;
    case "sandboxes":
      attempted(draft, event.list);
      draft.sandboxes = foldSandboxList(draft.sandboxes, event.list);
      return;
    case "probe":
      draft.sandboxes = foldSandboxProbe(draft.sandboxes, event.outcome, draft.host);
      return;
    case "snapshot":
      attempted(draft, event.snapshot);
      return;
    case "transcript-left":
      folderOf(draft, event.configDir).transcripts.delete(event.path);
      return;
    case "transcripts-read-over":
      folderOf(draft, event.configDir).readOver = event.skips;
      return;
    case "subagent":
      foldSubagent(draft, event);
      return;
    case "subagent-left":
      dropSubagent(draft, event);
      return;
    default:
      return unreachable(event);
  }
}

function attempted(draft: Draft, observation: Observation<unknown>): void {
  const previous = draft.sources.get(observation.source);
  if (previous !== undefined && observation.at < previous.at) return;
  const answered = observation.kind !== "unobserved";
  draft.sources.set(observation.source, {
    id: observation.source,
    last: observation.kind,
    at: observation.at,
    answeredAt: answered ? observation.at : previous?.answeredAt,
    failingSince: answered ? undefined : (previous?.failingSince ?? observation.at),
    cause: observation.kind === "unobserved" ? observation.cause : undefined,
  });
}

function unobservedProcesses(draft: Draft, at: EpochMs, cause: Cause): void {
  for (const [instance, memory] of draft.processes)
    draft.processes.set(instance, foldLife(memory, { kind: "unobserved", at, cause }));
}

/** Memory is bounded: processes that are gone longest go first. */
function forgetOldest(draft: Draft): void {
  // Asked of the state, since what is asked of the draft is copied.
  const { pidLooks, namespaceLooks, processes } = monitorOf(draft);
  if (pidLooks.size > limits.processesRemembered) dropFirst(draft.pidLooks, limits.processesRemembered);
  if (namespaceLooks.size > limits.namespacesRemembered) dropFirst(draft.namespaceLooks, limits.namespacesRemembered);
  const excess = processes.size - limits.processesRemembered;
  if (excess <= 0) return;
  const gone = [...processes].flatMap(([instance, { life }]) =>
    life.kind === "gone" ? [{ instance, at: life.at }] : [],
  );
  gone.sort((a, b) => a.at - b.at);
  for (const { instance } of gone.slice(0, excess)) {
    draft.processes.delete(instance);
    draft.claims.delete(instance);
    draft.childlessSince.delete(instance);
  }
}

function dropFirst(map: Map<unknown, unknown>, kept: number): void {
  for (const key of map.keys()) {
    if (map.size <= kept) break;
    map.delete(key);
  }
}
