// The watch of one folder that may go, come back and be replaced: file events follow the folder that was there when
// they were asked for, so another one under the same name is watched anew.
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { FolderWatch, type FolderWatchOptions } from "./folderWatch.ts";

export interface KeptWatchOptions extends FolderWatchOptions {
  /** How to ask for the folder, where a plain look at it will not do. */
  readonly look?: (path: string) => Promise<Stats>;
}

export class KeptWatch {
  private readonly folder: string;
  private readonly options: KeptWatchOptions;
  private current: { readonly watch: FolderWatch; readonly inode: number } | undefined;
  private disposed = false;

  constructor(folder: string, options: KeptWatchOptions) {
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
      return (await (this.options.look ?? lstat)(this.folder)).ino;
    } catch {
      // eslint-disable-next-line no-restricted-syntax -- without a watch the poll finds what there is
      return undefined;
    }
  }
}
