// The state while one batch is folded into it: copies that may be changed, each map copied once, and indexes by pid
// that hold for this batch only. What an event changes in it is for the files that fold.
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import { emptyFolder, type ConfigFolder, type Monitor } from "./monitor.ts";
import { valueOf } from "./observation.ts";
import type { ProcessMemory } from "./processes.ts";

export type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : T[K];
};

/** The copies that one batch works on; a config folder's are copied when it is first touched. */
export interface Draft extends Mutable<Omit<Monitor, "folders">> {
  readonly folders: Map<string, ConfigFolder>;
  readonly ownedFolders: Map<string, Mutable<ConfigFolder>>;
  /** What it is now, as a state of its own. */
  readonly become: () => Monitor;
  readonly instancesByPid: Map<number, Set<ProcessInstance>>;
  /** Where records name a pid: config folder by file. */
  readonly recordsByPid: Map<number, Map<string, string>>;
}

/** The state given stays as it was. */
export function newDraft(monitor: Monitor): Draft {
  let instancesByPid: Map<number, Set<ProcessInstance>> | undefined;
  let recordsByPid: Map<number, Map<string, string>> | undefined;
  const sources = copyWhenAsked(monitor.sources);
  const processes = copyWhenAsked(monitor.processes);
  const pidLooks = copyWhenAsked(monitor.pidLooks);
  const namespaceLooks = copyWhenAsked(monitor.namespaceLooks);
  const claims = copyWhenAsked(monitor.claims);
  const childlessSince = copyWhenAsked(monitor.childlessSince);
  const registries = copyWhenAsked(monitor.registries);
  const hookSetups = copyWhenAsked(monitor.hookSetups);
  const remembered = copyWhenAsked(monitor.remembered);
  const draft: Draft = {
    host: monitor.host,
    get sources() {
      return sources.own();
    },
    get processes() {
      return processes.own();
    },
    get pidLooks() {
      return pidLooks.own();
    },
    get namespaceLooks() {
      return namespaceLooks.own();
    },
    get claims() {
      return claims.own();
    },
    get childlessSince() {
      return childlessSince.own();
    },
    folders: new Map(monitor.folders),
    foldersLeftOut: monitor.foldersLeftOut,
    get registries() {
      return registries.own();
    },
    get hookSetups() {
      return hookSetups.own();
    },
    hooks: monitor.hooks,
    sandboxes: monitor.sandboxes,
    get remembered() {
      return remembered.own();
    },
    ownedFolders: new Map(),
    become: () => ({
      host: draft.host,
      sources: sources.now(),
      processes: processes.now(),
      pidLooks: pidLooks.now(),
      namespaceLooks: namespaceLooks.now(),
      claims: claims.now(),
      childlessSince: childlessSince.now(),
      folders: draft.folders,
      foldersLeftOut: draft.foldersLeftOut,
      registries: registries.now(),
      hookSetups: hookSetups.now(),
      hooks: draft.hooks,
      sandboxes: draft.sandboxes,
      remembered: remembered.now(),
    }),
    // Most batches need neither.
    get instancesByPid() {
      return (instancesByPid ??= indexInstances(draft));
    },
    get recordsByPid() {
      return (recordsByPid ??= indexRecords(draft));
    },
  };
  return draft;
}

/** The state that the draft has become, without its indexes. */
export function monitorOf(draft: Draft): Monitor {
  return draft.become();
}

interface Copy<Key, Value> {
  /** That may be changed. */
  readonly own: () => Map<Key, Value>;
  /** As it is now, copied or not. */
  readonly now: () => ReadonlyMap<Key, Value>;
}

/** Most batches touch few maps, and a copy of hundreds of entries costs more than most of what is folded. */
function copyWhenAsked<Key, Value>(from: ReadonlyMap<Key, Value>): Copy<Key, Value> {
  let copy: Map<Key, Value> | undefined;
  return { own: () => (copy ??= copyOf(from)), now: () => copy ?? from };
}

/** Without a pair for each entry, which the constructor would make. */
function copyOf<Key, Value>(from: ReadonlyMap<Key, Value>): Map<Key, Value> {
  const copy = new Map<Key, Value>();
  from.forEach((value, key) => copy.set(key, value));
  return copy;
}

export function folderOf(draft: Draft, configDir: string): Mutable<ConfigFolder> {
  const owned = draft.ownedFolders.get(configDir);
  if (owned !== undefined) return owned;
  const folder = draft.folders.get(configDir) ?? emptyFolder;
  const copy = {
    ...folder,
    records: copyOf(folder.records),
    transcripts: copyOf(folder.transcripts),
    subagents: copyOf(folder.subagents),
  };
  draft.ownedFolders.set(configDir, copy);
  draft.folders.set(configDir, copy);
  return copy;
}

export function remember(draft: Draft, instance: ProcessInstance, memory: ProcessMemory): void {
  draft.processes.set(instance, memory);
  indexPid(draft.instancesByPid, memory.facts.pid, instance);
}

export function indexRecord(draft: Draft, configDir: string, file: string, record: PidRecord | undefined): void {
  addRecord(draft.recordsByPid, configDir, file, record);
}

function indexInstances({ processes }: Pick<Draft, "processes">): Map<number, Set<ProcessInstance>> {
  const index = new Map<number, Set<ProcessInstance>>();
  for (const [instance, { facts }] of processes) indexPid(index, facts.pid, instance);
  return index;
}

function indexRecords({ folders }: Pick<Draft, "folders">): Map<number, Map<string, string>> {
  const index = new Map<number, Map<string, string>>();
  for (const [configDir, { records }] of folders)
    for (const [file, { known }] of records) addRecord(index, configDir, file, valueOf(known));
  return index;
}

function addRecord(
  index: Map<number, Map<string, string>>,
  configDir: string,
  file: string,
  record: PidRecord | undefined,
): void {
  if (record === undefined) return;
  const files = index.get(record.pid);
  if (files === undefined) index.set(record.pid, new Map([[file, configDir]]));
  else files.set(file, configDir);
}

function indexPid(index: Map<number, Set<ProcessInstance>>, pid: number, instance: ProcessInstance): void {
  const instances = index.get(pid);
  if (instances === undefined) index.set(pid, new Set([instance]));
  else instances.add(instance);
}
