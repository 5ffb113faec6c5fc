// Follows one file of lines that only grows: the first time as its reader says, such as from its end, then only what was
// appended. The offset stops behind the last newline, so a line half written is read again whole. A file that shrank, or
// is not the one that was read as far as there, is read anew.
import type { Stats } from "node:fs";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { ReadableFile } from "../../base/node/readableFile.ts";
import type { OpenFile } from "../../base/node/readBounded.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { LineFold } from "../core/jsonLines.ts";
import { foldUnclosedLine } from "../core/unclosedLine.ts";
import { foldRange, readInto, type LinesRead } from "./fileRange.ts";

export interface FollowerOptions<Read extends LinesRead<Fold>, Fold> {
  readonly path: string;
  readonly source: SourceId;
  readonly openFile: OpenFile;
  readonly lines: LineFold<Fold>;
  readonly readAnew: (handle: ReadableFile, size: number) => Promise<Read>;
}

/** What was read, and the fold with what an end without a newline says. */
export interface FileRead<Read, Fold> {
  readonly read: Read;
  readonly fold: Fold;
  readonly stat: Pick<Stats, "size" | "mtimeMs">;
}

interface Position<Read> {
  readonly inode: number;
  readonly marks: Marks;
  readonly read: Read;
}

/** The first bytes of what was read, and the last: both are as they were in a file that was only appended to. */
interface Marks {
  readonly head: Buffer;
  readonly tail: Buffer;
}

export class FileFollower<Read extends LinesRead<Fold>, Fold> {
  private readonly options: FollowerOptions<Read, Fold>;
  private position: Position<Read> | undefined;

  constructor(options: FollowerOptions<Read, Fold>) {
    this.options = options;
  }

  async read(at: number): Promise<Observation<FileRead<Read, Fold>>> {
    const { path, source, openFile, lines } = this.options;
    let handle: ReadableFile;
    try {
      handle = await openFile(path);
    } catch (error) {
      return errorCode(error) === "ENOENT" ? absent(source, at) : unobserved(source, at, openFault(error));
    }
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return unobserved(source, at, "not a regular file");
      this.position = await this.advance(handle, stat);
      const { read } = this.position;
      return observed(source, at, { read, fold: foldUnclosedLine(lines, read.fold, read.unclosed), stat });
    } catch (error) {
      return unobserved(source, at, describeError(error));
    } finally {
      await handle.close();
    }
  }

  private async advance(handle: ReadableFile, { size, ino }: Stats): Promise<Position<Read>> {
    const known = this.position;
    if (known?.inode !== ino || !isNear(known.read, size) || !(await hasMarks(handle, known))) {
      const read = await this.options.readAnew(handle, size);
      return { inode: ino, read, marks: await readMarks(handle, read.offset) };
    }
    const { read } = known;
    if (size === read.offset)
      return { ...known, read: { ...read, unclosed: { kind: read.skipping ? "too-long" : "none" } } };
    const more = await foldRange(handle, { from: read.offset, to: size }, read, this.options.lines);
    return { inode: ino, read: { ...read, ...more }, marks: await readMarks(handle, more.offset) };
  }
}

function openFault(error: unknown): string {
  return errorCode(error) === "ELOOP" ? "a link, which is not followed" : describeError(error);
}

/** More than a whole window behind is read anew: what a read costs does not grow with the file. */
function isNear({ offset }: { readonly offset: number }, size: number): boolean {
  return size >= offset && size - offset <= limits.transcriptTailCapBytes;
}

async function readMarks(handle: ReadableFile, offset: number): Promise<Marks> {
  const length = Math.min(offset, limits.transcriptFingerprintBytes);
  return { head: await readMark(handle, 0, length), tail: await readMark(handle, offset - length, length) };
}

async function hasMarks<Fold>(
  handle: ReadableFile,
  { marks, read }: Position<Pick<LinesRead<Fold>, "offset">>,
): Promise<boolean> {
  const now = await readMarks(handle, read.offset);
  return now.head.equals(marks.head) && now.tail.equals(marks.tail);
}

/** Memory of its own, since it is kept: a piece of the shared pool would keep the whole of it. */
function readMark(handle: ReadableFile, offset: number, length: number): Promise<Buffer> {
  return readInto(handle, offset, Buffer.allocUnsafeSlow(length));
}
