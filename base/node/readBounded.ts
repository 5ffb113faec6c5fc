// Reads a small file whole, or says why not. Only a regular file, at most so many bytes, and as many as the
// file said it has before and after: a read between two writes is no answer. A file on a share that hangs
// costs its deadline, not the caller.
import { open, type FileHandle } from "node:fs/promises";
import type { ReadableFile } from "./readableFile.ts";
import { constants, type Stats } from "node:fs";
import { describeError, errorCode } from "../errors.ts";

export type FileRead =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly modifiedAt: number; readonly identity: string }
  /** The file is not there, and the folder could be asked. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly cause: string };

// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- Windows has neither, whatever the types say
export const plainFileFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export type OpenFile = (path: string) => Promise<ReadableFile>;

/** @param opener opens the path for reading without following a link or waiting for a pipe */
export async function readBounded(
  path: string,
  limitBytes: number,
  deadlineMs: number,
  opener: OpenFile = openPlain,
): Promise<FileRead> {
  return withDeadline(readWhole(path, limitBytes, opener), deadlineMs, `no answer within ${deadlineMs} ms`);
}

/** Neither follows a link out of the folder nor waits for a named pipe in a file's place. */
export function openPlain(path: string): Promise<FileHandle> {
  return open(path, plainFileFlags);
}

async function readWhole(path: string, limitBytes: number, opener: OpenFile): Promise<FileRead> {
  let handle: ReadableFile;
  try {
    handle = await opener(path);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { kind: "absent" } : unreadable(error);
  }
  try {
    const before = await handle.stat();
    if (!before.isFile()) return { kind: "unreadable", cause: "not a regular file" };
    if (before.size > limitBytes)
      return { kind: "unreadable", cause: `${before.size} bytes, over the limit of ${limitBytes}` };
    const buffer = Buffer.alloc(Math.min(limitBytes, before.size + 1));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const after = await handle.stat();
    if (length !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
      return { kind: "unreadable", cause: "changed while it was read" };
    }
    return {
      kind: "read",
      bytes: buffer.subarray(0, length),
      modifiedAt: after.mtimeMs,
      identity: fileIdentity(after),
    };
  } catch (error) {
    return unreadable(error);
  } finally {
    await handle.close();
  }
}

/** Changes with whatever is written to the file or put in its place; a further link to it changes nothing. */
export function fileIdentity({ ino, size, mtimeMs }: Pick<Stats, "ino" | "size" | "mtimeMs">): string {
  return `${ino}:${size}:${mtimeMs}`;
}

function unreadable(error: unknown): FileRead {
  return { kind: "unreadable", cause: describeError(error) };
}

async function withDeadline(read: Promise<FileRead>, deadlineMs: number, cause: string): Promise<FileRead> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FileRead>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "unreadable", cause }), deadlineMs);
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}
