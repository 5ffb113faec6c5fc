// Puts a whole content in the place of a file that cannot be read, which only a person asks for. Whatever stands there
// is kept aside under another name, with every byte. One that can be read by then is left to `guardedWrite.ts`.
import { randomUUID } from "node:crypto";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, isRollcallError } from "../errors.ts";
import { guardedLoad } from "./guardedLoad.ts";
import { lockOf, notWritten, type WrittenFile } from "./guardedWrite.ts";
import { syncFolder } from "./syncFolder.ts";

export type UnreadableReplaced =
  | { readonly kind: "can-be-read" }
  /** `aside` is where what stood there is; undefined where nothing did. */
  | { readonly kind: "replaced"; readonly aside: string | undefined };

/** @throws GuardedWriteError, or what `announce` throws; what stood there is then there, or aside */
export async function replaceUnreadable<T>(file: WrittenFile<T>, content: string): Promise<UnreadableReplaced> {
  const lock = await lockOf(file);
  const draft = `${file.path}.${randomUUID()}.tmp`;
  try {
    if ((await guardedLoad(file)).kind !== "unreadable") return { kind: "can-be-read" };
    await file.announce?.(content);
    await writeSynced(draft, content);
    const aside = await putAside(file);
    await rename(draft, file.path);
    await syncFolder(dirname(file.path));
    await file.wrote?.(content);
    return { kind: "replaced", aside };
  } catch (error) {
    throw isRollcallError(error) ? error : notWritten(file, error);
  } finally {
    await rm(draft, { force: true });
    lock.release();
  }
}

/** A file stays where it is until another one takes its place; what is none has to make room. */
async function putAside<T>({ path, now }: WrittenFile<T>): Promise<string | undefined> {
  const aside = `${path}.unreadable-${new Date(now()).toISOString().replace(/[-:.]/g, "")}-${randomUUID().slice(0, 8)}`;
  try {
    if ((await lstat(path)).isFile()) await link(path, aside).catch(() => rename(path, aside));
    else await rename(path, aside);
    return aside;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function writeSynced(draft: string, content: string): Promise<void> {
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(content, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}
