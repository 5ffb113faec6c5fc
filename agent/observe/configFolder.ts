// One config folder of a coding agent: its session records and its transcripts, on file events at once and on a
// poll, since events do not cross every file system. A folder that is not there yet is looked for more often.
import { join } from "node:path";
import type { Scheduler, Timer } from "../../base/clock.ts";
import { limits, periods } from "../../base/limits.ts";
import type { Log } from "../../base/node/log.ts";
import type { MonitorEvent } from "../core/monitorEvent.ts";
import type { FolderFiles } from "./folderFiles.ts";
import type { KeptReads } from "./keptReads.ts";
import { KeptWatch } from "./keptWatch.ts";
import { HookSetups } from "./hookSetups.ts";
import { PidRecords } from "./pidRecords.ts";
import { SingleFlight } from "./singleFlight.ts";
import { Transcripts } from "./transcripts.ts";

const missingFolderPollMs = 500;
/** After so many looks one that is not there is looked for as often as any. */
const eagerLooks = 600;
/** A new folder's first file may be written before its events arrive. */
const newFolderRescanMs = 300;

export interface ConfigFolderOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  readonly interesting: () => ReadonlySet<string>;
  readonly keptReads?: KeptReads | undefined;
}

export class ConfigFolderObserver {
  private readonly options: ConfigFolderOptions;
  private readonly records: PidRecords;
  private readonly transcripts: Transcripts;
  private readonly hookSetups: HookSetups;
  private readonly recordScans: SingleFlight;
  private readonly transcriptScans: SingleFlight;
  private readonly recordWatch: KeptWatch;
  private readonly transcriptWatch: KeptWatch;
  private readonly subagentWatches = new Map<string, KeptWatch>();
  private readonly timers = new Map<string, Timer>();
  private presence = { records: false, transcripts: false };
  private running = false;

  constructor(options: ConfigFolderOptions) {
    this.options = options;
    const { configDir, files, scheduler, log, emit, interesting, keptReads } = options;
    const now = (): number => scheduler.now();
    const onFault = (error: unknown): void => log.warn(`looking at ${configDir} failed`, error);
    this.records = new PidRecords({ configDir, files, now, emit });
    this.transcripts = new Transcripts({ configDir, files, now, emit, interesting, keptReads, onFault });
    this.hookSetups = new HookSetups({ configDir, files, now, emit });
    this.recordScans = new SingleFlight(async () => {
      await this.hookSetups.scan();
      this.presence.records = (await this.records.scan()) === "present";
    }, onFault);
    this.transcriptScans = new SingleFlight(async () => {
      this.presence.transcripts = (await this.transcripts.scan()) === "present";
    }, onFault);
    this.recordWatch = this.watch(this.records.folder, 0, () => void this.recordScans.run());
    this.transcriptWatch = this.watch(
      this.transcripts.folder,
      1,
      (folder, name) => void this.transcriptEvent(folder, name),
    );
  }

  start(): void {
    this.running = true;
    this.poll("records", () => this.pollRecords());
    this.poll("transcripts", () => this.pollTranscripts());
  }

  scanRecords(): Promise<void> {
    return this.recordScans.run();
  }

  scanTranscripts(): Promise<void> {
    return this.transcriptScans.run();
  }

  readOthers(): Promise<readonly MonitorEvent[]> {
    return this.transcripts.readOthers();
  }

  get watchedFolders(): number {
    const below = [...this.subagentWatches.values()].reduce((sum, watch) => sum + watch.folderCount, 0);
    return this.recordWatch.folderCount + this.transcriptWatch.folderCount + below;
  }

  get followedTranscripts(): number {
    return this.transcripts.followedCount;
  }

  async stop(): Promise<void> {
    this.running = false;
    for (const timer of this.timers.values()) timer.cancel();
    const below = [...this.subagentWatches.values()];
    this.subagentWatches.clear();
    await Promise.all([this.recordWatch, this.transcriptWatch, ...below].map((watch) => watch.dispose()));
  }

  private async pollRecords(): Promise<boolean> {
    await this.recordScans.run();
    await this.recordWatch.keep(this.presence.records && this.options.files.hasEvents);
    return this.presence.records;
  }

  private async pollTranscripts(): Promise<boolean> {
    await this.transcriptScans.run();
    await this.transcriptWatch.keep(this.presence.transcripts && this.options.files.hasEvents);
    await this.keepSubagentWatches();
    return this.presence.transcripts;
  }

  /** File events of the transcripts' folders do not reach below a session's own folder. */
  private async keepSubagentWatches(): Promise<void> {
    const folders = new Set(this.transcripts.subagentFolders.slice(0, limits.subagentFoldersWatched));
    for (const [folder, watch] of [...this.subagentWatches]) {
      if (folders.has(folder)) continue;
      this.subagentWatches.delete(folder);
      await watch.dispose();
    }
    for (const folder of folders) {
      if (!this.running) return;
      const known = this.subagentWatches.get(folder);
      const watch =
        known ?? this.watch(folder, limits.subagentDepth, (changed) => void this.transcripts.touchBelow(changed));
      if (known === undefined) this.subagentWatches.set(folder, watch);
      await watch.keep(true);
    }
  }

  private async transcriptEvent(folder: string, name: string): Promise<void> {
    if (name.endsWith(".jsonl") && folder !== this.transcripts.folder) {
      await this.transcripts.touch(join(folder), name);
      return;
    }
    await this.transcriptScans.run();
    await this.keepSubagentWatches();
    if (this.running)
      this.timers.set(
        "rescan",
        this.options.scheduler.after(newFolderRescanMs, () => void this.pollTranscripts()),
      );
  }

  private get pollMs(): number {
    return this.options.files.hasEvents ? periods.polledFolderMs : periods.sandboxFolderMs;
  }

  private watch(folder: string, depth: number, onChange: (folder: string, name: string) => void): KeptWatch {
    return new KeptWatch(folder, {
      depth,
      look: this.options.files.look,
      onChange,
      onFault: (error) => this.options.log.warn(`file events of ${folder} failed; it is polled`, error),
    });
  }

  private poll(name: string, scan: () => Promise<boolean>): void {
    let missed = 0;
    const round = async (): Promise<void> => {
      const present = await scan();
      missed = present ? 0 : missed + 1;
      const delayMs = present || missed > eagerLooks ? this.pollMs : missingFolderPollMs;
      if (this.running)
        this.timers.set(
          name,
          this.options.scheduler.after(delayMs, () => void round()),
        );
    };
    void round();
  }
}
