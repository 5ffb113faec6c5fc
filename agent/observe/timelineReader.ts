// Reads one transcript for its timeline, only while somebody watches the session: first from its end, reading back
// until enough turns were seen or a cap is reached, then only what was appended. A file that shrank, or is not the one
// that was read, is read anew. What the lines mean is decided in core.
import { open, type FileHandle } from "node:fs/promises";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { plainFileFlags } from "../../base/node/readBounded.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import { noLines, splitLines, type LineState } from "../core/jsonLines.ts";
import { foldTimelineLine, skipTimelineLine } from "../core/timeline.ts";
import { emptyTimeline, type TimelineFold } from "../core/timelineItems.ts";

export interface TimelineRead {
  readonly fold: TimelineFold;
  /** Bytes before the part that was read. */
  readonly bytesNotRead: number;
}

interface Position extends TimelineRead {
  readonly inode: number;
  readonly offset: number;
  /** The last bytes of what was read: they are as they were in a file that was only appended to. */
  readonly mark: Buffer;
  /** In the middle of a line over the limit. */
  readonly skipping: boolean;
}

const decoder = new TextDecoder("utf-8");

export class TimelineReader {
  readonly path: string;
  private readonly source: SourceId;
  private position: Position | undefined;

  constructor(path: string, source: SourceId) {
    this.path = path;
    this.source = source;
  }

  async read(at: number): Promise<Observation<TimelineRead>> {
    let handle: FileHandle;
    try {
      handle = await open(this.path, plainFileFlags);
    } catch (error) {
      return errorCode(error) === "ENOENT"
        ? absent(this.source, at)
        : unobserved(this.source, at, describeError(error));
    }
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return unobserved(this.source, at, "not a regular file");
      this.position = await this.advance(handle, stat.size, stat.ino);
      return observed(this.source, at, this.position);
    } catch (error) {
      return unobserved(this.source, at, describeError(error));
    } finally {
      await handle.close();
    }
  }

  private async advance(handle: FileHandle, size: number, inode: number): Promise<Position> {
    const known = this.position;
    if (known === undefined || known.inode !== inode || size < known.offset || !(await isAppended(handle, known)))
      return readFromEnd(handle, size, inode);
    if (size === known.offset) return known;
    return { ...known, ...(await foldRange(handle, known.offset, size, known)) };
  }
}

async function readFromEnd(handle: FileHandle, size: number, inode: number): Promise<Position> {
  for (let window = limits.timelineTailBytes; ; window *= 2) {
    const from = Math.max(0, size - window);
    // A line that the window cuts is passed over; the one before `from` may end exactly there.
    const cut = from > 0 && (await readAt(handle, from - 1, 1))[0] !== 0x0a;
    const read = await foldRange(handle, from, size, { fold: emptyTimeline, skipping: false }, cut);
    const turns = read.fold.items.length + read.fold.itemsDropped;
    if (from === 0 || turns > limits.timelineItems || window >= limits.timelineTailCapBytes)
      return { inode, bytesNotRead: from, ...read };
  }
}

async function foldRange(
  handle: FileHandle,
  from: number,
  to: number,
  initial: Pick<Position, "fold" | "skipping">,
  firstIsCut = false,
): Promise<Pick<Position, "fold" | "offset" | "mark" | "skipping">> {
  let { fold } = initial;
  let cut = firstIsCut;
  let lines: LineState = { ...noLines, skipping: initial.skipping };
  const sink = {
    line: (bytes: Uint8Array): void => {
      if (!cut) fold = foldTimelineLine(fold, decoder.decode(bytes));
      cut = false;
    },
    skipped: (why: string): void => {
      if (!cut) fold = skipTimelineLine(fold, why);
      cut = false;
    },
  };
  let offset = from;
  while (offset < to) {
    const chunk = await readAt(handle, offset, Math.min(limits.transcriptReadBytes, to - offset));
    // Shorter than it was a moment ago: the next read finds that out and begins anew.
    if (chunk.length === 0) break;
    lines = splitLines(lines, chunk, limits.transcriptLineBytes, sink);
    offset += chunk.length;
  }
  const end = offset - lines.rest.length;
  return { fold, offset: end, skipping: lines.skipping, mark: await readMark(handle, end) };
}

function readMark(handle: FileHandle, offset: number): Promise<Buffer> {
  const length = Math.min(offset, limits.transcriptFingerprintBytes);
  return readAt(handle, offset - length, length);
}

async function isAppended(handle: FileHandle, { mark, offset }: Position): Promise<boolean> {
  return (await readMark(handle, offset)).equals(mark);
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
