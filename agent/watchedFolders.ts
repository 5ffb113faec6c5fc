// The config folders that are watched, and for whom: those that the agent began with stay; those that clients named or
// that a process was seen to use go again when nobody needs them, so that they are not asked for ever. Bounded in
// number. How one is watched is `observe/configFolder.ts`.
import type { Scheduler } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { Log } from "../base/node/log.ts";
import { unobserved } from "../protocol/observation.ts";
import type { MonitorEvent } from "./core/monitorEvent.ts";
import { ConfigFolderObserver } from "./observe/configFolder.ts";
import { hostFiles, type FolderFiles } from "./observe/folderFiles.ts";

/** A folder of the host that nobody needs is watched on for this long: clients come and go. */
const lingerMs = 10 * 60_000;

/** Who needs a folder: the agent's own start, a client (any object), or a process that uses it. */
export type FolderNeed = "start" | "process" | object;

export interface WatchedFoldersOptions {
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  readonly interesting: () => ReadonlySet<string>;
  /** Undefined for a folder of the host. */
  readonly sandboxFiles: (configDir: string) => FolderFiles | undefined;
  readonly releaseSandbox: (configDir: string) => Promise<void>;
}

interface Watched {
  readonly observer: ConfigFolderObserver;
  readonly isSandboxed: boolean;
  readonly needs: Set<FolderNeed>;
  neededAt: number;
}

export class WatchedFolders {
  private readonly options: WatchedFoldersOptions;
  private readonly folders = new Map<string, Watched>();
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

  /** Watches these too; those that are watched already are needed by one more. Returns the new ones. */
  add(configDirs: readonly string[], need: FolderNeed): readonly ConfigFolderObserver[] {
    const added: ConfigFolderObserver[] = [];
    for (const configDir of configDirs) {
      const known = this.folders.get(configDir);
      if (known !== undefined) {
        known.needs.add(need);
        continue;
      }
      if (need !== "start" && this.folders.size >= limits.addedFolders) {
        this.options.log.warn(`${configDir} is not watched: ${limits.addedFolders} folders are`);
        continue;
      }
      added.push(this.watch(configDir, need));
    }
    return added;
  }

  /** This one needs nothing any more. */
  drop(need: FolderNeed): void {
    for (const { needs } of this.folders.values()) needs.delete(need);
  }

  /** Lets those go that nobody needs. @param used folders in which a process lives */
  keep(used: ReadonlySet<string>): void {
    const now = this.options.scheduler.now();
    for (const [configDir, folder] of [...this.folders]) {
      if (used.has(configDir) || [...folder.needs].some((need) => need !== "process")) {
        folder.neededAt = now;
        continue;
      }
      folder.needs.delete("process");
      if (folder.isSandboxed || now - folder.neededAt > lingerMs)
        this.leave(configDir, folder).catch((error: unknown) => this.options.log.warn(`leaving ${configDir}`, error));
    }
  }

  start(): void {
    this.running = true;
    for (const { observer } of this.folders.values()) observer.start();
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.all.map((observer) => observer.stop()));
  }

  private watch(configDir: string, need: FolderNeed): ConfigFolderObserver {
    const { scheduler, log, emit, interesting } = this.options;
    const sandboxed = this.options.sandboxFiles(configDir);
    const files = sandboxed ?? hostFiles(configDir);
    const observer = new ConfigFolderObserver({ configDir, files, scheduler, log, emit, interesting });
    const now = scheduler.now();
    this.folders.set(configDir, {
      observer,
      isSandboxed: sandboxed !== undefined,
      needs: new Set([need]),
      neededAt: now,
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

  /** What only a sandbox had cannot be read again: it is looked at once more, and what it said is kept. */
  private async leave(configDir: string, { observer, isSandboxed }: Watched): Promise<void> {
    this.folders.delete(configDir);
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
