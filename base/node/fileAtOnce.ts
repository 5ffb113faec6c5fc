// A file on this host's own disk, read at once: what a read there costs is a tenth of the way through a thread. It is
// used where `fileStats.ts` knows the disk; a share may hang, and its files are opened with care.
import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { plainFileFlags } from "./readBounded.ts";
import type { ReadableFile } from "./readableFile.ts";

/** After so much the process turns to others. */
const bytesPerTurn = 1024 * 1024;

/* eslint-disable @typescript-eslint/require-await -- a fault is a rejection here, as of a file that is read in a thread */
export class FileAtOnce implements ReadableFile {
  private readonly fd: number;
  private readInTurn = 0;

  private constructor(fd: number) {
    this.fd = fd;
  }

  /** Neither follows a link nor waits for a named pipe in a file's place. */
  static async open(path: string): Promise<FileAtOnce> {
    return new FileAtOnce(openSync(path, plainFileFlags));
  }

  async read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    if (this.readInTurn > bytesPerTurn) {
      this.readInTurn = 0;
      await nextTurn();
    }
    this.readInTurn += length;
    return { bytesRead: readSync(this.fd, buffer, offset, length, position) };
  }

  async stat(): Promise<Stats> {
    return fstatSync(this.fd);
  }

  async close(): Promise<void> {
    closeSync(this.fd);
  }
}
