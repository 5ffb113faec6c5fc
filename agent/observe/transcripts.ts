// The transcripts of one config folder. Those touched within a day, and those of sessions that somebody works on, are
// followed; the rest are only counted until somebody asks for all. A followed file is read when an event or its size
// and time say that it changed. However many there are: so many are shown, fewer are followed, and of the rest some are
// looked at in each round. Which files there are is `transcriptFolder.ts`.
import type { Stats } from "node:fs";
import { join, sep } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { LstatFile } from "../../base/node/fileStats.ts";
import { fileIdentity } from "../../base/node/readBounded.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { MonitorEvent, TranscriptFacts, TranscriptListing } from "../core/monitorEvent.ts";
import { carefulReach, type FolderFiles, type Reach } from "./folderFiles.ts";
import { inParallel } from "./inParallel.ts";
import type { KeptReads } from "./keptReads.ts";
import { SingleFlight } from "./singleFlight.ts";
import { Subagents } from "./subagents.ts";
import { isSessionFile, TranscriptFolder } from "./transcriptFolder.ts";
import { TranscriptReader, unreadTranscript } from "./transcriptReader.ts";

/** Followed files that nobody works on are looked at this much more rarely. */
const quietScans = 12;

export interface TranscriptsOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly now: () => number;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  /** Conversations that a process or a record names; they are followed however old. */
  readonly interesting: () => ReadonlySet<string>;
  /** What files of this host said when an earlier process read them. */
  readonly keptReads?: Pick<KeptReads, "find" | "note"> | undefined;
  readonly onFault: (error: unknown) => void;
}

interface ShownFile {
  readonly path: string;
  modifiedAt: number;
  identity: string;
  /** Undefined where it is one of too many: it was read once, and is read again when it changes. */
  reader: TranscriptReader | undefined;
  /** As its listing found it, for the read that follows at once. */
  justSeen: Stats | undefined;
  /** Reads of one file never overlap. */
  readonly flight: SingleFlight;
}

type Folder = TranscriptFolder<ShownFile>;

export class Transcripts {
  readonly folder: string;
  private readonly options: TranscriptsOptions;
  private readonly source: SourceId;
  private readonly folders = new Map<string, Folder>();
  private readonly subagents: Subagents;
  private seen = false;
  private scans = 0;
  private reach: Reach;
  private quietCursor = 0;
  private toldReadOver = "";
  /** True when a file that nobody follows came or changed since the last choice of what to follow. */
  private chooseAgain = true;

  constructor(options: TranscriptsOptions) {
    this.options = options;
    this.reach = carefulReach(options.files.look, options.files.open);
    this.folder = join(options.configDir, "projects");
    this.source = `transcripts:${options.configDir}`;
    this.subagents = new Subagents({ ...options, source: this.source, has: (path) => this.reach.has(path) });
  }

  get followedCount(): number {
    let count = 0;
    for (const { followed } of this.folders.values())
      for (const file of followed.values()) count += file.reader === undefined ? 0 : 1;
    return count;
  }

  /** Lists what is there and reads what changed. */
  async scan(): Promise<"present" | "missing"> {
    const at = this.options.now();
    const { configDir } = this.options;
    const report = (listing: Observation<TranscriptListing>): void =>
      this.options.emit([{ kind: "transcript-listing", configDir, listing }]);
    let names: readonly string[];
    try {
      const entries = await this.options.files.list(this.folder);
      names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
      this.linkedFolders = entries.filter((entry) => entry.isSymbolicLink()).length;
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
    this.reach = await this.options.files.reach(this.folder);
    const fault = await this.listFolders(names.map((name) => join(this.folder, name)));
    await this.lookAtQuiet();
    const interesting = this.options.interesting();
    await this.readChanged(interesting, this.scans % quietScans === 0);
    await this.subagents.scan(this.namedFolders(interesting));
    this.scans += 1;
    this.tellReadOver();
    report(
      fault === undefined ? observed(this.source, at, this.listing(interesting)) : unobserved(this.source, at, fault),
    );
    return "present";
  }

  /** One file that an event named. */
  async touch(folder: string, name: string): Promise<void> {
    const known = this.folders.get(folder);
    const isProject = known !== undefined || join(folder, "..") === this.folder;
    if (!isProject || !isSessionFile(name)) return;
    const at = known ?? this.knownFolder(folder);
    if (!at.followed.has(name) && !(await isPlainFile(join(folder, name), this.reach.lstat))) return;
    const file = this.follow(at, name, this.options.now());
    await file.flight.run();
    await this.subagents.touch(idOf(name));
  }

  /** Something changed below a session's own folder. */
  async touchBelow(path: string): Promise<void> {
    const session = this.subagents.sessionOf(path);
    if (session !== undefined) await this.subagents.touch(session);
  }

  /** The folders of sessions that somebody works on and that have subagents. */
  get subagentFolders(): readonly string[] {
    return this.subagents.folders;
  }

  /** Events for every transcript that is not followed, read once and not kept; by its name where time runs out. */
  async readOthers(): Promise<readonly MonitorEvent[]> {
    const { configDir, now } = this.options;
    const others: { readonly path: string; readonly modifiedAt: number }[] = [];
    for (const { path, quiet } of this.folders.values())
      for (const [name, modifiedAt] of quiet) others.push({ path: join(path, name), modifiedAt });
    others.sort((a, b) => b.modifiedAt - a.modifiedAt);
    const until = now() + limits.readAllDeadlineMs;
    const events: MonitorEvent[] = [];
    await inParallel(others, limits.transcriptReadsAtOnce, async ({ path, modifiedAt }) => {
      const at = now();
      const transcript =
        at < until
          ? await this.patiently(() => this.glance(path).read(at))
          : observed(this.source, at, unreadTranscript(path, modifiedAt));
      events.push({ kind: "transcript", configDir, path, transcript });
    });
    return events;
  }

  private linkedFolders = 0;

  private glance(path: string): TranscriptReader {
    return new TranscriptReader(path, this.source, {
      openFile: (file) => this.reach.open(file),
      tailCapBytes: limits.glanceTailBytes,
    });
  }

  /** The first fault in words; files of a folder that could not be listed stay as known. */
  private async listFolders(top: readonly string[]): Promise<string | undefined> {
    const faults: string[][] = top.map(() => []);
    const present = new Set<string>();
    const list = async (path: string, index: number): Promise<void> => {
      const folder = this.knownFolder(path);
      const listed = await folder.list(this.options, this.reach.lstat);
      if (listed.kind === "fault") faults[index]?.push(listed.cause);
      if (listed.kind !== "listed") return;
      this.chooseAgain ||= listed.appeared;
      for (const name of listed.gone) this.forget(folder, name);
    };
    for (const path of top) this.knownFolder(path);
    await inParallel(top, this.reach.isOwnDisk ? limits.folderListsAtOnce : 1, async (path, index) => {
      present.add(path);
      await list(path, index);
      for (const nested of this.knownFolder(path).nested) {
        present.add(nested);
        await list(nested, index);
      }
    });
    for (const [path, folder] of [...this.folders]) {
      if (present.has(path)) continue;
      for (const name of [...folder.followed.keys()]) this.forget(folder, name);
      this.folders.delete(path);
    }
    return faults.flat()[0];
  }

  private knownFolder(path: string): Folder {
    const known = this.folders.get(path) ?? new TranscriptFolder<ShownFile>(path);
    this.folders.set(path, known);
    return known;
  }

  private follow(folder: Folder, name: string, modifiedAt: number): ShownFile {
    const known = folder.followed.get(name);
    if (known !== undefined) return known;
    const flight = new SingleFlight(() => this.readFile(file), this.options.onFault);
    const justSeen = folder.justSeen.get(name);
    const file: ShownFile = {
      path: join(folder.path, name),
      modifiedAt,
      identity: "",
      reader: undefined,
      justSeen,
      flight,
    };
    folder.followed.set(name, file);
    folder.quiet.delete(name);
    return file;
  }

  private forget(folder: Folder, name: string): void {
    folder.quiet.delete(name);
    if (!folder.followed.delete(name)) return;
    const transcript = absent<never>(this.source, this.options.now());
    const path = join(folder.path, name);
    this.options.emit([{ kind: "transcript", configDir: this.options.configDir, path, transcript }]);
  }

  /** A change that no event told is found in some rounds. */
  private async lookAtQuiet(): Promise<void> {
    const all: { readonly folder: Folder; readonly name: string }[] = [];
    let index = 0;
    const from = this.quietCursor;
    for (const folder of this.folders.values()) {
      if (index + folder.quiet.size <= from) {
        index += folder.quiet.size;
        continue;
      }
      for (const name of folder.quiet.keys()) {
        if (index >= from && all.length < limits.quietLooksPerRound) all.push({ folder, name });
        index += 1;
        if (all.length >= limits.quietLooksPerRound) break;
      }
      if (all.length >= limits.quietLooksPerRound) break;
    }
    this.quietCursor = all.length < limits.quietLooksPerRound ? 0 : from + all.length;
    const byFolder = new Map<Folder, string[]>();
    for (const { folder, name } of all) byFolder.set(folder, [...(byFolder.get(folder) ?? []), name]);
    for (const [folder, names] of byFolder)
      if (await folder.lookAtQuiet(names, this.reach.lstat)) this.chooseAgain = true;
  }

  private async readChanged(interesting: ReadonlySet<string>, quietOnesToo: boolean): Promise<void> {
    const fresh = this.choose(interesting);
    const named: ShownFile[] = [];
    const due: ShownFile[] = [...fresh];
    for (const { followed } of this.folders.values()) {
      for (const [name, file] of followed) {
        if (fresh.has(file)) continue;
        if (interesting.has(idOf(name))) named.push(file);
        else if (quietOnesToo || file.identity === "") due.push(file);
      }
    }
    due.sort((a, b) => b.modifiedAt - a.modifiedAt);
    // Those of named conversations before all others, and of the others the newest.
    const isNamed = (file: ShownFile): boolean => interesting.has(idOf(file.path));
    const queue = [...named, ...due.filter(isNamed), ...due.filter((file) => !isNamed(file))];
    for (const { justSeen } of this.folders.values()) justSeen.clear();
    await inParallel(queue, limits.transcriptReadsAtOnce, (file) => this.readIfChanged(file));
    if (quietOnesToo || fresh.size > 0) this.release(interesting);
  }

  /** Takes up what somebody works on, and the newest of a day as far as they are shown. */
  private choose(interesting: ReadonlySet<string>): ReadonlySet<ShownFile> {
    const fresh = new Set<ShownFile>();
    const names = Array.from(interesting, (id) => `${id}.jsonl`);
    for (const folder of this.folders.values()) {
      for (const name of folder.quiet.size === 0 ? [] : names) {
        const modifiedAt = folder.quiet.get(name);
        if (modifiedAt !== undefined) fresh.add(this.follow(folder, name, modifiedAt));
      }
    }
    if (!this.chooseAgain) return fresh;
    this.chooseAgain = false;
    const since = this.options.now() - recentMs;
    const recent: { readonly folder: Folder; readonly name: string; readonly modifiedAt: number }[] = [];
    let room: number = limits.transcriptsShown;
    for (const folder of this.folders.values()) {
      room -= folder.followed.size;
      for (const [name, modifiedAt] of folder.quiet) if (modifiedAt >= since) recent.push({ folder, name, modifiedAt });
    }
    this.notShown = Math.max(0, recent.length - Math.max(0, room));
    if (this.notShown > 0) recent.sort((a, b) => b.modifiedAt - a.modifiedAt);
    for (const { folder, name, modifiedAt } of recent.slice(0, Math.max(0, room)))
      fresh.add(this.follow(folder, name, modifiedAt));
    return fresh;
  }

  private notShown = 0;

  /** What nobody touched for a day, and is not named, is followed no longer; of the rest the newest have a reader. */
  private release(interesting: ReadonlySet<string>): void {
    const since = this.options.now() - recentMs;
    const kept: ShownFile[] = [];
    for (const folder of this.folders.values()) {
      for (const [name, file] of [...folder.followed]) {
        if (interesting.has(idOf(name))) continue;
        if (file.modifiedAt >= since || file.identity === "") {
          kept.push(file);
          continue;
        }
        folder.followed.delete(name);
        folder.quiet.set(name, file.modifiedAt);
        this.options.emit([{ kind: "transcript-left", configDir: this.options.configDir, path: file.path }]);
      }
    }
    if (kept.length <= limits.transcriptsFollowed) return;
    kept.sort((a, b) => b.modifiedAt - a.modifiedAt);
    for (const file of kept.slice(limits.transcriptsFollowed)) file.reader = undefined;
  }

  private async readIfChanged(file: ShownFile): Promise<void> {
    if (file.identity !== "") {
      const identity = identityOf(await statOrNone(file.path, this.reach.lstat));
      if (identity === file.identity && identity !== "") return;
    }
    await file.flight.run();
  }

  private async readFile(file: ShownFile): Promise<void> {
    const at = this.options.now();
    const stat = file.justSeen ?? (await statOrNone(file.path, this.reach.lstat));
    file.justSeen = undefined;
    const transcript = this.asKept(file, stat, at) ?? (await this.readNow(file, stat, at));
    // A failed read leaves no identity, so that the next scan tries again.
    file.identity = transcript.kind === "observed" ? identityOf(stat) : "";
    if (stat !== undefined) file.modifiedAt = stat.mtimeMs;
    this.options.emit([{ kind: "transcript", configDir: this.options.configDir, path: file.path, transcript }]);
  }

  /** A file that was never read by this process, and is the very one that an earlier one read. */
  private asKept(file: ShownFile, stat: Stats | undefined, at: number): Observation<TranscriptFacts> | undefined {
    if (stat?.isFile() !== true || file.identity !== "" || file.reader !== undefined) return undefined;
    const facts = this.options.keptReads?.find(file.path, idOf(file.path), stat);
    return facts === undefined ? undefined : observed(this.source, at, facts);
  }

  private async readNow(file: ShownFile, stat: Stats | undefined, at: number): Promise<Observation<TranscriptFacts>> {
    const isFirst = file.reader === undefined;
    const reader = (file.reader ??= new TranscriptReader(file.path, this.source, {
      openFile: (file) => this.reach.open(file),
    }));
    const transcript = await this.patiently(() => reader.read(at));
    if (isFirst && transcript.kind === "observed" && stat !== undefined)
      this.options.keptReads?.note(file.path, transcript.value, stat, at);
    return transcript;
  }

  private async patiently(read: () => Promise<Observation<TranscriptFacts>>): Promise<Observation<TranscriptFacts>> {
    try {
      return await this.options.files.wait(read);
    } catch (error) {
      return unobserved(this.source, this.options.now(), describeError(error));
    }
  }

  /** Of what a listing of its project shows no folder, there is none to be asked for. */
  private namedFolders(interesting: ReadonlySet<string>): ReadonlyMap<string, string> {
    const folders = new Map<string, string>();
    for (const folder of this.folders.values()) {
      for (const name of folder.followed.keys()) {
        const id = idOf(name);
        if (!interesting.has(id) || !(folder.mayHaveFolder(id) || this.subagents.follows(id))) continue;
        folders.set(id, join(folder.path, id));
      }
    }
    return folders;
  }

  private listing(answersFor: ReadonlySet<string>): TranscriptListing {
    const recent = new Set<string>();
    let older = 0;
    for (const { followed, quiet } of this.folders.values()) {
      older += quiet.size;
      for (const { path } of followed.values()) recent.add(path);
    }
    return { recent, older, answersFor };
  }

  /** Tells anew only where it is not what was told before. */
  private tellReadOver(): void {
    const skips: { path: string; count: number; why: string }[] = [];
    for (const { path, skips: own } of this.folders.values())
      for (const [why, count] of own) skips.push({ path, count, why });
    if (this.linkedFolders > 0)
      skips.push({ path: this.folder, count: this.linkedFolders, why: "a link, which is not followed" });
    if (this.notShown > 0)
      skips.push({
        path: this.folder,
        count: this.notShown,
        why: `touched within a day, but only the newest ${limits.transcriptsShown} are shown`,
      });
    const told = JSON.stringify(skips);
    if (told === this.toldReadOver) return;
    this.toldReadOver = told;
    this.options.emit([{ kind: "transcripts-read-over", configDir: this.options.configDir, skips }]);
  }
}

async function isPlainFile(path: string, lstat: LstatFile): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    // What is gone again is no file; what could not be looked at is read, and tells why.
    return errorCode(error) !== "ENOENT";
  }
}

/** Undefined for a file that could not be looked at: whoever reads it is told why. */
async function statOrNone(path: string, lstat: LstatFile): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    return undefined;
  }
}

/** An empty identity never equals a real one: a file that could not be looked at counts as changed. */
function identityOf(stat: Stats | undefined): string {
  return stat === undefined ? "" : fileIdentity(stat);
}

/** Of a session's file, by its path or name. */
function idOf(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1, -".jsonl".length);
}
