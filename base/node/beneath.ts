// Opens what lies below a folder and nothing else: each name is opened from the folder before it, and no link is
// followed unless it is resolved inside that folder. For trees that somebody hostile writes: a path through
// `/proc/<pid>/root` alone does not do, since an absolute link in it is resolved on this host. Linux only.
import { constants } from "node:fs";
import { open, readlink, type FileHandle } from "node:fs/promises";
import { errorCode, rollcallError, type RollcallError } from "../errors.ts";

export type BeneathErrorKind = "not-a-plain-name" | "too-many-links";
export type BeneathError = RollcallError<BeneathErrorKind>;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const mostLinks = 16;
const deepest = 64;

/** The path by which this process reaches what a handle holds, whatever became of its name. */
export function pathOf(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** @throws the system's error, ELOOP or ENOTDIR for a link; BeneathError for a name that leads elsewhere */
export async function openFolderBeneath(root: FileHandle, names: readonly string[]): Promise<FileHandle> {
  let folder = await open(`${pathOf(root)}/.`, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const name of names) {
      const next = await open(`${pathOf(folder)}/${plain(name)}`, folderFlags);
      await folder.close();
      folder = next;
    }
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Opens `names` below `root` with these flags; a link is an error, as on the way to it. */
export async function openBeneath(root: FileHandle, names: readonly string[], flags: number): Promise<FileHandle> {
  return inFolderOf(root, names, (path) => open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK));
}

/** Does something with the last name in the folder that holds it; the path is good for that call only. */
export async function inFolderOf<T>(
  root: FileHandle,
  names: readonly string[],
  use: (path: string) => Promise<T>,
): Promise<T> {
  const last = plain(names.at(-1) ?? "");
  const folder = await openFolderBeneath(root, names.slice(0, -1));
  try {
    return await use(`${pathOf(folder)}/${last}`);
  } finally {
    await folder.close();
  }
}

/** Opens a folder by an absolute path as those see it whose root this is: links are resolved there, never here. */
export async function openFolderIn(root: FileHandle, path: string): Promise<FileHandle> {
  const pending = split(path).reverse();
  let names: string[] = [];
  for (let links = 0, steps = 0; pending.length > 0; steps += 1) {
    const name = pending.pop() ?? "";
    if (name === "..") {
      names.pop();
      continue;
    }
    const target = await linkAt(root, [...names, name]);
    if (target === undefined) {
      names.push(name);
    } else {
      links += 1;
      if (target.startsWith("/")) names = [];
      pending.push(...split(target).reverse());
    }
    if (links > mostLinks || steps > deepest)
      throw rollcallError<BeneathErrorKind>("too-many-links", `${path}: too many links or folders on the way`);
  }
  return openFolderBeneath(root, names);
}

/** Where a link leads; undefined for what is none. */
async function linkAt(root: FileHandle, names: readonly string[]): Promise<string | undefined> {
  try {
    return await inFolderOf(root, names, (path) => readlink(path));
  } catch (error) {
    // The system's answer that it is no link.
    if (errorCode(error) === "EINVAL") return undefined;
    throw error;
  }
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function plain(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
    throw rollcallError<BeneathErrorKind>("not-a-plain-name", `${JSON.stringify(name)} is no name of a file`);
  return name;
}
