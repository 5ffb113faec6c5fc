// The watch of one folder that may go, come back and be replaced: file events follow the folder that was there when
// they were asked for, so another one under the same name is watched anew.
import { lstat } from "node:fs/promises";
import { FolderWatch, type FolderWatchOptions } from "./folderWatch.ts";

export class KeptWatch {
  private readonly folder: string;
  private readonly options: FolderWatchOptions;
  private current: { readonly watch: FolderWatch; readonly inode: number } | undefined;
  private disposed = false;

  constructor(folder: string, options: FolderWatchOptions) {
    this.folder = folder;
    this.options = options;
  }

  get folderCount(): number {
    return this.current?.watch.folderCount ?? 0;
  }

  /** Watches what is there now; call it after each look at the folder. */
  async keep(isPresent: boolean): Promise<void> {
    const inode = isPresent ? await this.inode() : undefined;
    if (this.disposed || inode === this.current?.inode) return;
    const old = this.current?.watch;
    this.current = inode === undefined ? undefined : { inode, watch: new FolderWatch(this.folder, this.options) };
    await old?.dispose();
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    const old = this.current?.watch;
    this.current = undefined;
    await old?.dispose();
  }

  private async inode(): Promise<number | undefined> {
    try {
      return (await lstat(this.folder)).ino;
    } catch {
      // eslint-disable-next-line no-restricted-syntax -- without a watch the poll finds what there is
      return undefined;
    }
  }
}
