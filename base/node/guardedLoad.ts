// Reads a file that must never be taken for empty by mistake, and tells three answers apart: it was never there, it
// was read whole and has its shape, or it cannot be read, with the cause. A torn read is tried again for a moment,
// since another program may be writing just now. What follows from an answer is the caller's.
import type { Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { dirname } from "node:path";
import { describeError, errorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import { hasGenerations } from "./generations.ts";
import { readBounded } from "./readBounded.ts";
import type { SeenMarks } from "./seenMarks.ts";

export type GuardedLoad<T> =
  | { readonly kind: "absent" }
  | {
      readonly kind: "read";
      readonly value: T;
      readonly text: string;
      readonly identity: string;
      readonly modifiedAt: number;
    }
  | { readonly kind: "unreadable"; readonly cause: string };

export type Parse<T> = (
  text: string,
) => { readonly kind: "parsed"; readonly document: T } | { readonly kind: "unreadable"; readonly cause: string };

/** What was read whole of a file, kept. */
export interface WholeCopies<T> {
  /** Called before the file is read; `keep` is told what it said. */
  readonly before?: () => Promise<unknown>;
  /** @returns "overtaken" where it is older than what is kept, so that it must not count */
  readonly keep: (path: string, read: WholeRead<T>) => Promise<"kept" | "overtaken">;
  /** The newest content that is kept and has its shape still; undefined where there is none. */
  readonly newest: (path: string, parse: Parse<T>) => Promise<{ readonly value: T; readonly asOf: number } | undefined>;
}

export interface WholeRead<T> {
  readonly value: T;
  readonly text: string;
  /** Of the file that it was read from, at that moment. */
  readonly identity: string;
  /** What `before` said. */
  readonly since?: unknown;
}

export interface GuardedFile<T> {
  readonly path: string;
  /** Its folder is made by us, so that before the first start it is missing in good faith. */
  readonly folderIsOurs: boolean;
  readonly marks: SeenMarks;
  readonly parse: Parse<T>;
  /** Where each content that was read whole is kept for a reader that finds the file torn. */
  readonly copies?: Pick<WholeCopies<T>, "before" | "keep">;
}

/** Together within 250 ms. */
const tornRetryMs = [20, 60, 120];

export async function guardedLoad<T>(file: GuardedFile<T>): Promise<GuardedLoad<T>> {
  let timer: NodeJS.Timeout | undefined;
  const cause = `no answer within ${limits.registryLoadDeadlineMs} ms`;
  const late = new Promise<GuardedLoad<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "unreadable", cause }), limits.registryLoadDeadlineMs);
  });
  try {
    return await Promise.race([loadWithRetries(file), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function loadWithRetries<T>(file: GuardedFile<T>): Promise<GuardedLoad<T>> {
  let load = await loadOnce(file);
  for (const waitMs of tornRetryMs) {
    if (load.kind !== "unreadable" || load.isLasting) break;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    load = await loadOnce(file);
  }
  return load.kind === "unreadable" ? { kind: "unreadable", cause: load.cause } : load;
}

type Attempt<T> =
  | Exclude<GuardedLoad<T>, { kind: "unreadable" }>
  | {
      readonly kind: "unreadable";
      readonly cause: string;
      /** No writer is the reason. */ readonly isLasting: boolean;
    };

async function loadOnce<T>(file: GuardedFile<T>): Promise<Attempt<T>> {
  const { path, parse, marks, copies } = file;
  const since = await copies?.before?.();
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return missing(file);
    return lasting(describeError(error));
  }
  // A file of that name is there, whatever it holds. A folder for marks that cannot be written costs the mark.
  if (stats.isFile() || stats.isSymbolicLink()) await marks.mark(path).catch(() => false);
  const other = otherInItsPlace(stats);
  // Opening a device may already do something.
  if (other !== undefined) return lasting(`${other} in its place`);
  const read = await readBounded(path, limits.registryBytes, limits.fileReadDeadlineMs);
  switch (read.kind) {
    case "absent":
      return passing("gone while it was read");
    case "unreadable":
      return passing(read.cause);
    case "read": {
      const parsed = parseBytes(read.bytes, parse);
      if (parsed.kind === "unreadable") return passing(parsed.cause);
      const { identity, modifiedAt } = read;
      const whole = { value: parsed.document, text: parsed.text, identity };
      // A folder for copies that cannot be written costs the copy.
      const kept = await copies?.keep(path, { ...whole, since }).catch(() => undefined);
      if (kept === "overtaken") return passing("written again while it was read");
      return { kind: "read", ...whole, modifiedAt };
    }
  }
}

function otherInItsPlace(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** The content of a file that was read whole. */
export function parseBytes<T>(
  bytes: Buffer,
  parse: Parse<T>,
):
  | { readonly kind: "parsed"; readonly document: T; readonly text: string }
  | { readonly kind: "unreadable"; readonly cause: string } {
  if (bytes.length === 0) return { kind: "unreadable", cause: "zero bytes" };
  if (bytes.includes(0)) return { kind: "unreadable", cause: "holds NUL bytes" };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { kind: "unreadable", cause: "not UTF-8" };
  }
  const parsed = parse(text);
  return parsed.kind === "parsed" ? { ...parsed, text } : parsed;
}

/** Never there is an answer only of a folder that can be read, and of a file that nobody ever saw. */
async function missing<T>({ path, folderIsOurs, marks }: GuardedFile<T>): Promise<Attempt<T>> {
  const folder = dirname(path);
  const seen = await marks.look(path);
  if (seen.kind === "cannot-tell") return lasting(`gone, and whether it was ever there cannot be told: ${seen.cause}`);
  if (seen.kind === "seen") return passing("gone after having been seen");
  try {
    await (await opendir(folder)).close();
    if (await hasGenerations(path)) return passing("gone after having been seen");
  } catch (error) {
    if (folderIsOurs && errorCode(error) === "ENOENT") return { kind: "absent" };
    return lasting(`its folder cannot be read: ${describeError(error)}`);
  }
  return { kind: "absent" };
}

function passing(cause: string): Attempt<never> {
  return { kind: "unreadable", cause, isLasting: false };
}

function lasting(cause: string): Attempt<never> {
  return { kind: "unreadable", cause, isLasting: true };
}
