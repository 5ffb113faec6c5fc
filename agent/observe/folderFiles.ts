// How the files of one config folder are reached. The folders of this host are reached by their paths; those that only
// a sandbox has are `sandboxFiles.ts`. Every look has a deadline, and one folder that hangs holds up nobody else.
import { lstatSync, type Dirent, type Stats } from "node:fs";
import { lstat, readdir, type FileHandle } from "node:fs/promises";
import { limits } from "../../base/limits.ts";
import { isOwnDisk, type LstatFile } from "../../base/node/fileStats.ts";
import { Patience } from "../../base/node/patience.ts";
import { openPlain } from "../../base/node/readBounded.ts";

export interface FolderFiles {
  /** File events tell of changes; else the folder is only polled. */
  readonly hasEvents: boolean;
  readonly list: (path: string) => Promise<readonly Dirent[]>;
  /** Of the file itself, not of what a link leads to. */
  readonly look: (path: string) => Promise<Stats>;
  /** How to look at many files of one folder: each look at the folder asks anew. */
  readonly looksAt: (folder: string) => Promise<LstatFile>;
  /** For reading; a link is not followed, and a pipe not waited for. */
  readonly open: (path: string) => Promise<FileHandle>;
  /** Work of several steps on files that were opened. */
  readonly wait: <T>(work: () => Promise<T>) => Promise<T>;
}

export function hostFiles(configDir: string): FolderFiles {
  const looks = new Patience(configDir, limits.fileReadDeadlineMs);
  const work = new Patience(configDir, limits.fileWorkDeadlineMs);
  const look = (path: string): Promise<Stats> => looks.wait(() => lstat(path));
  const isOwn = async (folder: string): Promise<boolean> => {
    try {
      return await looks.wait(() => isOwnDisk(folder));
    } catch {
      // What hangs is asked with care.
      return false;
    }
  };
  return {
    hasEvents: true,
    list: (path) => looks.wait(() => readdir(path, { withFileTypes: true })),
    look,
    looksAt: async (folder) => ((await isOwn(folder)) ? (path) => lstatSync(path) : look),
    open: (path) =>
      looks.wait(
        () => openPlain(path),
        (late) => void late.close(),
      ),
    wait: (begin) => work.wait(begin),
  };
}
