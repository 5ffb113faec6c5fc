// One conversation's file: appends lines, keeps the chain from parent to child, and stops at its bound.
import { appendFileSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Envelope, Place, TranscriptLine } from "./envelope.ts";
import type { Ids } from "./ids.ts";

/** A demo that is left running rests when a file has grown so far. */
const limitBytes = 4 * 2 ** 20;

export class Conversation {
  readonly envelope: Envelope;
  readonly path: string;
  /** Lines in the chain, as the turn's end counts them. */
  count = 0;
  private leaf: string | null = null;
  private readonly ids: Ids;
  private readonly now: () => number;

  constructor(path: string, envelope: Envelope, ids: Ids, now: () => number = () => Date.now()) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.path = path;
    this.envelope = envelope;
    this.ids = ids;
    this.now = now;
  }

  /** Appends a line that has a place in the chain, and tells its uuid. */
  add(line: (place: Place) => TranscriptLine, at = this.now()): string {
    const uuid = this.ids.uuid();
    this.append(line({ uuid, parentUuid: this.leaf, at }));
    this.leaf = uuid;
    this.count += 1;
    return uuid;
  }

  /** Appends lines that have none. */
  note(...lines: readonly TranscriptLine[]): void {
    for (const line of lines) this.append(line);
  }

  isFull(): boolean {
    return (statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) > limitBytes;
  }

  private append(line: TranscriptLine): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}

/** Each character that is no letter or digit becomes a dash. */
export function slugOf(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-");
}

export function transcriptPath(configDir: string, cwd: string, sessionId: string): string {
  return join(configDir, "projects", slugOf(cwd), `${sessionId}.jsonl`);
}
