// Whether the folders that sessions work in are still there, and where links among their names lead. One that could not be looked at stays what it was: only
// the answer that there is none marks a row, and it ends nothing.
import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { Patience } from "../../base/node/patience.ts";

type Found = { readonly kind: "gone" } | { readonly kind: "there"; readonly real: string };

const gone: Found = { kind: "gone" };

export class WorkFolders {
  private known: ReadonlySet<string>;
  private realPaths: ReadonlyMap<string, string> = new Map();
  private readonly patience = new Patience("the folders of sessions", limits.fileReadDeadlineMs);

  /** @param remembered those that an earlier agent found gone */
  constructor(remembered: ReadonlySet<string> = new Set()) {
    this.known = remembered;
  }

  /** The real paths of those that are named through a link. */
  get real(): ReadonlyMap<string, string> {
    return this.realPaths;
  }

  /** Those of the last look that are not there. */
  get gone(): ReadonlySet<string> {
    return this.known;
  }

  /** True where the answer is another one than before. */
  async look(folders: ReadonlySet<string>): Promise<boolean> {
    const missing = new Set<string>();
    const real = new Map<string, string>();
    for (const folder of folders) {
      if (!isAbsolute(folder)) continue;
      const found = await this.find(folder);
      if (found.kind === "gone") missing.add(folder);
      else if (found.real !== folder) real.set(folder, found.real);
    }
    const changed =
      missing.size !== this.known.size ||
      [...missing].some((folder) => !this.known.has(folder)) ||
      real.size !== this.realPaths.size ||
      [...real].some(([folder, path]) => this.realPaths.get(folder) !== path);
    if (!changed) return false;
    this.known = missing;
    this.realPaths = real;
    return true;
  }

  /** Where it cannot be asked now it stays what it was. */
  private async find(folder: string): Promise<Found> {
    try {
      const real = await this.patience.wait(() => realpath(folder));
      const found = await this.patience.wait(() => stat(real));
      return found.isDirectory() ? { kind: "there", real } : gone;
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || this.known.has(folder)) return gone;
      return { kind: "there", real: this.realPaths.get(folder) ?? folder };
    }
  }
}
