// The head and the tail of a transcript that is read for the first time: what only its start tells, and what was open at
// its end, reading back until a turn boundary is seen or a cap is reached. What comes after is `fileFollower.ts`.
import { limits } from "../../base/limits.ts";
import type { ReadableFile } from "../../base/node/readableFile.ts";
import { noLines, splitLines, type LineFold } from "../core/jsonLines.ts";
import { transcriptLines, type TranscriptFold } from "../core/transcript.ts";
import { foldHead, foldWindow, tellsHeadNothing } from "../core/transcriptWindow.ts";
import { unclosedLine } from "../core/unclosedLine.ts";
import { decode, foldRange, lineStartAfter, readInto, withBuffer, type LinesRead } from "./fileRange.ts";

export interface TranscriptRead extends LinesRead<TranscriptFold> {
  readonly head: TranscriptHead;
  readonly windowCapped: boolean;
}

/** What only the start of a file tells. */
export type TranscriptHead = Pick<TranscriptFold, "titles" | "firstCwd" | "firstRecordAt">;

export interface TranscriptWindow {
  /** The fold before any line: of a session's file, or of a subagent's. */
  readonly empty: TranscriptFold;
  /** How far to read back. */
  readonly tailCapBytes: number;
}

const headLines: LineFold<TranscriptFold> = { ...transcriptLines, passesOver: tellsHeadNothing };

export async function readEnds(handle: ReadableFile, size: number, window: TranscriptWindow): Promise<TranscriptRead> {
  const { to, ...read } = await readHead(handle, size, window.empty);
  // A file that the head covers is read once.
  if (to === size) return { ...read, head: read.fold, windowCapped: false };
  const { titles, firstCwd, firstRecordAt } = read.fold;
  const head = { titles, firstCwd, firstRecordAt };
  return { ...(await readTail(handle, size, window, head)), head };
}

/** The head grows until a folder is told: large records may stand before the first that names it. */
async function readHead(
  handle: ReadableFile,
  size: number,
  fold: TranscriptFold,
): Promise<LinesRead<TranscriptFold> & { readonly to: number }> {
  for (let window: number = limits.transcriptHeadBytes; ; window *= 4) {
    const to = Math.min(size, window);
    const head =
      to === size
        ? await foldRange(handle, { from: 0, to }, { fold, skipping: false }, transcriptLines)
        : await foldStart(handle, to, fold);
    if (head.fold.firstCwd !== undefined || to === size || window >= limits.transcriptHeadCapBytes)
      return { ...head, to };
  }
}

/** Of a file that goes on behind it only what the tail does not tell is wanted. */
async function foldStart(handle: ReadableFile, to: number, empty: TranscriptFold): Promise<LinesRead<TranscriptFold>> {
  if (to > limits.transcriptReadBytes)
    return foldRange(handle, { from: 0, to }, { fold: empty, skipping: false }, headLines);
  return withBuffer(async (buffer) => {
    const chunk = await readInto(handle, 0, buffer.subarray(0, to));
    return { fold: foldHead(empty, chunk, decode), offset: to, skipping: false, unclosed: { kind: "none" } };
  });
}

async function readTail(
  handle: ReadableFile,
  size: number,
  { empty, tailCapBytes }: TranscriptWindow,
  head: TranscriptHead,
): Promise<Omit<TranscriptRead, "head">> {
  for (let window = limits.transcriptTailBytes; ; window *= 2) {
    const from = Math.max(0, size - window);
    const start = from === 0 ? 0 : await lineStartAfter(handle, from, size);
    if (start !== undefined) {
      const tail =
        knowsItsStart(head) && size - start <= limits.transcriptReadBytes
          ? await foldWhole(handle, start, size, empty)
          : await foldRange(handle, { from: start, to: size }, { fold: empty, skipping: false }, transcriptLines);
      if (from === 0 || tail.fold.boundarySeen) return { ...tail, windowCapped: false };
      if (window >= tailCapBytes) return { ...tail, windowCapped: true };
    } else if (window >= tailCapBytes) {
      // One line fills the whole window: it is passed over as one, and so is what it hides.
      return { offset: size, skipping: true, unclosed: { kind: "too-long" }, fold: empty, windowCapped: true };
    }
  }
}

/** The lines of the tail settle one another only where the head told what the first of them would. */
function knowsItsStart({ titles, firstCwd, firstRecordAt }: TranscriptHead): boolean {
  return titles.prompt !== undefined && firstCwd !== undefined && firstRecordAt !== undefined;
}

/** A range that one buffer holds. */
async function foldWhole(
  handle: ReadableFile,
  from: number,
  to: number,
  empty: TranscriptFold,
): Promise<LinesRead<TranscriptFold>> {
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
