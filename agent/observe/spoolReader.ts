// The files of hook spools, one folder for each sandbox: each file one event. What lies there was written by somebody
// hostile: no link is followed, only regular files of this user are opened, of a size and a name as ours have, so many in
// one look and so many in a minute; whatever else lies there is counted. A file is whole once it ends with a newline.
// What was read is removed only when the caller says so.
import { createHash } from "node:crypto";
import { lstatSync, rmSync, type Dirent, type Stats } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { FileAtOnce } from "../../base/node/fileAtOnce.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { readHookEvent, type HookEvent } from "../../protocol/files/hookEvent.ts";
import { hookCommandVersion, hookPayloadBytes, isSpoolName, spoolFilePattern } from "../../protocol/hookSpool.ts";
import type { SpoolRead } from "../core/hookKnowledge.ts";

/** One that is not whole by then will never be. */
const unfinishedMs = 60_000;
/** What a look leaves out has another look after so many. */
const filesPerTurn = 200;
const headerPattern = /^(\d{1,4}) (\d{1,10}) /;
/** A payload of several lines may be met while one of them has just been written. */
const settlesMs = 5_000;

export interface SpoolLook {
  readonly state:
    { readonly kind: "absent" } | { readonly kind: "looked" } | { readonly kind: "failed"; readonly cause: string };
  readonly reads: readonly SpoolRead[];
  /** There was more than one look takes. */
  readonly isMore: boolean;
}

export class SpoolReader {
  readonly root: string;
  private readonly now: () => number;
  private readonly perMinute: number;
  /** Files that were read and are still there, by path: how they were. */
  private readonly taken = new Map<string, string>();
  private readonly budgets = new Map<string, { minute: number; events: number }>();
  private readonly told = new Map<string, Map<string, number>>();

  constructor(root: string, now: () => number, perMinute: number = limits.spoolEventsPerMinute) {
    this.root = root;
    this.now = now;
    this.perMinute = perMinute;
  }

  async look(): Promise<SpoolLook> {
    let spools: readonly string[];
    try {
      spools = await foldersIn(this.root);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return { state: { kind: "absent" }, reads: [], isMore: false };
      return { state: { kind: "failed", cause: describeError(error) }, reads: [], isMore: false };
    }
    const reads: SpoolRead[] = [];
    const faults: string[] = [];
    let isMore = false;
    for (const spool of spools.slice(0, limits.hookSpools)) {
      try {
        const read = await this.lookAt(spool);
        isMore ||= read.isMore;
        reads.push(read.read);
      } catch (error) {
        if (errorCode(error) !== "ENOENT") faults.push(`${spool}: ${describeError(error)}`);
      }
    }
    if (spools.length > limits.hookSpools)
      faults.push(`${spools.length} spools, of which ${limits.hookSpools} are read`);
    const state =
      faults.length === 0 ? ({ kind: "looked" } as const) : ({ kind: "failed", cause: faults.join("; ") } as const);
    return { state, reads, isMore };
  }

  /** Files that were read until now; what follows from them was written down. */
  get read(): ReadonlyMap<string, string> {
    return new Map(this.taken);
  }

  /** @param files of `read`; one that is another by now stays */
  remove(files: ReadonlyMap<string, string>): void {
    for (const [path, identity] of files) {
      try {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        if (stats !== undefined && identityOf(stats) === identity) rmSync(path);
      } catch {
        // What cannot be removed is not read again, and told as such.
        continue;
      }
      this.taken.delete(path);
    }
  }

  private async lookAt(spool: string): Promise<{ readonly read: SpoolRead; readonly isMore: boolean }> {
    const folder = join(this.root, spool);
    const own = lstatSync(folder);
    if (!own.isDirectory()) throw new Error("not a folder");
    if (!isOurs(own)) throw new Error("a folder of another user");
    const refused = new Map<string, number>();
    const events: HookEvent[] = [];
    const seen = new Set<string>();
    let looked = 0;
    let isMore = false;
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (looked >= limits.spoolFilesPerLook) {
        isMore = true;
        break;
      }
      looked += 1;
      if (looked % filesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      const path = join(folder, entry.name);
      seen.add(path);
      const event = await this.take(spool, path, entry);
      if (event === undefined) continue;
      if (typeof event === "string") refused.set(event, (refused.get(event) ?? 0) + 1);
      else events.push(event);
    }
    if (!isMore) this.forget(folder, seen);
    return { read: { spool, events, refused: this.untold(spool, refused) }, isMore };
  }

  /** The event of a file that is new; why it is none; undefined for one that is to be looked at later, or was before. */
  private async take(spool: string, path: string, entry: Dirent): Promise<HookEvent | string | undefined> {
    // It cannot be removed as a file is, and whoever made it has to.
    if (entry.isDirectory()) return aFolder;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const identity = identityOf(stats);
    if (this.taken.get(path) === identity) return undefined;
    const why = refusal(entry.name, stats);
    if (why !== undefined) return this.settle(path, identity, why);
    const read = await readBounded(path, mostBytes, limits.fileReadDeadlineMs, (file) => FileAtOnce.open(file));
    if (read.kind === "absent") return undefined;
    // One that grows while it is read is read at the next look.
    if (read.kind === "unreadable") return this.now() - stats.mtimeMs < unfinishedMs ? undefined : unreadable;
    if (read.bytes.at(-1) !== newline) {
      if (this.now() - read.modifiedAt < unfinishedMs) return undefined;
      return this.settle(path, identity, "an event that was not written to its end");
    }
    if (!this.mayTake(spool)) return this.settle(path, identity, "an event of too many in a minute");
    const result = parse(read.bytes, Math.min(read.modifiedAt, this.now()));
    if (result === notJson && this.now() - read.modifiedAt < settlesMs) return undefined;
    return this.settle(path, identity, result);
  }

  private settle<T>(path: string, identity: string, result: T): T {
    this.taken.set(path, identity);
    return result;
  }

  private mayTake(spool: string): boolean {
    const minute = Math.floor(this.now() / 60_000);
    const budget = this.budgets.get(spool);
    if (budget?.minute !== minute) {
      this.budgets.set(spool, { minute, events: 1 });
      return true;
    }
    budget.events += 1;
    return budget.events <= this.perMinute;
  }

  /** What lies there and is no file stays, and is counted once. */
  private untold(spool: string, refused: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const told = this.told.get(spool) ?? new Map<string, number>();
    this.told.set(spool, told);
    const fresh = new Map<string, number>();
    for (const [why, count] of refused) {
      const before = lasting.has(why) ? (told.get(why) ?? 0) : 0;
      if (count > before) fresh.set(why, count - before);
      if (lasting.has(why)) told.set(why, Math.max(count, before));
    }
    return fresh;
  }

  private forget(folder: string, seen: ReadonlySet<string>): void {
    for (const path of this.taken.keys()) if (path.startsWith(`${folder}/`) && !seen.has(path)) this.taken.delete(path);
  }
}

const newline = 0x0a;
/** With what stands before it and the newline behind it. */
const mostBytes = hookPayloadBytes + 64;
const notJson = "a payload that is not JSON";
const aFolder = "a folder in a file's place";
const unreadable = "a file that could not be read";
/** What stays and is met again at each look. */
const lasting: ReadonlySet<string> = new Set([aFolder, unreadable]);

function refusal(name: string, stats: Stats): string | undefined {
  if (!spoolFilePattern.test(name)) return "a name that no hook writes";
  if (stats.isSymbolicLink()) return "a link in a file's place";
  if (stats.isFIFO()) return "a named pipe in a file's place";
  if (!stats.isFile()) return "a device or a socket in a file's place";
  if (!isOurs(stats)) return "a file of another user";
  if (stats.nlink > 1) return "a file of several names";
  return stats.size > mostBytes ? "a file over the size of an event" : undefined;
}

function isOurs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

function identityOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}`;
}

async function foldersIn(root: string): Promise<readonly string[]> {
  const names: string[] = [];
  const own = lstatSync(root);
  if (!own.isDirectory()) throw new Error(`${root} is not a folder`);
  for await (const entry of await opendir(root)) {
    if (entry.isDirectory() && isSpoolName(entry.name)) names.push(entry.name);
    if (names.length > limits.hookSpools) break;
  }
  return names.sort();
}

function parse(bytes: Buffer, at: number): HookEvent | string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "a payload that is not UTF-8";
  }
  const header = headerPattern.exec(text);
  if (header === null || header[1] !== String(hookCommandVersion)) return "a file that no hook of ours wrote";
  let payload: unknown;
  try {
    payload = JSON.parse(text.slice(header[0].length));
  } catch {
    return bytes.length >= hookPayloadBytes ? "a payload over the limit, cut short" : notJson;
  }
  const pid = Number(header[2]);
  const read = readHookEvent(payload, at, pid > 0 ? pid : undefined);
  if (read.kind === "refused") return read.why;
  return read.input === undefined ? read.event : { ...read.event, inputMark: markOf(read.input) };
}

/** So short that it tells nothing of what was asked. */
function markOf(input: unknown): string {
  return createHash("sha256").update(JSON.stringify(input)).digest("hex").slice(0, 12);
}
