// Whether a config folder is positively gone. That there is none of its name says it only on a disk of this host, while
// the mount on which the folder was seen is still there: a share that vanished, or a disk that was taken out, leaves an
// empty place behind that looks the same. When a folder that is gone may be forgotten is for who watches it.
import { lstat } from "node:fs/promises";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { isOwnDisk } from "../../base/node/fileStats.ts";
import { mountOf } from "../../base/node/mountTable.ts";
import { Patience } from "../../base/node/patience.ts";

/** `unseen`: not there, and never was. */
export type Presence = "there" | "gone" | "unseen" | "cannot-tell";

export class FolderPresence {
  private readonly path: string;
  private readonly patience: Patience;
  private readonly mountOf: (path: string) => string | undefined;
  private seen: { readonly mount: string | undefined } | undefined;

  /** @param path without links */
  constructor(path: string, mounts: (path: string) => string | undefined = mountOf) {
    this.path = path;
    this.patience = new Patience(path, limits.fileReadDeadlineMs);
    this.mountOf = mounts;
  }

  get wasSeen(): boolean {
    return this.seen !== undefined;
  }

  async look(): Promise<Presence> {
    const mount = this.mountOf(this.path);
    try {
      if (!(await this.patience.wait(() => lstat(this.path))).isDirectory()) return "cannot-tell";
      const isOwn = await this.patience.wait(() => isOwnDisk(this.path));
      this.seen = { mount: isOwn && mount === this.mountOf(this.path) ? mount : undefined };
      return "there";
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return "cannot-tell";
      if (this.seen === undefined) return "unseen";
      const isSameMount = this.seen.mount !== undefined && this.seen.mount === mount;
      return isSameMount && mount === this.mountOf(this.path) ? "gone" : "cannot-tell";
    }
  }
}
