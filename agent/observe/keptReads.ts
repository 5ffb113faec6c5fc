// What transcripts said, kept from one process to the next: whoever only looks once reads what changed since, and not
// what exists. A file is taken for the one that was read only where device, inode, size and both of its times are the
// same, and where those were old enough when it was read to have told of a later change. What is kept is a convenience:
// without it, or where it is damaged or another version's, everything is read.
import { renameSync, statSync, writeFileSync, mkdirSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { limits } from "../../base/limits.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { version } from "../../protocol/version.ts";
import { fromKeptRead, toKeptRead } from "../core/keptRead.ts";
import type { TranscriptFacts } from "../core/monitorEvent.ts";

/** A change within so short a time after another one may bear the same time, on a coarse file system. */
const sameTimeMs = 2_500;
/** Written again when so many were read anew, and so much of all: what a look writes follows from what changed. */
const rewrite = { least: 8, oneIn: 8 } as const;

interface Kept {
  readonly identity: string;
  readonly facts: unknown;
}

export class KeptReads {
  private readonly path: string;
  private readonly kept = new Map<string, Kept>();
  private fresh = 0;

  constructor(path: string) {
    this.path = path;
  }

  async load(): Promise<void> {
    const read = await readBounded(this.path, limits.keptReadsBytes, limits.fileReadDeadlineMs);
    if (read.kind !== "read") return;
    for (const [path, kept] of entriesOf(read.bytes.toString("utf8"))) this.kept.set(path, kept);
  }

  /** Undefined where the file has to be read. */
  find(path: string, id: string, stat: Stats): TranscriptFacts | undefined {
    const kept = this.kept.get(path);
    if (kept?.identity !== identityOf(stat)) return undefined;
    return fromKeptRead(kept.facts, { id, path });
  }

  /** @param stat of the file before it was read */
  note(path: string, facts: TranscriptFacts, stat: Stats, at: number): void {
    const isSettled = at - Math.max(stat.mtimeMs, stat.ctimeMs) > sameTimeMs;
    if (!isSettled || facts.sizeBytes !== stat.size || facts.modifiedAt !== stat.mtimeMs) return;
    const kept = toKeptRead(facts);
    if (kept === undefined) return;
    // Behind all others: those that were noted longest ago are forgotten first.
    this.kept.delete(path);
    this.kept.set(path, { identity: identityOf(stat), facts: kept });
    this.fresh += 1;
  }

  /** @throws the system's error, what was kept before then unchanged */
  save(): void {
    if (this.fresh < rewrite.least || this.fresh * rewrite.oneIn < this.kept.size) return;
    const entries = [...this.kept].slice(-limits.keptReads);
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}.tmp`;
    writeFileSync(draft, JSON.stringify({ by: writer(), entries }), { mode: 0o600 });
    renameSync(draft, this.path);
    this.fresh = 0;
  }
}

function identityOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** Another build may read the same lines otherwise. */
function writer(): string {
  const { size, mtimeMs } = statSync(import.meta.filename);
  return `${version}:${size}:${mtimeMs}`;
}

function entriesOf(text: string): readonly (readonly [string, Kept])[] {
  try {
    const { by, entries } = JSON.parse(text) as { readonly by?: unknown; readonly entries?: unknown };
    if (by !== writer() || !Array.isArray(entries)) return [];
    return entries.filter(isEntry);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- nothing kept means that everything is read, see above
    return [];
  }
}

function isEntry(value: unknown): value is readonly [string, Kept] {
  if (!Array.isArray(value)) return false;
  const [path, kept] = value as readonly unknown[];
  return typeof path === "string" && typeof kept === "object" && kept !== null && "identity" in kept && "facts" in kept;
}
