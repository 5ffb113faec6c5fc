// What was last read whole of a file, kept as a copy of our own, so that a process that finds the file torn still knows
// what it held. A copy, because a link would be torn with it. It is for showing, with its age, and never what a write
// begins from. Where there is no copy, the newest generation that is kept beside the file speaks.
import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { limits } from "../limits.ts";
import { writeFileDurably } from "./atomicFile.ts";
import { generationTime, listGenerations } from "./generations.ts";
import { parseBytes, type Parse, type WholeCopies } from "./guardedLoad.ts";
import { readBounded } from "./readBounded.ts";
import { sha256 } from "./digest.ts";

export interface LastWhole<T> {
  readonly value: T;
  /** When the file is known to have held it. */
  readonly asOf: number;
}

/** Of more files than these none is read: each may cost its deadline. */
const mostTried = 3;

export class LastWholeCopies implements WholeCopies<unknown> {
  private readonly folder: string;
  /** What stands in each copy, so that one content is not written twice. */
  private readonly kept = new Map<string, string>();

  /** @param folder where copies are kept; made with the first of them */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws the system's error where the copy could not be made */
  async keep(path: string, { text }: { readonly text: string }): Promise<"kept"> {
    const digest = sha256(text, "base64");
    if (this.kept.get(path) === digest) return "kept";
    const copy = this.copyOf(path);
    const read = await readBounded(copy, limits.registryBytes, limits.fileReadDeadlineMs);
    if (read.kind !== "read" || read.bytes.toString("utf8") !== text) {
      await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
      await writeFileDurably(copy, text);
    }
    this.kept.set(path, digest);
    return "kept";
  }

  /** The newest content that was read whole or kept as a generation, and has its shape still; undefined where there is none. */
  async newest<T>(path: string, parse: Parse<T>): Promise<LastWhole<T> | undefined> {
    const candidates = [...(await this.copyAt(path)), ...(await generationsOf(path))].sort((a, b) => b.asOf - a.asOf);
    for (const { file, asOf } of candidates.slice(0, mostTried)) {
      const read = await readBounded(file, limits.registryBytes, limits.fileReadDeadlineMs);
      const parsed = read.kind === "read" ? parseBytes(read.bytes, parse) : undefined;
      if (parsed?.kind === "parsed") return { value: parsed.document, asOf };
    }
    return undefined;
  }

  private async copyAt(path: string): Promise<readonly Candidate[]> {
    const file = this.copyOf(path);
    try {
      return [{ file, asOf: (await lstat(file)).mtimeMs }];
    } catch {
      // Without it the generations are all there is.
      return [];
    }
  }

  private copyOf(path: string): string {
    const hash = sha256(resolve(path), "hex").slice(0, 24);
    return join(this.folder, `${hash}.json`);
  }
}

interface Candidate {
  readonly file: string;
  readonly asOf: number;
}

async function generationsOf(path: string): Promise<readonly Candidate[]> {
  try {
    return (await listGenerations(path)).map((file) => ({ file, asOf: generationTime(basename(file)) }));
  } catch {
    // A folder that cannot be read keeps what is in it to itself; that the file is torn is told all the same.
    return [];
  }
}
