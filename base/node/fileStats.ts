// What kind, size and time a file has, without following a link. On this host's own disks it is asked at once, since the
// way through a thread costs ten times the question; a share may hang, so there a thread waits and not the process.
import type { Stats } from "node:fs";
import { statfs } from "node:fs/promises";

/** Types of file systems that this kernel keeps by itself: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. */
const ownDisks = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e]);

export type LstatFile = (path: string) => Stats | Promise<Stats>;
/** False where there is none of that name, which is said without the cost of an error. @throws whatever else keeps it from being told */
export type HasFile = (path: string) => boolean | Promise<boolean>;

/** True for a folder on a disk of this host that never waits for another machine or process. */
export async function isOwnDisk(folder: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  try {
    return ownDisks.has((await statfs(folder)).type);
  } catch {
    // What cannot be told is asked with care.
    return false;
  }
}
