// One project folder of transcripts: which files are there, and what in it is none. The folder is listed again when its
// own time changed. Of a hundred thousand files nobody follows only name and time are kept; what is followed, and what
// a file says, is `transcripts.ts`. Links are not followed, whatever they lead to.
import type { Dirent, Stats } from "node:fs";
import { basename, join, sep } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { LstatFile } from "../../base/node/fileStats.ts";
import type { FolderFiles } from "./folderFiles.ts";
import { inParallel } from "./inParallel.ts";

/** Within so short a time after a change another one may bear the same time. */
const sameTimeMs = 2_000;
const sessionFile = /^(?!agent-)[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.jsonl$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What the agent itself puts beside transcripts. */
const knownFolders = new Set(["memory", "subagents", "tool-results"]);

export interface ListOptions {
  readonly now: () => number;
  readonly files: FolderFiles;
}

export type Listed =
  | { readonly kind: "unchanged" }
  /** `appeared` are files that were not there before, `gone` those that are not there any more. */
  | { readonly kind: "listed"; readonly appeared: boolean; readonly gone: readonly string[] }
  /** Its files stay as they are known. */
  | { readonly kind: "fault"; readonly cause: string };

export class TranscriptFolder<Followed> {
  readonly path: string;
  /** Files that are followed, by name. */
  readonly followed = new Map<string, Followed>();
  /** Files that nobody follows, by name, with the time of their last change. */
  readonly quiet = new Map<string, number>();
  /** As they were a moment ago, of the files that this listing found and that may be read now. */
  readonly justSeen = new Map<string, Stats>();
  /** What was read over: why, and how often. */
  skips: ReadonlyMap<string, number> = new Map();
  /** Folders below that may hold transcripts too. */
  nested: readonly string[] = [];
  /** Folders of sessions; undefined before they were listed. */
  private sessionFolders: ReadonlySet<string> | undefined;
  /** The folder's own time when it was listed whole; undefined where it has to be listed again. */
  private listedAs: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async list(options: ListOptions, lstat: LstatFile): Promise<Listed> {
    try {
      return await this.listNow(options, lstat);
    } catch (error) {
      this.skips = new Map([[`could not be listed: ${describeError(error)}`, 1]]);
      return { kind: "fault", cause: `${this.path}: ${describeError(error)}` };
    }
  }

  private async listNow({ now, files }: ListOptions, lstat: LstatFile): Promise<Listed> {
    const { mtimeMs } = await lstat(this.path);
    if (this.listedAs === mtimeMs) return { kind: "unchanged" };
    this.listedAs = undefined;
    // What an event adds from here on is not in this listing and is there.
    const before = [...this.followed.keys(), ...this.quiet.keys()];
    const entries = await files.list(this.path);
    const { names, skips, nested, sessionFolders } = sortEntries(basename(this.path), entries);
    const fresh = [...names].filter((name) => !this.followed.has(name) && !this.quiet.has(name));
    const recent = now() - recentMs;
    await inParallel(fresh, limits.fileLooksAtOnce, (name) => this.add(name, lstat, recent));
    const gone = before.filter((name) => !names.has(name));
    this.skips = skips;
    this.nested = nested.map((name) => join(this.path, name));
    this.sessionFolders = sessionFolders;
    if (now() - mtimeMs > sameTimeMs) this.listedAs = mtimeMs;
    return { kind: "listed", appeared: fresh.length > 0, gone };
  }

  /** False where the last listing shows that the session has no folder of its own. */
  mayHaveFolder(session: string): boolean {
    return this.sessionFolders?.has(session) !== false;
  }

  /** @throws the system's error for a file that could not be looked at, which is no old one */
  private add(name: string, lstat: LstatFile, recent: number): Promise<void> | undefined {
    const found = (stat: Stats): void => {
      if (this.followed.has(name)) return;
      this.quiet.set(name, stat.mtimeMs);
      if (stat.mtimeMs >= recent) this.justSeen.set(name, stat);
    };
    try {
      const looked = lstat(`${this.path}${sep}${name}`);
      if (looked instanceof Promise) return looked.then(found, passOverMissing);
      found(looked);
    } catch (error) {
      passOverMissing(error);
    }
    return undefined;
  }

  /** Looks at some files that nobody follows; true where one of them has changed. */
  async lookAtQuiet(names: readonly string[], lstat: LstatFile): Promise<boolean> {
    let changed = false;
    await inParallel(names, limits.fileLooksAtOnce, async (name) => {
      const modifiedAt = await modifiedTime(join(this.path, name), lstat);
      if (modifiedAt === undefined || modifiedAt === this.quiet.get(name) || !this.quiet.has(name)) return;
      this.quiet.set(name, modifiedAt);
      changed = true;
    });
    return changed;
  }
}

function passOverMissing(error: unknown): void {
  if (errorCode(error) !== "ENOENT") throw error;
}

/** True for the name of a session's transcript; whatever else ends like one is counted as read over. */
export function isSessionFile(name: string): boolean {
  return sessionFile.test(name);
}

interface Sorted {
  readonly names: ReadonlySet<string>;
  readonly skips: ReadonlyMap<string, number>;
  readonly nested: readonly string[];
  readonly sessionFolders: ReadonlySet<string>;
}

function sortEntries(folder: string, entries: readonly Dirent[]): Sorted {
  const names = new Set<string>();
  const skips = new Map<string, number>();
  const skip = (why: string): void => void skips.set(why, (skips.get(why) ?? 0) + 1);
  const nested: string[] = [];
  const sessionFolders = new Set<string>();
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isDirectory() || entry.isSymbolicLink()) sessionFolders.add(name);
    if (entry.isDirectory()) {
      if (name.endsWith(".jsonl")) skip("a folder in a transcript's place");
      else if (name === folder || (!uuid.test(name) && !knownFolders.has(name))) nested.push(name);
      continue;
    }
    if (!name.endsWith(".jsonl")) continue;
    if (entry.isSymbolicLink()) skip("a link, which is not followed");
    else if (!entry.isFile()) skip("not a regular file");
    else if (name.startsWith("agent-")) skip("a subagent's transcript, as older versions kept it beside its session");
    else if (!isSessionFile(name)) skip("a name that is no session's id");
    else names.add(name);
  }
  if (nested.length > limits.nestedFolders)
    skips.set("folders below it, which are not looked into", nested.length - limits.nestedFolders);
  return { names, skips, nested: nested.slice(0, limits.nestedFolders), sessionFolders };
}

async function modifiedTime(path: string, lstat: LstatFile): Promise<number | undefined> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- it stays as it is known; its folder tells when it is gone
    return undefined;
  }
}
