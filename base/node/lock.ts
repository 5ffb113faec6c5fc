// One holder at a time on this host: a file that is linked into place with its holder's identity in it. A holder
// that is positively gone loses it; one that cannot be told keeps it. Not for folders shared between kernels.
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { errorCode, rollcallError, type RollcallError } from "../errors.ts";
import { processStart } from "./processStart.ts";

export type LockError = RollcallError<"lock-held">;

const holderSchema = z.object({ pid: z.number().int().positive(), start: z.string(), token: z.string() });
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
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (linkInto(draft, path)) return heldLock(path, mine);
      const state = lockState(path);
      if (state.kind === "held") break;
      if (state.kind === "left-behind") setAside(path, state.holder?.token);
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
    text = readFileSync(path, "utf8");
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

/** Moves a dead holder's lock away; if a live one was caught in the meantime, it is put back. */
function setAside(path: string, deadToken: string | undefined): void {
  const aside = `${path}.${randomUUID()}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  if (readHolder(readFileSync(aside, "utf8"))?.token !== deadToken) linkInto(aside, path);
  rmSync(aside, { force: true });
}

function heldLock(path: string, mine: LockHolder): Lock {
  const isHeld = (): boolean => {
    try {
      return readHolder(readFileSync(path, "utf8"))?.token === mine.token;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      // A folder that does not answer proves nothing about the holder.
      return true;
    }
  };
  return { isHeld, release: () => (isHeld() ? rmSync(path, { force: true }) : undefined) };
}
