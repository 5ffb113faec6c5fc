// File events of some folders, as hints where to look: what is true is always read from the disk, and a poll
// with a ceiling finds what no event told. Folders are watched, not their files, so a hundred thousand
// files cost nothing.
import { watch, type FSWatcher } from "chokidar";
import { join } from "node:path";

export interface FolderWatchOptions {
  /** 0 for the folder itself, 1 for its subfolders too. */
  readonly depth: number;
  readonly onChange: (folder: string, name: string) => void;
  readonly onFault: (error: unknown) => void;
}

export class FolderWatch {
  private readonly watcher: FSWatcher;

  constructor(folder: string, options: FolderWatchOptions) {
    this.watcher = watch(folder, {
      depth: options.depth,
      ignoreInitial: true,
      persistent: true,
      ignored: (_path, stats) => stats !== undefined && !stats.isDirectory(),
    });
    this.watcher.on("raw", (_event, name, details) => {
      const watched = watchedPath(details);
      if (watched !== undefined && typeof name === "string") options.onChange(watched, name);
    });
    // What changed while the watch was being set up was told by no event.
    this.watcher.on("ready", () => options.onChange(folder, ""));
    this.watcher.on("addDir", (path) => options.onChange(path, ""));
    this.watcher.on("error", options.onFault);
  }

  get folderCount(): number {
    return Object.keys(this.watcher.getWatched()).length;
  }

  async dispose(): Promise<void> {
    await this.watcher.close();
  }
}

function watchedPath(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("watchedPath" in details)) return undefined;
  return typeof details.watchedPath === "string" ? join(details.watchedPath) : undefined;
}
