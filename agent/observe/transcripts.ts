// The transcripts of one config folder. Those touched within a day, and those of sessions that live, are
// followed; the rest are only counted until somebody asks for all. Folders are listed again when their own
// time changed; a followed file is read when an event or its size and time say that it changed.
import { basename, dirname, join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { LstatFile } from "../../base/node/fileStats.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { MonitorEvent, TranscriptFacts, TranscriptListing } from "../core/monitorEvent.ts";
import type { FolderFiles } from "./folderFiles.ts";
import { SingleFlight } from "./singleFlight.ts";
import { TranscriptReader } from "./transcriptReader.ts";

/** Within so short a time after a change another one may bear the same time. */
const sameTimeMs = 2_000;
/** Followed files that nobody works on are looked at this much more rarely. */
const quietScans = 12;

export interface TranscriptsOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly now: () => number;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  /** Conversations that a process or a record names; they are followed however old. */
  readonly interesting: () => ReadonlySet<string>;
  readonly onFault: (error: unknown) => void;
}

interface KnownFile {
  readonly path: string;
  modifiedAt: number;
  identity: string;
  reader: TranscriptReader | undefined;
  /** Reads of one file never overlap. */
  readonly flight: SingleFlight;
}

interface KnownFolder {
  /** The folder's own time when it was listed whole; undefined where it has to be listed again. */
  listedAs: number | undefined;
  readonly files: Map<string, KnownFile>;
}

export class Transcripts {
  readonly folder: string;
  private readonly options: TranscriptsOptions;
  private readonly source: SourceId;
  private readonly folders = new Map<string, KnownFolder>();
  private seen = false;
  private scans = 0;
  private lstat: LstatFile;

  constructor(options: TranscriptsOptions) {
    this.options = options;
    this.lstat = options.files.look;
    this.folder = join(options.configDir, "projects");
    this.source = `transcripts:${options.configDir}`;
  }

  get followedCount(): number {
    let count = 0;
    for (const { files } of this.folders.values())
      for (const file of files.values()) count += file.reader === undefined ? 0 : 1;
    return count;
  }

  /** Lists what is there and reads what changed. */
  async scan(): Promise<"present" | "missing"> {
    const at = this.options.now();
    const { configDir } = this.options;
    const report = (listing: Observation<TranscriptListing>): void =>
      this.options.emit([{ kind: "transcript-listing", configDir, listing }]);
    const foldersBefore = [...this.folders.keys()];
    let names: readonly string[];
    try {
      const entries = await this.options.files.list(this.folder);
      names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    } catch (error) {
      const missing = errorCode(error) === "ENOENT";
      if (missing && !this.seen) report(absent(this.source, at));
      else
        report(
          unobserved(this.source, at, missing ? `${this.folder}: gone after having been seen` : describeError(error)),
        );
      return "missing";
    }
    this.seen = true;
    this.lstat = await this.options.files.looksAt(this.folder);
    const present = new Set(names.map((name) => join(this.folder, name)));
    for (const folder of foldersBefore) if (!present.has(folder)) this.forgetFolder(folder);
    const faults: string[] = [];
    for (const folder of present) {
      const fault = await this.listFolder(folder);
      if (fault !== undefined) faults.push(fault);
    }
    await this.readChanged(this.scans % quietScans === 0);
    this.scans += 1;
    const [fault] = faults;
    report(fault === undefined ? observed(this.source, at, this.listing()) : unobserved(this.source, at, fault));
    return "present";
  }

  /** One file that an event named. */
  async touch(folder: string, name: string): Promise<void> {
    if (!isTranscript(name) || dirname(folder) !== this.folder) return;
    const known = this.knownFolder(folder);
    const path = join(folder, name);
    const file = known.files.get(path) ?? this.newFile(path, this.options.now());
    known.files.set(path, file);
    await file.flight.run();
  }

  /** Events for every transcript that is not followed, read once and not kept. */
  async readOthers(): Promise<readonly MonitorEvent[]> {
    const events: MonitorEvent[] = [];
    for (const { files } of this.folders.values()) {
      for (const [path, file] of files) {
        if (file.reader !== undefined) continue;
        const reader = new TranscriptReader(path, this.source, this.options.files.open);
        const transcript = await this.patiently(() => reader.read(this.options.now()));
        events.push({ kind: "transcript", configDir: this.options.configDir, path, transcript });
      }
    }
    return events;
  }

  private listing(): TranscriptListing {
    const recent = new Set<string>();
    let older = 0;
    for (const { files } of this.folders.values()) {
      for (const [path, file] of files) {
        if (file.reader === undefined) older += 1;
        else recent.add(path);
      }
    }
    return { recent, older };
  }

  /** The fault in words where the folder could not be listed; its files stay as known. */
  private async listFolder(folder: string): Promise<string | undefined> {
    try {
      const { mtimeMs } = await this.lstat(folder);
      const known = this.knownFolder(folder);
      if (known.listedAs === mtimeMs) return undefined;
      known.listedAs = undefined;
      // What an event adds from here on is not in this listing and is there.
      const before = [...known.files.keys()];
      const entries = await this.options.files.list(folder);
      const present = new Set<string>();
      for (const entry of entries) {
        if (!entry.isFile() || !isTranscript(entry.name)) continue;
        const path = join(folder, entry.name);
        present.add(path);
        if (!known.files.has(path)) await this.addFile(known, path);
      }
      for (const path of before) if (!present.has(path)) this.forget(known, path);
      if (this.options.now() - mtimeMs > sameTimeMs) known.listedAs = mtimeMs;
      return undefined;
    } catch (error) {
      return `${folder}: ${describeError(error)}`;
    }
  }

  private knownFolder(folder: string): KnownFolder {
    const known = this.folders.get(folder) ?? { listedAs: undefined, files: new Map<string, KnownFile>() };
    this.folders.set(folder, known);
    return known;
  }

  /** @throws the system's error for a file that could not be looked at, which is no old one */
  private async addFile(known: KnownFolder, path: string): Promise<void> {
    try {
      const { mtimeMs } = await this.lstat(path);
      if (!known.files.has(path)) known.files.set(path, this.newFile(path, mtimeMs));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }

  private newFile(path: string, modifiedAt: number): KnownFile {
    const flight = new SingleFlight(() => this.readFile(file), this.options.onFault);
    const file: KnownFile = { path, modifiedAt, identity: "", reader: undefined, flight };
    return file;
  }

  private forget(folder: KnownFolder, path: string): void {
    folder.files.delete(path);
    const transcript = absent<never>(this.source, this.options.now());
    this.options.emit([{ kind: "transcript", configDir: this.options.configDir, path, transcript }]);
  }

  private forgetFolder(folder: string): void {
    const known = this.knownFolder(folder);
    for (const path of [...known.files.keys()]) this.forget(known, path);
    this.folders.delete(folder);
  }

  private async readChanged(quietOnesToo: boolean): Promise<void> {
    const interesting = this.options.interesting();
    const since = this.options.now() - recentMs;
    const first: KnownFile[] = [];
    const due: KnownFile[] = [];
    for (const { files } of this.folders.values()) {
      for (const [path, file] of files) {
        const named = interesting.has(basename(path, ".jsonl"));
        if (named) first.push(file);
        else if (file.modifiedAt >= since && (file.reader === undefined || quietOnesToo)) due.push(file);
      }
    }
    due.sort((a, b) => b.modifiedAt - a.modifiedAt);
    // Those of named conversations before all others, and of the others the newest.
    const queue = [...first, ...due.slice(0, limits.transcriptsFollowed)];
    const workers = Array.from({ length: limits.transcriptReadsAtOnce }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.readIfChanged(next);
    });
    await Promise.all(workers);
  }

  private async readIfChanged(file: KnownFile): Promise<void> {
    if (file.reader !== undefined) {
      const { identity } = await this.stat(file.path);
      if (identity === file.identity && identity !== "") return;
    }
    await file.flight.run();
  }

  private async readFile(file: KnownFile): Promise<void> {
    const at = this.options.now();
    const before = await this.stat(file.path);
    const reader = (file.reader ??= new TranscriptReader(file.path, this.source, this.options.files.open));
    const transcript = await this.patiently(() => reader.read(at));
    // A failed read leaves no identity, so that the next scan tries again.
    file.identity = transcript.kind === "observed" ? before.identity : "";
    if (before.identity !== "") file.modifiedAt = before.modifiedAt;
    this.options.emit([{ kind: "transcript", configDir: this.options.configDir, path: file.path, transcript }]);
  }

  /** An empty identity never equals a real one: a file that could not be looked at counts as changed. */
  private async stat(path: string): Promise<{ readonly modifiedAt: number; readonly identity: string }> {
    try {
      const stat = await this.lstat(path);
      return { modifiedAt: stat.mtimeMs, identity: `${stat.ino}:${stat.size}:${stat.mtimeMs}` };
    } catch {
      return { modifiedAt: 0, identity: "" };
    }
  }

  private async patiently(read: () => Promise<Observation<TranscriptFacts>>): Promise<Observation<TranscriptFacts>> {
    try {
      return await this.options.files.wait(read);
    } catch (error) {
      return unobserved(this.source, this.options.now(), describeError(error));
    }
  }
}

function isTranscript(name: string): boolean {
  return name.endsWith(".jsonl") && name.length <= 255;
}
