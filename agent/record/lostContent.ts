// Whether it is plain that a file's content is gone, and not only out of reach: the very folder in which it was read
// lacks it, or what stands there was read and is no such content. A share that vanished, a disk that fails, a file that
// is being written prove nothing. What follows is the journal's.
import { lstat, opendir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Stats } from "node:fs";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readBounded } from "../../base/node/readBounded.ts";

/** A writer that empties a file first has written it long before. */
const settledMs = 2_000;

export interface LostQuestion {
  readonly path: string;
  /** `folderOf` the path when the file was last read; undefined where that is not known. */
  readonly folder: string | undefined;
  readonly now: number;
}

/** How the content went, in words; undefined where that cannot be told. */
export async function howItWasLost({ path, folder, now }: LostQuestion): Promise<string | undefined> {
  try {
    const standing = await lstat(path).catch(goneIsNone);
    if (standing === undefined) return await deleted(path, folder, now);
    if (!isSettled(standing, now)) return undefined;
    if (!standing.isFile()) return "another thing is in its place";
    if (standing.size === 0) return "it was emptied";
    const read = await readBounded(path, limits.registryBytes, limits.fileReadDeadlineMs);
    return read.kind === "read" ? "it was cut or written over" : undefined;
  } catch {
    // Who cannot be asked says nothing.
    return undefined;
  }
}

/** Tells a folder from the mount point that it leaves. @throws the system's error */
export async function folderOf(path: string): Promise<string> {
  const { dev, ino } = await stat(dirname(path));
  return `${dev}:${ino}`;
}

async function deleted(path: string, folder: string | undefined, now: number): Promise<string | undefined> {
  if (folder === undefined || (await folderOf(path)) !== folder) return undefined;
  await (await opendir(dirname(path))).close();
  return isSettled(await stat(dirname(path)), now) ? "it was deleted" : undefined;
}

function isSettled({ ctimeMs }: Stats, now: number): boolean {
  return now - ctimeMs >= settledMs;
}

function goneIsNone(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
  return undefined;
}
