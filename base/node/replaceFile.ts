// Puts a new content in the place of the one that was read, never in place: a file of its own name beside it, synced,
// the old one kept as a generation, renamed over it, the folder synced. Another program that wrote meanwhile is
// noticed, before or after, and nothing of it is lost. What to do then is `guardedWrite.ts`.
import { randomUUID } from "node:crypto";
import { lstatSync, renameSync, type Stats } from "node:fs";
import { link, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { dropOldGenerations, dropUnlessLast, keepGeneration, type Generation } from "./generations.ts";
import { linksAreMissing } from "./hardLinks.ts";
import { fileIdentity } from "./readBounded.ts";
import { syncFolder } from "./syncFolder.ts";

export type Replaced =
  | { readonly kind: "replaced" }
  /** Another content stands there than the one that was read; nothing was changed. */
  | { readonly kind: "moved-on" }
  /** What was replaced was written to at the last moment; this file has what it became. */
  | { readonly kind: "overtaken"; readonly generation: string };

export interface Replacement {
  readonly path: string;
  readonly content: string;
  /** Of the content that was read; undefined where there was no file. */
  readonly expected: string | undefined;
  readonly at: number;
}

/** @throws the system's error, the file then unchanged */
export async function replaceFile({ path, content, expected, at }: Replacement): Promise<Replaced> {
  const token = randomUUID();
  const draft = `${path}.${token}.tmp`;
  const old = expected === undefined ? undefined : await lstat(path).catch(goneIsNone);
  if ((old === undefined ? undefined : fileIdentity(old)) !== expected) return { kind: "moved-on" };
  let needless: Generation | undefined;
  try {
    await writeDraft(draft, content, old);
    if (old === undefined) return await putNew(draft, path);
    const generation = await keepGeneration(path, { at, token });
    if (generation === undefined) return { kind: "moved-on" };
    needless = generation;
    if (generation.identity !== expected || !renameIfStill(draft, path, expected)) return { kind: "moved-on" };
    needless = undefined;
    await syncFolder(dirname(path));
    await dropOldGenerations(path);
    const kept = await lstat(generation.file);
    const wasWrittenTo = kept.ino === old.ino && fileIdentity(kept) !== expected;
    return wasWrittenTo ? { kind: "overtaken", generation: generation.file } : { kind: "replaced" };
  } finally {
    await rm(draft, { force: true });
    if (needless !== undefined) await dropUnlessLast(path, needless);
  }
}

/**
 * Keeping a generation takes its time, in which another program may rename its own file here, and a rename cannot be
 * told what to replace. So it follows the last look at once, in one step of this process.
 */
function renameIfStill(draft: string, path: string, expected: string): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now === undefined || fileIdentity(now) !== expected) return false;
  renameSync(draft, path);
  return true;
}

function goneIsNone(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
  return undefined;
}

/** Drafts that a process left which was killed while it wrote. */
export async function removeLeftDrafts(path: string, now: number): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f-]{36}\.tmp$/.test(name.slice(prefix.length))) continue;
    const draft = join(folder, name);
    const stats = await lstat(draft).catch(() => undefined);
    if (stats !== undefined && now - stats.mtimeMs > leftBehindAfterMs) await rm(draft, { force: true });
  }
}

const leftBehindAfterMs = 600_000;

async function writeDraft(draft: string, content: string, old: Stats | undefined): Promise<void> {
  const mode = old === undefined ? 0o600 : old.mode & 0o7777;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(content, "utf8");
    if (process.platform !== "win32") {
      // Another owner's file stays his where we may give it to him.
      if (old !== undefined && old.uid !== process.getuid?.()) await handle.chown(old.uid, old.gid).catch(() => false);
      await handle.chmod(mode);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Linked, since a rename would take the place of a file that came meanwhile. */
async function putNew(draft: string, path: string): Promise<Replaced> {
  try {
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return { kind: "moved-on" };
    if (!linksAreMissing(error)) throw error;
    await rename(draft, path);
  }
  await syncFolder(dirname(path));
  return { kind: "replaced" };
}
