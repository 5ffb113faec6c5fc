// Remembers, over restarts, which files were ever seen, so that one that is gone is not taken for one that never was.
// A mark that cannot be asked for is no "never".
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describeError, errorCode } from "../errors.ts";
import { sha256 } from "./digest.ts";

export type Seen =
  | { readonly kind: "never" }
  | { readonly kind: "seen"; readonly at: number }
  | { readonly kind: "cannot-tell"; readonly cause: string };

export class SeenMarks {
  private readonly folder: string;
  private readonly marked = new Set<string>();

  /** @param folder where marks are kept; made with the first of them */
  constructor(folder: string) {
    this.folder = folder;
  }

  async look(path: string): Promise<Seen> {
    if (this.marked.size === 0 && (await isMissing(this.folder))) return { kind: "never" };
    const file = this.markOf(path);
    try {
      return { kind: "seen", at: (await lstat(file)).mtimeMs };
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return { kind: "cannot-tell", cause: `${file}: ${describeError(error)}` };
      return this.marked.has(path) ? { kind: "cannot-tell", cause: `${file} is gone` } : { kind: "never" };
    }
  }

  /** @throws the system's error where the mark could not be made */
  async mark(path: string): Promise<void> {
    if (this.marked.has(path)) return;
    const file = this.markOf(path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeFile(file, `${resolve(path)}\n`, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    this.marked.add(path);
  }

  private markOf(path: string): string {
    const hash = sha256(resolve(path), "hex").slice(0, 24);
    return join(this.folder, hash);
  }
}

/** False also where it cannot be told: then the mark itself is asked for. */
async function isMissing(folder: string): Promise<boolean> {
  try {
    await lstat(folder);
    return false;
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}
