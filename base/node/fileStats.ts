// What kind, size and time a file has, without following a link. On this host's own disks it is asked at once, since the
// way through a thread costs ten times the question; a share may hang, so there a thread waits and not the process.
import { lstatSync, type Stats } from "node:fs";
import { lstat, statfs } from "node:fs/promises";

/** Types of file systems that this kernel keeps by itself: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. */
const ownDisks = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e]);

export type LstatFile = (path: string) => Stats | Promise<Stats>;

/** How to ask for the files of this folder; each look at it asks anew, since another disk may be mounted there. */
export async function lstatOf(folder: string): Promise<LstatFile> {
  return (await isOwnDisk(folder)) ? (path) => lstatSync(path) : (path) => lstat(path);
}

export async function isOwnDisk(folder: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  try {
    return ownDisks.has((await statfs(folder)).type);
  } catch {
    // What cannot be told is asked with care.
    return false;
  }
}
