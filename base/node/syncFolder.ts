// Makes a rename last: the folder itself is written down.
import { open } from "node:fs/promises";
import { errorCode } from "../errors.ts";

/** Some shared file systems cannot sync a folder; they are as durable as they are. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await handle.close();
  }
}
