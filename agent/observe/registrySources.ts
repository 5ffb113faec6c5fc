// The files that record sandboxes: our own registry, those of other tools, read only, and the snapshot that is written
// for other tools. Of the snapshot only whether it can be read is told: what we wrote ourselves proves nothing.
import type { Scheduler } from "../../base/clock.ts";
import type { Parse } from "../../base/node/guardedLoad.ts";
import { LastWholeCopies } from "../../base/node/lastWhole.ts";
import type { Log } from "../../base/node/log.ts";
import type { RollcallPaths } from "../../base/node/paths.ts";
import { SeenMarks } from "../../base/node/seenMarks.ts";
import type { Observation, SourceId } from "../../protocol/observation.ts";
import type { MonitorEvent } from "../core/monitorEvent.ts";
import type { JournalState } from "../core/journalState.ts";
import { registryFacts, withDropped, type RegistryFacts } from "../core/recorded.ts";
import { parseRegistry } from "../core/registryDocument.ts";
import { parseSnapshot } from "../core/snapshotChange.ts";
import { RegistrySource, type KeptContents, type RegistrySourceOptions } from "./registrySource.ts";

export type RecordPaths = Pick<
  RollcallPaths,
  "registry" | "registryIsOurs" | "otherRegistries" | "snapshot" | "snapshotIsOurs" | "seenMarks" | "lastWhole"
>;

/** What our own registry held, and what of it another writer dropped. */
export interface RegistryHistory extends KeptContents {
  readonly state: Pick<JournalState, "dropped">;
}

export interface RegistrySourcesOptions {
  readonly paths: RecordPaths;
  readonly journal: RegistryHistory;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
}

export class RegistrySources {
  private readonly sources: readonly Pick<RegistrySource<unknown>, "scan" | "start" | "stop" | "watchedFolders">[];

  constructor({ paths, journal, scheduler, log, emit }: RegistrySourcesOptions) {
    const marks = new SeenMarks(paths.seenMarks);
    const copies = new LastWholeCopies(paths.lastWhole);
    const registry = (
      source: SourceId,
      { path, folderIsOurs }: { readonly path: string; readonly folderIsOurs: boolean },
      more: Pick<RegistrySourceOptions<RegistryFacts>, "copies" | "complete">,
    ) =>
      new RegistrySource<RegistryFacts>({
        source,
        path,
        folderIsOurs,
        marks,
        ...more,
        scheduler,
        log,
        parse: factsOf(path),
        tell: (observations) =>
          emit(
            observations
              .filter((observation) => isWorthTelling(source, observation))
              .map((registry) => ({ kind: "registry", registry })),
          ),
      });
    this.sources = [
      registry(
        "registry",
        { path: paths.registry, folderIsOurs: paths.registryIsOurs },
        { copies: journal, complete: addingDropped(journal) },
      ),
      new RegistrySource<"answers">({
        source: "snapshot",
        path: paths.snapshot,
        folderIsOurs: paths.snapshotIsOurs,
        marks,
        scheduler,
        log,
        parse: answersIfWhole,
        tell: (snapshots) => emit(snapshots.map((snapshot) => ({ kind: "snapshot", snapshot }))),
      }),
      // A tool that is not installed has no folder, in good faith.
      ...paths.otherRegistries.map(({ tool, path }) =>
        registry(`registry:${tool}`, { path, folderIsOurs: true }, { copies }),
      ),
    ];
  }

  async scan(): Promise<void> {
    await Promise.all(this.sources.map((source) => source.scan()));
  }

  start(): void {
    for (const source of this.sources) source.start();
  }

  get watchedFolders(): number {
    return this.sources.reduce((sum, source) => sum + source.watchedFolders, 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.sources.map((source) => source.stop()));
  }
}

/** That another tool was never here is no news. */
function isWorthTelling(source: SourceId, observation: Observation<unknown>): boolean {
  return source === "registry" || observation.kind !== "absent";
}

const answersIfWhole: Parse<"answers"> = (text) => {
  const parsed = parseSnapshot(text);
  return parsed.kind === "parsed" ? { kind: "parsed", document: "answers" } : parsed;
};

/** The same facts for the same file and the same drops, so that what did not change is no news. */
function addingDropped(journal: RegistryHistory): (facts: RegistryFacts) => RegistryFacts {
  let last: { readonly facts: RegistryFacts; readonly dropped: unknown; readonly all: RegistryFacts } | undefined;
  return (facts) => {
    const { dropped } = journal.state;
    if (last?.facts !== facts || last.dropped !== dropped)
      last = { facts, dropped, all: withDropped(facts, [...dropped.values()]) };
    return last.all;
  };
}

function factsOf(path: string): Parse<RegistryFacts> {
  return (text) => {
    const parsed = parseRegistry(text);
    return parsed.kind === "parsed" ? { kind: "parsed", document: registryFacts(path, parsed.document) } : parsed;
  };
}
