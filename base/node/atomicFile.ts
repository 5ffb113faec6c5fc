// A file is its old content or its new one, never something between: write-file-atomic writes beside it, syncs
// and renames; the sync of the folder makes the rename itself last.
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import writeFileAtomic from "write-file-atomic";

/** @param mode permission bits of the file; @throws the system's error, the file then unchanged */
export async function writeFileDurably(path: string, content: string, mode = 0o600): Promise<void> {
  await writeFileAtomic(path, content, { mode, fsync: true });
  if (process.platform === "win32") return;
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
