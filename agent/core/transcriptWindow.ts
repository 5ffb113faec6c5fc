// The end of a transcript, folded as if each of its lines had been, at a fraction of the cost: a prompt settles whatever
// came before it in its turn, so of the lines before the last one only those are parsed that may tell something a
// prompt does not settle: tasks in the background, subagents, titles, a moved folder. Where the lines behind that
// prompt do not tell all that a line may tell, every line is folded after all.
import { bytesOf, includes, lookAtLine, type LineLook } from "./lineType.ts";
import { foldTranscriptLine, isPromptLine, type TranscriptFold } from "./transcript.ts";

export type Decode = (line: Uint8Array) => string;

const newline = 0x0a;
const underscore = 0x5f;
const hyphen = 0x2d;
const capitalI = 0x49;
const letterC = 0x63;
const letterK = 0x6b;
const letterI = 0x69;
const letterL = 0x6c;
/** One for each byte of which such a word's part consists. */
const inTaskWords = new Uint8Array(256);
for (const byte of bytesOf("kIdc_l-i")) inTaskWords[byte] = 1;
const conversationKey = bytesOf('{"parentUuid":');
const timeKey = bytesOf('"timestamp"');
const resultWord = bytesOf("tool_result");

/** @param lines those of a window that begins behind a head which told folder, prompt and time */
export function foldWindow(empty: TranscriptFold, lines: readonly Uint8Array[], decode: Decode): TranscriptFold {
  return foldFromLastPrompt(empty, lines, decode) ?? foldEach(empty, lines, decode);
}

export function foldEach(initial: TranscriptFold, lines: readonly Uint8Array[], decode: Decode): TranscriptFold {
  return lines.reduce((fold, line) => foldTranscriptLine(fold, decode(line)), initial);
}

/**
 * The start of a file that goes on behind it. Once folder, time and prompt are told only a title is worth a line, and a
 * record with a place in the conversation tells none.
 */
export function foldHead(empty: TranscriptFold, chunk: Uint8Array, decode: Decode): TranscriptFold {
  let fold = empty;
  let isTold = false;
  for (let start = 0, end: number; (end = chunk.indexOf(newline, start)) >= 0; start = end + 1) {
    if (isTold && startsWith(chunk, start, conversationKey)) continue;
    const line = chunk.subarray(start, end);
    if (tellsHeadNothing(fold, line)) continue;
    fold = foldTranscriptLine(fold, decode(line));
    isTold = fold.firstCwd !== undefined && fold.firstRecordAt !== undefined && fold.titles.prompt !== undefined;
  }
  return fold;
}

function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}

/** True for a line of which a head that knows folder, time and prompt learns nothing. */
export function tellsHeadNothing(head: TranscriptFold, line: Uint8Array): boolean {
  if (head.firstCwd === undefined || head.firstRecordAt === undefined) return false;
  const look = lookAtLine(line);
  if (look === undefined || look.type === "another") return false;
  return look.type !== "user" || head.titles.prompt !== undefined;
}

/** Undefined where this short way cannot be sure to tell the same. */
function foldFromLastPrompt(
  empty: TranscriptFold,
  lines: readonly Uint8Array[],
  decode: Decode,
): TranscriptFold | undefined {
  const looks = lines.map(lookAtLine);
  const prompt = lastPrompt(lines, looks, decode);
  if (prompt < 0) return undefined;
  let before = empty;
  for (let index = 0; index < prompt; index += 1) {
    const line = lines[index] as Uint8Array;
    const look = looks[index];
    if (look !== undefined && isSettled(line, look)) continue;
    // Without a time of its own it has that of the line before, which may not have been read.
    if (look?.type !== "another" && !includes(line, 0, timeKey)) return undefined;
    before = foldTranscriptLine(before, decode(line));
  }
  const told = foldEach({ ...before, ...notTold }, lines.slice(prompt), decode);
  return tellsAll(told) ? told : undefined;
}

function lastPrompt(lines: readonly Uint8Array[], looks: readonly (LineLook | undefined)[], decode: Decode): number {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const look = looks[index];
    if (look?.type !== "user" || look.mayBeSidechain) continue;
    const line = lines[index] as Uint8Array;
    if (!includes(line, 0, resultWord) && isPromptLine(decode(line))) return index;
  }
  return -1;
}

/** True for a line whose every word a later prompt settles. */
function isSettled(line: Uint8Array, { type, mayBeSidechain }: LineLook): boolean {
  if (mayBeSidechain) return false;
  switch (type) {
    case "assistant":
    case "progress":
    case "file-history-snapshot":
      return true;
    case "user":
    case "attachment":
    case "queue-operation":
      return !mayTellOfTask(line);
    case "system":
    case "another":
      return false;
  }
}

/**
 * True where the line may hold one of the words that tell of a task: taskId, task_id, task-id, backgroundTaskId,
 * shell_id, async_launched. Told by three letters of each, so that a look at every third byte finds them all.
 */
function mayTellOfTask(line: Uint8Array): boolean {
  const end = line.length - 2;
  for (let at = 2; at < end; at += 3) {
    if (inTaskWords[line[at] as number] === 0) continue;
    if (isPartOfTaskWord(line, at - 2) || isPartOfTaskWord(line, at - 1) || isPartOfTaskWord(line, at)) return true;
  }
  // Behind a word stand a quote and a brace at least, so that what is left holds none.
  return false;
}

/** kId, k_i, k-i, l_i, c_l; asked only where two more bytes follow. */
function isPartOfTaskWord(line: Uint8Array, at: number): boolean {
  const second = line[at + 1];
  if (second !== underscore && second !== hyphen && second !== capitalI) return false;
  const first = line[at];
  if (first === letterK) return true;
  if (second !== underscore) return false;
  const third = line[at + 2];
  return (first === letterL && third === letterI) || (first === letterC && third === letterL);
}

const notTold = {
  lastCwd: undefined,
  lastRecordAt: undefined,
  version: undefined,
  entrypoint: undefined,
  originId: undefined,
} as const satisfies Partial<TranscriptFold>;

function tellsAll(fold: TranscriptFold): boolean {
  return (Object.keys(notTold) as (keyof typeof notTold)[]).every((field) => fold[field] !== undefined);
}
