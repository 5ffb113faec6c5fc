// Follows one transcript: first its head and its tail, reading back until a turn boundary is seen or a cap is
// reached, then only what was appended. The offset stops behind the last newline, so a line half written is
// read again whole; what an end without one says is `core/unclosedLine.ts`. A file that shrank, or is not the one that
// was read as far as there, is read anew.
import { basename } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { ReadableFile } from "../../base/node/readableFile.ts";
import { openPlain, type OpenFile } from "../../base/node/readBounded.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import { noLines, splitLines, type LineState } from "../core/jsonLines.ts";
import type { TranscriptFacts } from "../core/monitorEvent.ts";
import { emptyTranscript, foldTranscriptLine, skipTranscriptLine, type TranscriptFold } from "../core/transcript.ts";
import { foldHead, foldWindow, tellsHeadNothing } from "../core/transcriptWindow.ts";
import { foldUnclosedLine, unclosedLine, type UnclosedLine } from "../core/unclosedLine.ts";

interface Position {
  readonly inode: number;
  readonly marks: Marks;
  readonly offset: number;
  /** In the middle of a line over the limit. */
  readonly skipping: boolean;
  /** What stands behind the offset. */
  readonly unclosed: UnclosedLine;
  readonly fold: TranscriptFold;
  readonly head: Head;
  readonly windowCapped: boolean;
}

type RangeRead = Pick<Position, "offset" | "skipping" | "unclosed" | "fold">;

/** What only the start of a file tells. */
type Head = Pick<TranscriptFold, "titles" | "firstCwd" | "firstRecordAt">;

/** The first bytes of what was read, and the last: both are as they were in a file that was only appended to. */
interface Marks {
  readonly head: Buffer;
  readonly tail: Buffer;
}

interface Window {
  /** The fold before any line: of a session's file, or of a subagent's. */
  readonly empty: TranscriptFold;
  /** How far to read back. */
  readonly tailCapBytes: number;
}

export interface ReaderOptions extends Partial<Window> {
  readonly openFile?: OpenFile;
}

/** Used again and again: as many as there are reads at once. A line is copied out before the next chunk comes. */
const freeBuffers: Buffer[] = [];

export class TranscriptReader {
  readonly path: string;
  private readonly source: SourceId;
  private readonly openFile: OpenFile;
  private readonly window: Window;
  private position: Position | undefined;

  constructor(path: string, source: SourceId, { openFile, ...window }: ReaderOptions = {}) {
    this.path = path;
    this.source = source;
    this.openFile = openFile ?? openPlain;
    this.window = { empty: emptyTranscript, tailCapBytes: limits.transcriptTailCapBytes, ...window };
  }

  async read(at: number): Promise<Observation<TranscriptFacts>> {
    let handle: ReadableFile;
    try {
      handle = await this.openFile(this.path);
    } catch (error) {
      return errorCode(error) === "ENOENT" ? absent(this.source, at) : unobserved(this.source, at, openFault(error));
    }
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return unobserved(this.source, at, "not a regular file");
      const position = await this.advance(handle, stat.size, stat.ino);
      this.position = position;
      return observed(this.source, at, this.facts(position, stat.mtimeMs, stat.size));
    } catch (error) {
      return unobserved(this.source, at, describeError(error));
    } finally {
      await handle.close();
    }
  }

  private async advance(handle: ReadableFile, size: number, inode: number): Promise<Position> {
    const known = this.position;
    if (known === undefined || known.inode !== inode || !isNear(known, size) || !(await hasMarks(handle, known))) {
      return readFromTail(handle, size, inode, this.window);
    }
    if (size === known.offset) return { ...known, unclosed: { kind: "none" } };
    const read = await foldRange(handle, known.offset, size, known.fold, known.skipping);
    return { ...known, ...read, marks: await readMarks(handle, read.offset) };
  }

  private facts(position: Position, modifiedAt: number, sizeBytes: number): TranscriptFacts {
    const { head, windowCapped } = position;
    const fold = withEnd(position);
    const titles = {
      custom: fold.titles.custom ?? head.titles.custom,
      agent: fold.titles.agent ?? head.titles.agent,
      prompt: head.titles.prompt ?? fold.titles.prompt,
    };
    return {
      id: basename(this.path, ".jsonl"),
      path: this.path,
      fold: { ...fold, titles },
      startCwd: head.firstCwd ?? fold.firstCwd,
      firstRecordAt: head.firstRecordAt ?? fold.firstRecordAt,
      modifiedAt,
      sizeBytes,
      windowCapped,
    };
  }
}

/** What is known of a transcript that there was no time to read. */
export function unreadTranscript(path: string, modifiedAt: number): TranscriptFacts {
  return {
    id: basename(path, ".jsonl"),
    path,
    fold: emptyTranscript,
    startCwd: undefined,
    firstRecordAt: undefined,
    modifiedAt,
    sizeBytes: 0,
    windowCapped: true,
  };
}

function withEnd({ fold, skipping, unclosed }: Position): TranscriptFold {
  return skipping
    ? skipTranscriptLine(fold, "line too long, and not at its end yet")
    : foldUnclosedLine(fold, unclosed);
}

function openFault(error: unknown): string {
  return errorCode(error) === "ELOOP" ? "a link, which is not followed" : describeError(error);
}

/** More than a whole window behind is read from the tail again: what a read costs does not grow with the file. */
function isNear({ offset }: Position, size: number): boolean {
  return size >= offset && size - offset <= limits.transcriptTailCapBytes;
}

async function readFromTail(handle: ReadableFile, size: number, inode: number, window: Window): Promise<Position> {
  const head = await readHead(handle, size, window.empty);
  // A file that the head covers is read once.
  if (head.to === size) {
    const { to: _, ...read } = head;
    return { inode, head: read.fold, ...read, windowCapped: false, marks: await readMarks(handle, read.offset) };
  }
  const { titles, firstCwd, firstRecordAt } = head.fold;
  const tail = await foldTail(handle, size, window, head.fold);
  return { inode, head: { titles, firstCwd, firstRecordAt }, ...tail, marks: await readMarks(handle, tail.offset) };
}

/** The head grows until a folder is told: large records may stand before the first that names it. */
async function readHead(
  handle: ReadableFile,
  size: number,
  empty: TranscriptFold,
): Promise<RangeRead & { readonly to: number }> {
  for (let window: number = limits.transcriptHeadBytes; ; window *= 4) {
    const to = Math.min(size, window);
    const head = to === size ? await foldRange(handle, 0, to, empty, false) : await foldStart(handle, to, empty);
    if (head.fold.firstCwd !== undefined || to === size || window >= limits.transcriptHeadCapBytes)
      return { ...head, to };
  }
}

/** Of a file that goes on behind it only what the tail does not tell is wanted. */
async function foldStart(handle: ReadableFile, to: number, empty: TranscriptFold): Promise<RangeRead> {
  if (to > limits.transcriptReadBytes) return foldRange(handle, 0, to, empty, false, tellsHeadNothing);
  return withBuffer(async (buffer) => {
    const chunk = await readInto(handle, 0, buffer.subarray(0, to));
    const fold = foldHead(empty, chunk, decode);
    return { fold, offset: to, skipping: false, unclosed: { kind: "none" } };
  });
}

async function foldTail(
  handle: ReadableFile,
  size: number,
  { empty, tailCapBytes }: Window,
  head: Head,
): Promise<Omit<Position, "inode" | "marks" | "head">> {
  for (let window = limits.transcriptTailBytes; ; window *= 2) {
    const from = Math.max(0, size - window);
    const start = from === 0 ? 0 : await lineStartAfter(handle, from, size);
    if (start !== undefined) {
      const tail =
        knowsItsStart(head) && size - start <= limits.transcriptReadBytes
          ? await foldWhole(handle, start, size, empty)
          : await foldRange(handle, start, size, empty, false);
      if (from === 0 || tail.fold.boundarySeen) return { ...tail, windowCapped: false };
      if (window >= tailCapBytes) return { ...tail, windowCapped: true };
    } else if (window >= tailCapBytes) {
      // One line fills the whole window: it is passed over as one, and so is what it hides.
      return { offset: size, skipping: true, unclosed: { kind: "none" }, fold: empty, windowCapped: true };
    }
  }
}

/** The offset behind the first newline at or after `from`; undefined where there is none. */
async function lineStartAfter(handle: ReadableFile, from: number, size: number): Promise<number | undefined> {
  for (let offset = from; offset < size; offset += limits.transcriptReadBytes) {
    const { newline, length } = await withBuffer(async (buffer) => {
      const chunk = await readInto(handle, offset, buffer.subarray(0, Math.min(buffer.length, size - offset)));
      return { newline: chunk.indexOf(0x0a), length: chunk.length };
    });
    if (newline >= 0) return offset + newline + 1;
    if (length === 0) return undefined;
  }
  return undefined;
}

/** The lines of the tail settle one another only where the head told what the first of them would. */
function knowsItsStart({ titles, firstCwd, firstRecordAt }: Head): boolean {
  return titles.prompt !== undefined && firstCwd !== undefined && firstRecordAt !== undefined;
}

/** A range that one buffer holds. */
async function foldWhole(handle: ReadableFile, from: number, to: number, empty: TranscriptFold): Promise<RangeRead> {
  return withBuffer(async (buffer) => {
    const chunk = await readInto(handle, from, buffer.subarray(0, to - from));
    const lines: Uint8Array[] = [];
    const { rest } = splitLines(noLines, chunk, limits.transcriptLineBytes, {
      line: (bytes) => lines.push(bytes),
      skipped: unreachableSkip,
    });
    return {
      fold: foldWindow(empty, lines, decode),
      offset: from + chunk.length - rest.length,
      skipping: false,
      unclosed: unclosedLine(rest, decode),
    };
  });
}

/** Lines of one buffer are far below the limit. */
function unreachableSkip(): void {
  return undefined;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

async function foldRange(
  handle: ReadableFile,
  from: number,
  to: number,
  initial: TranscriptFold,
  skipping: boolean,
  passesOver: (fold: TranscriptFold, line: Uint8Array) => boolean = never,
): Promise<RangeRead> {
  let fold = initial;
  let lines: LineState = { ...noLines, skipping };
  let offset = from;
  const sink = {
    line: (bytes: Uint8Array): void => {
      if (!passesOver(fold, bytes)) fold = foldTranscriptLine(fold, decode(bytes));
    },
    skipped: (why: string): void => {
      fold = skipTranscriptLine(fold, why);
    },
  };
  await withBuffer(async (buffer) => {
    while (offset < to) {
      const wanted = buffer.subarray(0, Math.min(buffer.length, to - offset));
      const chunk = await readInto(handle, offset, wanted);
      // Shorter than it was a moment ago: the next read finds that out and begins anew.
      if (chunk.length === 0) break;
      lines = splitLines(lines, chunk, limits.transcriptLineBytes, sink);
      offset += chunk.length;
    }
  });
  const { rest, skipping: isInLongLine } = lines;
  return { fold, offset: offset - rest.length, skipping: isInLongLine, unclosed: unclosedLine(rest, decode) };
}

function never(): boolean {
  return false;
}

async function readMarks(handle: ReadableFile, offset: number): Promise<Marks> {
  const length = Math.min(offset, limits.transcriptFingerprintBytes);
  return { head: await readAt(handle, 0, length), tail: await readAt(handle, offset - length, length) };
}

async function hasMarks(handle: ReadableFile, { marks, offset }: Position): Promise<boolean> {
  const now = await readMarks(handle, offset);
  return now.head.equals(marks.head) && now.tail.equals(marks.tail);
}

/** Memory of its own, since it is kept: a piece of the shared pool would keep the whole of it. */
function readAt(handle: ReadableFile, offset: number, length: number): Promise<Buffer> {
  return readInto(handle, offset, Buffer.allocUnsafeSlow(length));
}

async function withBuffer<T>(use: (buffer: Buffer) => Promise<T>): Promise<T> {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(limits.transcriptReadBytes);
  try {
    return await use(buffer);
  } finally {
    freeBuffers.push(buffer);
  }
}

async function readInto(handle: ReadableFile, offset: number, buffer: Buffer): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
