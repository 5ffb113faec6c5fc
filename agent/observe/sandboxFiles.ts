// The files of a config folder that only a sandbox has, through a handle on it that was opened in the sandbox's own
// root. What lies in it is written by somebody hostile: no link in it is followed, what is not a plain file is not
// opened, and a folder that is too full is not listed. The handle keeps the folder for a last look when the sandbox
// has ended.
import { constants, type Dirent, type Stats } from "node:fs";
import { lstat, opendir, type FileHandle } from "node:fs/promises";
import { relative } from "node:path";
import { rollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { inFolderOf, openBeneath, openFolderBeneath, pathOf } from "../../base/node/beneath.ts";
import { Patience } from "../../base/node/patience.ts";
import { carefulReach, type FolderFiles } from "./folderFiles.ts";
import type { HeldFolder } from "./heldFolder.ts";

/**
 * @param configDir the folder's name in the roster, which paths begin with
 * @param hold holds the folder, or throws why it cannot be opened now
 */
export function sandboxFiles(configDir: string, hold: () => Promise<HeldFolder>): FolderFiles {
  const looks = new Patience(configDir, limits.fileReadDeadlineMs);
  const work = new Patience(configDir, limits.fileWorkDeadlineMs);
  const names = (path: string): readonly string[] => {
    const below = relative(configDir, path);
    return below === "" ? [] : below.split("/");
  };
  const inRoot = async <T>(use: (root: FileHandle) => Promise<T>): Promise<T> => (await hold()).use(use);
  const look = (path: string): Promise<Stats> =>
    looks.wait(() => inRoot((root) => inFolderOf(root, names(path), (reached) => lstat(reached))));
  const open = (path: string): Promise<FileHandle> =>
    looks.wait(
      () => inRoot((root) => openPlain(root, names(path))),
      (late) => void late.close(),
    );
  return {
    hasEvents: false,
    list: (path) =>
      looks.wait(() => inRoot(async (root) => listBounded(await openFolderBeneath(root, names(path)), path))),
    look,
    reach: () => Promise.resolve(carefulReach(look, open)),
    open,
    wait: (begin) => work.wait(begin),
  };
}

async function listBounded(folder: FileHandle, path: string): Promise<readonly Dirent[]> {
  try {
    const found: Dirent[] = [];
    for await (const entry of await opendir(pathOf(folder))) {
      found.push(entry);
      if (found.length > limits.sandboxFolderEntries)
        throw rollcallError("too-many-files", `${path} holds more than ${limits.sandboxFolderEntries} files`);
    }
    return found;
  } finally {
    await folder.close();
  }
}

/** Opening a device can already do something, so that its kind is asked first; who reads checks it again. */
async function openPlain(root: FileHandle, names: readonly string[]): Promise<FileHandle> {
  const stat = await inFolderOf(root, names, (path) => lstat(path));
  if (!stat.isFile()) throw rollcallError("not-a-file", "not a regular file");
  return openBeneath(root, names, constants.O_RDONLY);
}
