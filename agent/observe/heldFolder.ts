// A folder that is held open, for whoever reads below it. It is reached by its number among the open files, so it is
// closed only when nobody uses it any more: the number would be another file's.
import type { FileHandle } from "node:fs/promises";

export class HeldFolder {
  private readonly handle: FileHandle;
  private users = 0;
  private isLeft = false;

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  async use<T>(work: (folder: FileHandle) => Promise<T>): Promise<T> {
    this.users += 1;
    try {
      return await work(this.handle);
    } finally {
      this.users -= 1;
      await this.closeIfLeft();
    }
  }

  /** False for a folder that was removed while it is held: another one may stand in its place. */
  isThere(): Promise<boolean> {
    return this.use(async (folder) => (await folder.stat()).nlink > 0);
  }

  async leave(): Promise<void> {
    if (this.isLeft) return;
    this.isLeft = true;
    await this.closeIfLeft();
  }

  private async closeIfLeft(): Promise<void> {
    if (this.isLeft && this.users === 0) await this.handle.close();
  }
}
