// Whether a folder is this user's alone, so that nobody else reaches what is in it.
import { lstatSync } from "node:fs";

/** What is wrong with it and what to do, else undefined; @throws the system's error when it cannot be looked at */
export function privateFolderFault(folder: string): string | undefined {
  const stat = lstatSync(folder);
  const foreign = stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0 || !stat.isDirectory();
  return foreign
    ? `${folder} is not a folder of this user alone; remove it or set ROLLCALL_SOCKET to a path in one`
    : undefined;
}
