// How the files of one config folder are reached. The folders of this host are reached by their paths; those that only
// a sandbox has are `sandboxFiles.ts`. Every look has a deadline, and one folder that hangs holds up nobody else.
import { lstatSync, type Dirent, type Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { FileAtOnce } from "../../base/node/fileAtOnce.ts";
import { isOwnDisk, type HasFile, type LstatFile } from "../../base/node/fileStats.ts";
import { mountsBelow } from "../../base/node/mountTable.ts";
import { Patience } from "../../base/node/patience.ts";
import { openPlain, type OpenFile } from "../../base/node/readBounded.ts";

export interface FolderFiles {
  /** File events tell of changes; else the folder is only polled. */
  readonly hasEvents: boolean;
  readonly list: (path: string) => Promise<readonly Dirent[]>;
  /** Of the file itself, not of what a link leads to. */
  readonly look: (path: string) => Promise<Stats>;
  /** How to reach many files of one folder: each look at the folder asks anew. */
  readonly reach: (folder: string) => Promise<Reach>;
  /** For reading; a link is not followed, and a pipe not waited for. */
  readonly open: OpenFile;
  /** Work of several steps on files that were opened. */
  readonly wait: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Through threads, or at once where the disk is known to answer. */
export interface Reach {
  /** True where no look can hang, so that several at once fill no thread that others wait for. */
  readonly isOwnDisk: boolean;
  readonly lstat: LstatFile;
  readonly has: HasFile;
  readonly open: OpenFile;
}

const atOnce: Reach = {
  isOwnDisk: true,
  lstat: (path) => lstatSync(path),
  has: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  open: (path) => FileAtOnce.open(path),
};

export function carefulReach(look: (path: string) => Promise<Stats>, open: OpenFile): Reach {
  return { isOwnDisk: false, lstat: look, has: async (path) => isThere(look, path), open };
}

async function isThere(look: (path: string) => Promise<Stats>, path: string): Promise<boolean> {
  try {
    await look(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

/**
 * At once, save for what lies below a mount: a share that hangs may be mounted on any folder, or on a single file.
 * @param real the folder's path without links, as mounts name it
 */
function reachBeside(mounts: readonly string[], folder: string, real: string, carefully: Reach): Reach {
  if (mounts.length === 0) return atOnce;
  const reachOf = (path: string): Reach => {
    const found = real + path.slice(folder.length);
    return mounts.some((point) => found === point || found.startsWith(`${point}/`)) ? carefully : atOnce;
  };
  return {
    isOwnDisk: false,
    lstat: (path) => reachOf(path).lstat(path),
    has: (path) => reachOf(path).has(path),
    open: (path) => reachOf(path).open(path),
  };
}

/** @param below what is mounted below a folder */
export function hostFiles(configDir: string, below = mountsBelow): FolderFiles {
  const looks = new Patience(configDir, limits.fileReadDeadlineMs);
  const work = new Patience(configDir, limits.fileWorkDeadlineMs);
  const look = (path: string): Promise<Stats> => looks.wait(() => lstat(path));
  const open: OpenFile = (path) =>
    looks.wait(
      () => openPlain(path),
      (late) => void late.close(),
    );
  const carefully = carefulReach(look, open);
  return {
    hasEvents: true,
    list: (path) => looks.wait(() => readdir(path, { withFileTypes: true })),
    look,
    reach: async (folder) => {
      try {
        if (!(await looks.wait(() => isOwnDisk(folder)))) return carefully;
        const real = await looks.wait(() => realpath(folder));
        const mounts = below(real);
        return mounts === undefined ? carefully : reachBeside(mounts, folder, real, carefully);
      } catch {
        // What hangs is asked with care.
        return carefully;
      }
    },
    open,
    wait: (begin) => work.wait(begin),
  };
}
