// One holder at a time on this host: a file that is linked into place with its holder's identity in it. A holder
// that is positively gone loses it; one that cannot be told keeps it. Not for folders shared between kernels.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { errorCode, rollcallError, type RollcallError } from "../errors.ts";
import { limits } from "../limits.ts";
import { processStart } from "./processStart.ts";
import { plainFileFlags } from "./readBounded.ts";

export type LockError = RollcallError<"lock-held">;

const holderSchema = z.object({
  pid: z.number().int().positive(),
  start: z.string(),
  /** Also part of a file's name. */
  token: z.string().regex(/^[\w-]{1,64}$/),
});
export type LockHolder = z.infer<typeof holderSchema>;

export interface Lock {
  /** False once somebody else took it. */
  isHeld(): boolean;
  release(): void;
}

export type LockState =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly pid: number }
  | { readonly kind: "left-behind"; readonly holder: LockHolder | undefined };

const attempts = 5;
/** Longer than anybody tries to take a lock. */
const leftBehindAfterMs = 600_000;

/** @throws LockError while another live process holds it */
export function acquireLock(path: string): Lock {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const start = processStart(process.pid);
  const mine: LockHolder = {
    pid: process.pid,
    start: start.kind === "started" ? start.token : "",
    token: randomUUID(),
  };
  const draft = `${path}.${mine.token}`;
  try {
    // On a full disk this leaves an empty file, which goes too.
    writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (linkInto(draft, path)) return heldLock(path, mine);
      const state = lockState(path);
      if (state.kind === "held") break;
      if (state.kind === "left-behind" && removeDead(path, draft, state.holder?.token) && linkInto(draft, path))
        return heldLock(path, mine);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const state = lockState(path);
  const holder = state.kind === "held" ? `process ${state.pid}` : "another process";
  throw rollcallError("lock-held", `${path} is held by ${holder}; end it first`);
}

export function lockState(path: string): LockState {
  let text: string;
  try {
    text = readStart(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "free" };
    throw error;
  }
  const holder = readHolder(text);
  if (holder === undefined) return { kind: "left-behind", holder };
  const now = processStart(holder.pid);
  switch (now.kind) {
    case "gone":
      return { kind: "left-behind", holder };
    case "started":
      return now.token === holder.start ? { kind: "held", pid: holder.pid } : { kind: "left-behind", holder };
    case "cannot-tell":
      return { kind: "held", pid: holder.pid };
  }
}

/** A holder fits in far less; a file that is longer, or none, holds nobody. */
function readStart(path: string): string {
  const file = openSync(path, plainFileFlags);
  try {
    const buffer = Buffer.alloc(limits.lockFileBytes + 1);
    const length = fstatSync(file).isFile() ? readSync(file, buffer, 0, buffer.length, 0) : 0;
    return length > limits.lockFileBytes ? "" : buffer.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

/** The file is linked whole, so one that does not parse was damaged, and holds nobody. */
function readHolder(text: string): LockHolder | undefined {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function linkInto(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a dead holder's lock, true where it is gone. Only one process at a time may, or a slow one would remove
 * the lock of the live holder that came after.
 */
function removeDead(path: string, draft: string, deadToken: string | undefined): boolean {
  const right = rightToRemove(path, draft, deadToken ?? "damaged");
  if (right === undefined) return false;
  try {
    const state = lockState(path);
    if (state.kind === "left-behind" && state.holder?.token === deadToken) rmSync(path, { force: true });
    return state.kind !== "held";
  } finally {
    for (const file of right) rmSync(file, { force: true });
  }
}

/**
 * The files that give the right, each named after the dead process from which it comes; undefined while a live one
 * has it. One that died with the right leaves it behind like the lock.
 */
function rightToRemove(path: string, draft: string, deadToken: string): readonly string[] | undefined {
  const file = `${path}.${deadToken}.dead`;
  if (linkInto(draft, file)) return [file];
  const state = lockState(file);
  if (state.kind !== "left-behind" || state.holder === undefined) return undefined;
  const inherited = rightToRemove(path, draft, state.holder.token);
  return inherited === undefined ? undefined : [file, ...inherited];
}

/** What killed processes left of their attempts. Only the holder may: nobody takes the lock over from it meanwhile. */
function removeLeftAttempts(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !/^(?:[0-9a-f-]{36}|[\w-]{1,64}\.dead)$/.test(name.slice(prefix.length))) continue;
    const file = join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > leftBehindAfterMs) rmSync(file, { force: true });
  }
}

function heldLock(path: string, mine: LockHolder): Lock {
  try {
    removeLeftAttempts(path);
  } catch {
    // They cost a few bytes each; the lock is held all the same.
  }
  const isHeld = (): boolean => {
    try {
      return readHolder(readStart(path))?.token === mine.token;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      // A folder that does not answer proves nothing about the holder.
      return true;
    }
  };
  return { isHeld, release: () => (isHeld() ? rmSync(path, { force: true }) : undefined) };
}
