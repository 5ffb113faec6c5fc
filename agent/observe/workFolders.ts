// Whether the folders that sessions work in are still there. One that could not be looked at stays what it was: only
// the answer that there is none marks a row, and it ends nothing.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { Patience } from "../../base/node/patience.ts";

export class WorkFolders {
  private known: ReadonlySet<string>;
  private readonly patience = new Patience("the folders of sessions", limits.fileReadDeadlineMs);

  /** @param remembered those that an earlier agent found gone */
  constructor(remembered: ReadonlySet<string> = new Set()) {
    this.known = remembered;
  }

  /** Those of the last look that are not there. */
  get gone(): ReadonlySet<string> {
    return this.known;
  }

  /** True where the answer is another one than before. */
  async look(folders: ReadonlySet<string>): Promise<boolean> {
    const gone = new Set<string>();
    for (const folder of folders) if (isAbsolute(folder) && (await this.isGone(folder))) gone.add(folder);
    const changed = gone.size !== this.known.size || [...gone].some((folder) => !this.known.has(folder));
    if (changed) this.known = gone;
    return changed;
  }

  private async isGone(folder: string): Promise<boolean> {
    try {
      const found = await this.patience.wait(() => stat(folder));
      return !found.isDirectory();
    } catch (error) {
      const code = errorCode(error);
      return code === "ENOENT" || code === "ENOTDIR" || this.known.has(folder);
    }
  }
}
