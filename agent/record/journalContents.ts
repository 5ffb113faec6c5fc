// The contents that a journal speaks of, each once, under its hash: readable files of their own, so that a person can
// copy one by hand. Which of them are still spoken of, the journal says.
import { sha256 as digestOf } from "../../base/node/digest.ts";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { writeFileDurably } from "../../base/node/atomicFile.ts";
import { readBounded } from "../../base/node/readBounded.ts";

export function contentHash(text: string): string {
  return digestOf(text, "hex");
}

export class JournalContents {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  fileOf(sha256: string): string {
    return join(this.folder, `${sha256}.json`);
  }

  /** @throws the system's error */
  async keep(sha256: string, text: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = this.fileOf(sha256);
    const standing = await lstat(file).catch(goneIsNone);
    if (standing?.isFile() === true && standing.size === Buffer.byteLength(text)) return;
    await writeFileDurably(file, text);
  }

  /** Undefined where it is not there any more, or is not what it was. */
  async read(sha256: string): Promise<string | undefined> {
    const read = await readBounded(this.fileOf(sha256), limits.registryBytes, limits.fileReadDeadlineMs);
    if (read.kind !== "read") return undefined;
    const text = read.bytes.toString("utf8");
    return contentHash(text) === sha256 ? text : undefined;
  }

  /** Also what a process left that was killed while it kept one. Only who holds the journal's lock may. */
  async dropAllBut(spokenOf: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...spokenOf].map((sha256) => `${sha256}.json`));
    for (const name of await readdir(this.folder))
      if (!kept.has(name)) await rm(join(this.folder, name), { force: true });
  }
}

function goneIsNone(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
  return undefined;
}
