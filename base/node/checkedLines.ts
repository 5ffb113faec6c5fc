// A file of lines that only grows, each with a checksum of its own: what a crash tears is the last line, and costs no
// other one. It is synced before an append counts. Who appends holds a lock; what the lines say is the caller's.
import { sha256 as digestOf } from "./digest.ts";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../errors.ts";
import { writeFileDurably } from "./atomicFile.ts";
import { plainFileFlags } from "./readBounded.ts";
import { syncFolder } from "./syncFolder.ts";

/** Where reading stopped: behind the last whole line of that very file. */
export interface LinesPlace {
  readonly file: number;
  readonly bytes: number;
  /** What stands before it. A number of a file may come again with another one. */
  readonly before: string;
}

export interface LinesRead {
  readonly lines: readonly string[];
  /** True where it is another file than the one in which the place lies, so that the lines are all of it. */
  readonly isAnew: boolean;
  /** Lines that are none by their checksum, the torn end not counted. */
  readonly damaged: number;
  /** Undefined where there is no file. */
  readonly place: LinesPlace | undefined;
}

/** @throws the system's error, or one that says that the file is over the limit */
export async function readLines(
  file: string,
  from: LinesPlace | undefined,
  { limitBytes }: { readonly limitBytes: number },
): Promise<LinesRead> {
  let handle: FileHandle;
  try {
    handle = await open(file, plainFileFlags);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return { lines: [], isAnew: true, damaged: 0, place: undefined };
  }
  try {
    const { ino, size } = await handle.stat();
    const goesOn = from !== undefined && (await isAt(handle, from, { ino, size }));
    const begin = goesOn ? from.bytes : 0;
    if (size - begin > limitBytes) throw new Error(`${size - begin} bytes, over the limit of ${limitBytes}`);
    const bytes = await readRange(handle, begin, size);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const { lines, damaged } = wholeLines(bytes.subarray(0, end));
    const place = end === 0 && goesOn ? from : { file: ino, bytes: begin + end, before: endOf(bytes.subarray(0, end)) };
    return { lines, isAnew: !goesOn, damaged, place };
  } finally {
    await handle.close();
  }
}

/** What stands behind the place is torn, and goes. @throws the system's error; the lines are then not there, or torn */
export async function appendLines(
  file: string,
  lines: readonly string[],
  place: LinesPlace | undefined,
): Promise<LinesPlace> {
  const bytes = Buffer.from(lines.map(checked).join(""), "utf8");
  const handle = await open(file, place === undefined ? "wx" : "r+", 0o600);
  try {
    const at = place?.bytes ?? 0;
    const { ino, size } = await handle.stat();
    if (place !== undefined && !(await isAt(handle, place, { ino, size })))
      throw new Error(`${file} was replaced meanwhile`);
    if (size > at) await handle.truncate(at);
    await writeWhole(handle, bytes, at);
    await handle.sync();
    if (place === undefined) await syncFolder(dirname(file));
    return { file: ino, bytes: at + bytes.length, before: endOf(bytes) };
  } finally {
    await handle.close();
  }
}

/** The file begins anew with these lines; until then it is the old one. */
export async function replaceLines(file: string, lines: readonly string[]): Promise<void> {
  await writeFileDurably(file, lines.map(checked).join(""));
}

function checked(line: string): string {
  return `${checksum(line)} ${line}\n`;
}

function wholeLines(bytes: Buffer): Pick<LinesRead, "lines" | "damaged"> {
  const lines: string[] = [];
  let damaged = 0;
  for (let begin = 0; begin < bytes.length;) {
    const end = bytes.indexOf(0x0a, begin);
    const text = bytes.toString("utf8", begin, end);
    const line = text.slice(checksumChars + 1);
    if (text.slice(0, checksumChars + 1) === `${checksum(line)} `) lines.push(line);
    else damaged += 1;
    begin = end + 1;
  }
  return { lines, damaged };
}

async function isAt(
  handle: FileHandle,
  { file, bytes, before }: LinesPlace,
  { ino, size }: { readonly ino: number; readonly size: number },
): Promise<boolean> {
  if (file !== ino || bytes > size) return false;
  return (await readRange(handle, bytes - before.length, bytes)).toString("latin1") === before;
}

function endOf(bytes: Buffer): string {
  return bytes.subarray(-64).toString("latin1");
}

const checksumChars = 16;

function checksum(line: string): string {
  return digestOf(line, "hex").slice(0, checksumChars);
}

async function readRange(handle: FileHandle, begin: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - begin);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, begin + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
