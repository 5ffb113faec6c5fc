// Earlier contents of a file, kept beside it as links to the files that they were: a bounded number, the newest ones.
// Their being there also tells that the file itself was once there.
import { copyFile, constants as fsConstants, link, lstat, mkdir, open, readdir, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import { linksAreMissing } from "./hardLinks.ts";
import { fileIdentity } from "./readBounded.ts";
import { syncFolder } from "./syncFolder.ts";

const generationName = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}\.json$/;

export function generationsFolder(path: string): string {
  return join(dirname(path), `${basename(path)}.generations`);
}

/** @throws the system's error where that cannot be told */
export async function hasGenerations(path: string): Promise<boolean> {
  return (await listGenerations(path)).length > 0;
}

/** Oldest first. @throws the system's error where the folder is there and cannot be read */
export async function listGenerations(path: string): Promise<readonly string[]> {
  const folder = generationsFolder(path);
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => generationName.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** When it was replaced: until then the file held it. @param name as it is listed, without its folder */
export function generationTime(name: string): number {
  return Date.parse(name.replace(generationName, "$1-$2-$3T$4:$5:$6.$7Z"));
}

export interface Generation {
  readonly file: string;
  /** Tells whether it is the content that the caller read. */
  readonly identity: string;
}

/**
 * Keeps what stands at `path` now; undefined where nothing does, since another program is just putting its own there.
 * @throws the system's error; nothing is kept, and nothing may be replaced then
 */
export async function keepGeneration(
  path: string,
  { at, token }: { readonly at: number; readonly token: string },
): Promise<Generation | undefined> {
  const folder = generationsFolder(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date(at).toISOString().replace(/[-:.]/g, "");
  const file = join(folder, `${stamp}-${token.slice(0, 8)}.json`);
  try {
    const identity = await linkOrCopy(path, file);
    await syncFolder(folder);
    return { file, identity };
  } catch (error) {
    // Half a copy is no generation.
    if (errorCode(error) !== "EEXIST") await rm(file, { force: true });
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function linkOrCopy(path: string, file: string): Promise<string> {
  try {
    await link(path, file);
    return fileIdentity(await lstat(file));
  } catch (error) {
    if (!linksAreMissing(error)) throw error;
    const before = fileIdentity(await lstat(path));
    await copyFile(path, file, fsConstants.COPYFILE_EXCL);
    await syncFile(file);
    return before;
  }
}

/** Lets go of a generation that was not needed after all, unless what it holds stands nowhere else. */
export async function dropUnlessLast(path: string, { file, identity }: Generation): Promise<void> {
  const standing = await lstat(path).catch(() => undefined);
  if (standing !== undefined && fileIdentity(standing) === identity) await rm(file, { force: true });
}

/** Lets go of all but the newest. */
export async function dropOldGenerations(path: string): Promise<void> {
  const files = await listGenerations(path);
  for (const file of files.slice(0, -limits.registryGenerations)) await unlink(file);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
