// A range of an open file: its bytes into a buffer that is lent, and its lines into a fold, in chunks that no line has to
// respect. Where a range begins and which is read is for the readers above it.
import { limits } from "../../base/limits.ts";
import type { ReadableFile } from "../../base/node/readableFile.ts";
import { noLines, splitLines, type LineFold, type LineState } from "../core/jsonLines.ts";
import { unclosedLine, type UnclosedLine } from "../core/unclosedLine.ts";

/** What was read of a file's lines so far. */
export interface LinesRead<Fold> {
  readonly fold: Fold;
  /** Behind the last newline. */
  readonly offset: number;
  /** In the middle of a line over the limit. */
  readonly skipping: boolean;
  /** What stands behind the offset. */
  readonly unclosed: UnclosedLine;
}

/** Used again and again: as many as there are reads at once. A line is copied out before the next chunk comes. */
const freeBuffers: Buffer[] = [];

export async function withBuffer<T>(use: (buffer: Buffer) => Promise<T>): Promise<T> {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(limits.transcriptReadBytes);
  try {
    return await use(buffer);
  } finally {
    freeBuffers.push(buffer);
  }
}

/** As much of the buffer as the file fills. */
export async function readInto(handle: ReadableFile, offset: number, buffer: Buffer): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** @param before what was read as far as `from`: its fold, and whether that is in the middle of a line over the limit */
export async function foldRange<Fold>(
  handle: ReadableFile,
  { from, to }: { readonly from: number; readonly to: number },
  before: Pick<LinesRead<Fold>, "fold" | "skipping">,
  lines: LineFold<Fold>,
): Promise<LinesRead<Fold>> {
  let { fold } = before;
  let state: LineState = { ...noLines, skipping: before.skipping };
  let offset = from;
  const sink = {
    line: (bytes: Uint8Array): void => {
      if (lines.passesOver?.(fold, bytes) !== true) fold = lines.line(fold, decode(bytes));
    },
    skipped: (why: string): void => {
      fold = lines.skipped(fold, why);
    },
  };
  await withBuffer(async (buffer) => {
    while (offset < to) {
      const chunk = await readInto(handle, offset, buffer.subarray(0, Math.min(buffer.length, to - offset)));
      // Shorter than it was a moment ago: the next read finds that out and begins anew.
      if (chunk.length === 0) break;
      state = splitLines(state, chunk, limits.transcriptLineBytes, sink);
      offset += chunk.length;
    }
  });
  const { rest, skipping } = state;
  const unclosed: UnclosedLine = skipping ? { kind: "too-long" } : unclosedLine(rest, decode);
  return { fold, offset: offset - rest.length, skipping, unclosed };
}

/** The offset behind the first newline at or after `from`; undefined where there is none. */
export async function lineStartAfter(handle: ReadableFile, from: number, size: number): Promise<number | undefined> {
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
