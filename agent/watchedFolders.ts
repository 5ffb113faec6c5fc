// The config folders that are watched, and for whom: those that the agent began with stay; those that clients named or
// that a process was seen to use go again when nobody needs them, so that they are not asked for ever. One that cannot
// be reached is not one that nobody needs: it stays as last known. Bounded in number; what is over is told. How one is
// watched is `observe/configFolder.ts`, when one is gone `observe/folderPresence.ts`.
import type { EpochMs, Scheduler } from "../base/clock.ts";
import { limits, recentMs } from "../base/limits.ts";
import type { Log } from "../base/node/log.ts";
import { unobserved } from "../protocol/observation.ts";
import type { MonitorEvent } from "./core/monitorEvent.ts";
import { ConfigFolderObserver } from "./observe/configFolder.ts";
import { hostFiles, type FolderFiles } from "./observe/folderFiles.ts";
import type { KeptReads } from "./observe/keptReads.ts";
import { FolderPresence } from "./observe/folderPresence.ts";

/** A folder that only clients named is watched on for this long: they come and go. */
const lingerMs = 10 * 60_000;
/** One that was removed stays as long as a row that ended. */
const goneMs = 30_000;

/** Who needs a folder: the agent's own start, a client (any object), or a process that uses it. */
export type FolderNeed = "start" | "process" | object;

export interface WatchedFoldersOptions {
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  readonly interesting: () => ReadonlySet<string>;
  readonly keptReads?: KeptReads | undefined;
  /** Undefined for a folder of the host. */
  readonly sandboxFiles: (configDir: string) => FolderFiles | undefined;
  readonly releaseSandbox: (configDir: string) => Promise<void>;
  /** Those of sandboxes that are too many. */
  readonly sandboxesLeftOut: () => ReadonlySet<string>;
}

interface Watched {
  readonly observer: ConfigFolderObserver;
  readonly isSandboxed: boolean;
  readonly presence: FolderPresence;
  readonly needs: Set<FolderNeed>;
  /** What a process used is of interest for as long as its sessions are recent. */
  wasUsed: boolean;
  neededAt: EpochMs;
  goneSince: EpochMs | undefined;
}

export class WatchedFolders {
  private readonly options: WatchedFoldersOptions;
  private readonly folders = new Map<string, Watched>();
  /** Not watched since too many are; of each who asks for it, undefined for one that made room. */
  private readonly leftOut = new Map<string, FolderNeed | undefined>();
  private toldLeftOut = "";
  private running = false;

  constructor(options: WatchedFoldersOptions) {
    this.options = options;
  }

  get all(): readonly ConfigFolderObserver[] {
    return [...this.folders.values()].map(({ observer }) => observer);
  }

  get names(): readonly string[] {
    return [...this.folders.keys()];
  }

  /** Those of this host. */
  get hostNames(): readonly string[] {
    return [...this.folders].flatMap(([configDir, { isSandboxed }]) => (isSandboxed ? [] : [configDir]));
  }

  /** Those of this host that somebody named, and that no process alone made known. */
  get named(): readonly string[] {
    return [...this.folders].flatMap(([configDir, { isSandboxed, needs }]) =>
      !isSandboxed && [...needs].some((need) => need !== "process") ? [configDir] : [],
    );
  }

  /** Watches these too; those that are watched already are needed by one more. Returns the new ones. */
  add(configDirs: readonly string[], need: FolderNeed): readonly ConfigFolderObserver[] {
    const added: ConfigFolderObserver[] = [];
    for (const configDir of configDirs) {
      const known = this.folders.get(configDir);
      if (known !== undefined) {
        known.needs.add(need);
        known.wasUsed ||= need === "process";
      } else if (need === "start" || this.hasRoom()) {
        this.leftOut.delete(configDir);
        added.push(this.watch(configDir, need));
      } else if (this.leftOut.size < limits.skippedEntries) this.leftOut.set(configDir, need);
    }
    this.tellLeftOut();
    return added;
  }

  /** This one needs nothing any more. */
  drop(need: FolderNeed): void {
    for (const { needs } of this.folders.values()) needs.delete(need);
    for (const [configDir, of] of [...this.leftOut]) if (of === need) this.leftOut.delete(configDir);
    this.tellLeftOut();
  }

  /** Lets those go that nobody needs. @param used folders in which a process lives */
  async keep(used: ReadonlySet<string>): Promise<void> {
    for (const [configDir, need] of [...this.leftOut])
      if (need === "process" && !used.has(configDir)) this.leftOut.delete(configDir);
    this.tellLeftOut();
    await Promise.all([...this.folders].map(([configDir, folder]) => this.keepOne(configDir, folder, used)));
  }

  start(): void {
    this.running = true;
    for (const { observer } of this.folders.values()) observer.start();
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.all.map((observer) => observer.stop()));
  }

  private async keepOne(configDir: string, folder: Watched, used: ReadonlySet<string>): Promise<void> {
    if (used.has(configDir) || [...folder.needs].some((need) => need !== "process")) {
      folder.neededAt = this.options.scheduler.now();
      folder.goneSince = undefined;
      // Only of one that was seen it can be told later that it is gone.
      if (!folder.isSandboxed && !folder.needs.has("start") && !folder.presence.wasSeen) await folder.presence.look();
      return;
    }
    folder.needs.delete("process");
    if (folder.isSandboxed || (await this.isDone(folder))) this.leave(configDir, folder);
  }

  /** True for a folder of this host that nobody needs any more, by what a look at it says now. */
  private async isDone(folder: Watched): Promise<boolean> {
    const presence = await folder.presence.look();
    const now = this.options.scheduler.now();
    folder.goneSince = presence === "gone" ? (folder.goneSince ?? now) : undefined;
    switch (presence) {
      case "gone":
        return now - (folder.goneSince ?? now) >= goneMs;
      case "there":
        return now - folder.neededAt > (folder.wasUsed ? recentMs : lingerMs);
      case "unseen":
        return now - folder.neededAt > lingerMs;
      case "cannot-tell":
        return false;
    }
  }

  /** Where all places are taken the one that nobody needs for longest makes room. */
  private hasRoom(): boolean {
    if (this.folders.size < limits.addedFolders) return true;
    const [longest] = [...this.folders]
      .filter(([, { needs }]) => needs.size === 0)
      .sort(([, a], [, b]) => a.neededAt - b.neededAt);
    if (longest === undefined) return false;
    this.leave(...longest);
    this.leftOut.set(longest[0], undefined);
    return true;
  }

  private tellLeftOut(): void {
    const folders = [...new Set([...this.leftOut.keys(), ...this.options.sandboxesLeftOut()])].sort();
    const told = folders.join("\n");
    if (told === this.toldLeftOut) return;
    this.toldLeftOut = told;
    if (folders.length > 0)
      this.options.log.warn(`${folders.length} config folders are not watched: too many are already`);
    this.options.emit([{ kind: "folders-left-out", configDirs: folders }]);
  }

  private watch(configDir: string, need: FolderNeed): ConfigFolderObserver {
    const { scheduler, log, emit, interesting } = this.options;
    const sandboxed = this.options.sandboxFiles(configDir);
    const files = sandboxed ?? hostFiles(configDir);
    // A sandbox's path may be another file here.
    const keptReads = sandboxed === undefined ? this.options.keptReads : undefined;
    const observer = new ConfigFolderObserver({ configDir, files, scheduler, log, emit, interesting, keptReads });
    const now = scheduler.now();
    this.folders.set(configDir, {
      observer,
      isSandboxed: sandboxed !== undefined,
      presence: new FolderPresence(configDir),
      needs: new Set([need]),
      wasUsed: need === "process",
      neededAt: now,
      goneSince: undefined,
    });
    // One millisecond older than every answer, so that the first one counts.
    const notYet = "no answer yet";
    emit([
      {
        kind: "pid-record-listing",
        configDir,
        listing: unobserved(`pid-records:${configDir}`, now - 1, notYet),
      },
      {
        kind: "transcript-listing",
        configDir,
        listing: unobserved(`transcripts:${configDir}`, now - 1, notYet),
      },
    ]);
    if (this.running) observer.start();
    return observer;
  }

  private leave(configDir: string, folder: Watched): void {
    // Somebody may have asked for it, or it may have been left, while it was looked at.
    if (folder.needs.size > 0 || this.folders.get(configDir) !== folder) return;
    this.folders.delete(configDir);
    this.end(configDir, folder).catch((error: unknown) => this.options.log.warn(`leaving ${configDir}`, error));
  }

  /** What only a sandbox had cannot be read again: it is looked at once more, and what it said is kept. */
  private async end(configDir: string, { observer, isSandboxed }: Watched): Promise<void> {
    if (isSandboxed) {
      await observer.scanRecords();
      await observer.scanTranscripts();
    }
    await observer.stop();
    await this.options.releaseSandbox(configDir);
    const at = this.options.scheduler.now();
    this.options.emit([{ kind: "folder-left", configDir, at, isKept: isSandboxed }]);
    this.options.log.info(`${configDir} is no longer watched: nobody needs it and nothing lives there`);
  }
}
