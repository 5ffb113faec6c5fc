// Changes a file that several programs write, and only where it could be read: lock among ourselves, read inside the
// lock, change, replace, read back, and once more where another program was in between. A file that cannot be read
// stays byte for byte what it is. What the change is, the caller says; done twice it must change nothing more.
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describeError, errorCode, isRollcallError, rollcallError, type RollcallError } from "../errors.ts";
import { limits } from "../limits.ts";
import { guardedLoad, parseBytes, type GuardedFile, type GuardedLoad } from "./guardedLoad.ts";
import { awaitLock } from "./awaitLock.ts";
import type { Lock } from "./lock.ts";
import { removeLeftDrafts, replaceFile } from "./replaceFile.ts";

export type GuardedWriteErrorKind = "file-unreadable" | "file-busy" | "file-not-written";
export type GuardedWriteError = RollcallError<GuardedWriteErrorKind>;

/** @param document undefined where the file was never there; @returns the new text, undefined where nothing changes; @throws to refuse */
export type Change<T> = (document: T | undefined) => string | undefined | Promise<string | undefined>;

export interface WrittenFile<T> extends GuardedFile<T> {
  /** What it is, for messages: "the registry". */
  readonly what: string;
  readonly now: () => number;
  /** What mends it where it cannot be read, for messages. */
  readonly mending?: string;
  /** Told of what is about to be put in its place; nothing is put there where this fails. */
  readonly announce?: (content: string) => Promise<void>;
  /** Told once it was put there, whatever became of it since. */
  readonly wrote?: (content: string) => Promise<void>;
}

/** @returns whether the file changed; @throws GuardedWriteError, or what `change` throws; the file is then unchanged */
export async function guardedWrite<T>(file: WrittenFile<T>, change: Change<T>): Promise<boolean> {
  const lock = await lockOf(file);
  try {
    const changed = await untilItHolds(file, change);
    if (changed) await removeLeftDrafts(file.path, file.now());
    return changed;
  } catch (error) {
    if (isRollcallError(error)) throw error;
    throw notWritten(file, error);
  } finally {
    lock.release();
  }
}

async function untilItHolds<T>(file: WrittenFile<T>, change: Change<T>): Promise<boolean> {
  const { path } = file;
  let changed = false;
  let overtakenBy: Content<T> | undefined;
  for (let attempt = 0; attempt < limits.registryWriteAttempts; attempt += 1) {
    const load = await guardedLoad(file);
    if (load.kind === "unreadable") throw unreadable(file, load.cause, changed);
    const from: Content<T> | undefined = overtakenBy ?? contentOf(load);
    const content = (await change(from?.value)) ?? overtakenBy?.text;
    if (content === undefined) return changed;
    await file.announce?.(content);
    const expected = load.kind === "absent" ? undefined : load.identity;
    const replaced = await replaceFile({ path, content, expected, at: file.now() });
    overtakenBy = replaced.kind === "overtaken" ? await contentAt(file, replaced.generation) : undefined;
    if (replaced.kind === "moved-on") continue;
    changed = true;
    await file.wrote?.(content);
  }
  throw rollcallError<GuardedWriteErrorKind>(
    "file-busy",
    `${file.what} ${path} was written by another program each of ${limits.registryWriteAttempts} times; try again when it rests`,
  );
}

interface Content<T> {
  readonly value: T;
  readonly text: string;
}

function contentOf<T>(load: Exclude<GuardedLoad<T>, { kind: "unreadable" }>): Content<T> | undefined {
  return load.kind === "absent" ? undefined : load;
}

/** What another program wrote into the file that was just replaced; undefined where it is not whole and so nothing to go by. */
async function contentAt<T>(file: WrittenFile<T>, generation: string): Promise<Content<T> | undefined> {
  const parsed = parseBytes(await readFile(generation), file.parse);
  return parsed.kind === "parsed" ? { value: parsed.document, text: parsed.text } : undefined;
}

/** @throws GuardedWriteError */
export async function lockOf<T>(file: WrittenFile<T>): Promise<Lock> {
  const { path, folderIsOurs } = file;
  try {
    if (folderIsOurs) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    else await stat(dirname(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      throw unreadable(file, `its folder cannot be read: ${describeError(error)}`, false);
    throw notWritten(file, error);
  }
  try {
    return await awaitLock(`${path}.lock`, limits.registryLockDeadlineMs);
  } catch (error) {
    throw isRollcallError(error) ? busy(file, error.message) : notWritten(file, error);
  }
}

function busy<T>({ what, path }: WrittenFile<T>, cause: string): GuardedWriteError {
  return rollcallError<GuardedWriteErrorKind>(
    "file-busy",
    `${what} ${path} was being written by others for ${limits.registryLockDeadlineMs / 1_000} s, so nothing was written; try again, and if it stays so: ${cause}`,
    cause,
  );
}

export function unreadable<T>(
  { what, path, mending }: WrittenFile<T>,
  cause: string,
  written: boolean,
): GuardedWriteError {
  const says = written
    ? `${what} ${path} was written and cannot be read back: ${cause}; look at it, and try again`
    : `${what} ${path} cannot be read (${cause}), so nothing was written and it stays as it is; ${mending ?? "mend it or put a kept generation in its place, then try again"}`;
  return rollcallError<GuardedWriteErrorKind>("file-unreadable", says, cause);
}

export function notWritten<T>({ what, path }: WrittenFile<T>, cause: unknown): GuardedWriteError {
  return rollcallError<GuardedWriteErrorKind>(
    "file-not-written",
    `${what} ${path} could not be written (${describeError(cause)}); it stays as it is; make it writable and try again`,
    cause,
  );
}
