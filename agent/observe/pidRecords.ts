// The session records of one config folder, `<config>/sessions/<pid>.json`: which there are, and what each says.
// Only files named after a pid are opened; the `.key` files beside them are secrets. A record that changed
// while it was read, or is torn, is tried again a few times before it counts as unreadable.
import { join, sep } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readBounded, type FileRead } from "../../base/node/readBounded.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { oddTimesOf, readPidRecord } from "../../protocol/files/readPidRecord.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { MonitorEvent } from "../core/monitorEvent.ts";
import type { FolderFiles, Reach } from "./folderFiles.ts";

const recordName = /^[1-9]\d{0,9}\.json$/;
const tornRetryMs = [20, 60, 120];

/** Within so short a time after a change another one may bear the same time, on a coarse file system. */
const sameTimeMs = 2_500;
const misnamedTold = 50;

/** A file as it was when it was last read. */
interface ReadAs {
  readonly identity: string;
  /** That it gave a record. */
  readonly whole: boolean;
  /** What it said, where it may have changed since without a sign of it. */
  readonly unsettled: string | undefined;
}

export interface PidRecordsOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly now: () => number;
  readonly emit: (events: readonly MonitorEvent[]) => void;
}

export class PidRecords {
  readonly folder: string;
  private readonly options: PidRecordsOptions;
  private readonly source: SourceId;
  private readonly readAs = new Map<string, ReadAs>();
  /** Times that can be none, of each record as it was last read. */
  private readonly oddTimes = new Map<string, readonly string[]>();
  private seen = false;

  constructor(options: PidRecordsOptions) {
    this.options = options;
    this.folder = join(options.configDir, "sessions");
    this.source = `pid-records:${options.configDir}`;
  }

  /** Lists the folder and reads what changed since the last scan. */
  async scan(): Promise<"present" | "missing"> {
    const at = this.options.now();
    const { configDir } = this.options;
    let names: readonly string[];
    try {
      names = (await this.options.files.list(this.folder)).map((entry) => entry.name);
    } catch (error) {
      const gone = errorCode(error) === "ENOENT" && !this.seen;
      const listing: Observation<ReadonlySet<string>> = gone
        ? absent(this.source, at)
        : unobserved(
            this.source,
            at,
            `${this.folder}: ${this.seen && errorCode(error) === "ENOENT" ? "gone after having been seen" : describeError(error)}`,
          );
      this.options.emit([{ kind: "pid-record-listing", configDir, listing }]);
      return "missing";
    }
    this.seen = true;
    const recordNames = names.filter((name) => recordName.test(name));
    const files = recordNames.slice(0, limits.pidRecordsPerFolder);
    const events: MonitorEvent[] = [];
    const listed = new Set<string>();
    const reach = await this.options.files.reach(this.folder);
    for (const name of files) {
      const file = `${this.folder}${sep}${name}`;
      const record = await this.readChanged(file, reach);
      if (record?.kind === "absent") continue;
      listed.add(file);
      const oddTimes = this.oddTimes.get(file) ?? [];
      if (record !== undefined) events.push({ kind: "pid-record", configDir, file, record, oddTimes });
    }
    for (const name of names.filter(isMisnamed).slice(0, misnamedTold)) {
      const file = join(this.folder, name);
      listed.add(file);
      if (this.readAs.has(file)) continue;
      this.readAs.set(file, { identity: "", whole: false, unsettled: undefined });
      const record = unobserved<PidRecord>(this.source, at, "its name is no process id, so that it is not read");
      events.push({ kind: "pid-record", configDir, file, record });
    }
    for (const file of this.readAs.keys()) if (!listed.has(file)) this.readAs.delete(file);
    for (const file of this.oddTimes.keys()) if (!listed.has(file)) this.oddTimes.delete(file);
    // Records that were left out are not gone.
    const listing: Observation<ReadonlySet<string>> =
      files.length === recordNames.length
        ? observed(this.source, at, listed)
        : unobserved(this.source, at, `${recordNames.length} records, of which ${files.length} are read`);
    events.unshift({ kind: "pid-record-listing", configDir, listing });
    this.options.emit(events);
    return "present";
  }

  /** Undefined where the file is as it was when it was last read. */
  private async readChanged(file: string, reach: Reach): Promise<Observation<PidRecord> | undefined> {
    const at = this.options.now();
    let identity: string;
    let isFresh: boolean;
    try {
      const stat = await reach.lstat(file);
      isFresh = Math.abs(at - stat.mtimeMs) < sameTimeMs;
      identity = `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return absent(this.source, at);
      return unobserved(this.source, at, describeError(error));
    }
    const before = this.readAs.get(file);
    const unchanged = before?.identity === identity;
    if (unchanged && before.whole && before.unsettled === undefined) return undefined;
    // One that was torn before and did not change since is not being written just now.
    const record = unchanged ? await this.read(file, reach) : await this.readWithRetries(file, reach);
    const said = record.kind === "observed" ? JSON.stringify(record.value) : undefined;
    const unsettled = isFresh ? said : undefined;
    this.readAs.set(file, { identity, whole: said !== undefined, unsettled });
    return unchanged && said !== undefined && said === before.unsettled ? undefined : record;
  }

  private async readWithRetries(file: string, reach: Reach): Promise<Observation<PidRecord>> {
    let record = await this.read(file, reach);
    for (const waitMs of tornRetryMs) {
      if (record.kind !== "unobserved") return record;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      record = await this.read(file, reach);
    }
    return record;
  }

  private async readFile(file: string, { open }: Reach): Promise<FileRead> {
    const { files } = this.options;
    try {
      return await files.wait(() => readBounded(file, limits.pidRecordBytes, limits.fileReadDeadlineMs, open));
    } catch (error) {
      return { kind: "unreadable", cause: describeError(error) };
    }
  }

  private async read(file: string, reach: Reach): Promise<Observation<PidRecord>> {
    const at = this.options.now();
    const read = await this.readFile(file, reach);
    switch (read.kind) {
      case "absent":
        return absent(this.source, at);
      case "unreadable":
        return unobserved(this.source, at, read.cause);
      case "read":
        return this.parse(file, at, read.bytes);
    }
  }

  private parse(file: string, at: number, bytes: Buffer): Observation<PidRecord> {
    if (bytes.length === 0) return unobserved(this.source, at, "zero bytes");
    let parsed: unknown;
    try {
      parsed = JSON.parse(bytes.toString("utf8"));
    } catch {
      return unobserved(this.source, at, bytes.includes(0) ? "holds NUL bytes" : "torn or not JSON");
    }
    const record = readPidRecord(parsed);
    if (record === undefined) return unobserved(this.source, at, "not the shape of a session record");
    this.oddTimes.set(file, oddTimesOf(parsed));
    return observed(this.source, at, record);
  }
}

/** Records of processes only: `.key` files are secrets, and others are no records. */
function isMisnamed(name: string): boolean {
  return name.endsWith(".json") && !recordName.test(name);
}
