// The lines of a journal on disk and the state that they say. Several processes append to it, one at a time; each reads
// what the others wrote before it adds its own. What cannot be written counts all the same for this process, and is
// written with what follows. What the lines mean is `core/journalState.ts`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { Mutex } from "../../base/mutex.ts";
import { awaitLock } from "../../base/node/awaitLock.ts";
import { appendLines, readLines, replaceLines, type LinesPlace } from "../../base/node/checkedLines.ts";
import { journalText, readJournalLine } from "../core/journalLine.ts";
import {
  boundedJournal,
  emptyJournal,
  foldJournal,
  summaryOf,
  type JournalLine,
  type JournalState,
} from "../core/journalState.ts";

/** More of them than the limit are let go of together, not one with each that comes. */
const spareGenerations = 50;

export class JournalLog {
  private readonly folder: string;
  private readonly file: string;
  private written: JournalState = emptyJournal;
  private place: LinesPlace | undefined;
  private unwritten: readonly JournalLine[] = [];
  private all: JournalState = emptyJournal;
  private checkpointBytes = 0;
  private readonly mutex = new Mutex();
  /** Lines that were damaged, and are passed over. */
  damagedLines = 0;

  /** @param folder made with the first line */
  constructor(folder: string) {
    this.folder = folder;
    this.file = join(folder, "log");
  }

  /** As it was last read, with what this process could not write. */
  get state(): JournalState {
    return this.all;
  }

  /** @throws the system's error where there is a journal that cannot be read */
  async refresh(): Promise<JournalState> {
    const read = await readLines(this.file, this.place, { limitBytes: limits.journalLogReadBytes });
    if (read.place === undefined && this.place !== undefined) {
      // It was taken away: what it said is written anew.
      this.unwritten = [{ kind: "checkpoint", state: summaryOf(this.all) }];
    }
    if (read.isAnew) {
      this.written = emptyJournal;
      this.damagedLines = 0;
    }
    this.damagedLines += read.damaged;
    this.place = read.place;
    if (read.isAnew || read.lines.length > 0) {
      for (const text of read.lines) {
        const line = readJournalLine(text);
        if (line !== undefined) this.written = foldJournal(this.written, line);
      }
      // What others wrote since is the base of what comes; what was not written is seen again then.
      if (read.place !== undefined) this.unwritten = [];
      this.all = this.unwritten.reduce(foldJournal, this.written);
    }
    return this.all;
  }

  /**
   * Appends what `make` says of the state as it is now, while nobody else appends.
   * @param onBounded told of the state when older generations were left out of it
   * @throws the system's error or LockError; where `isKeptAnyway` the lines hold for this process all the same
   */
  add(
    make: (state: JournalState) => Promise<readonly JournalLine[]> | readonly JournalLine[],
    {
      isKeptAnyway = false,
      onBounded,
    }: { readonly isKeptAnyway?: boolean; readonly onBounded?: (state: JournalState) => Promise<void> } = {},
  ): Promise<JournalState> {
    return this.mutex.run(async () => {
      const lines = { made: undefined as readonly JournalLine[] | undefined };
      try {
        return await this.addNow(async (state) => (lines.made = await make(state)), onBounded);
      } catch (error) {
        if (isKeptAnyway) this.keepUnwritten(lines.made ?? (await make(this.all)));
        throw error;
      }
    });
  }

  private async addNow(
    make: (state: JournalState) => Promise<readonly JournalLine[]>,
    onBounded: ((state: JournalState) => Promise<void>) | undefined,
  ): Promise<JournalState> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const lock = await awaitLock(join(this.folder, "lock"), limits.journalLockDeadlineMs);
    try {
      await this.refresh();
      const lines = [...this.unwritten, ...(await make(this.all))];
      if (lines.length === 0) return this.all;
      this.place = await appendLines(this.file, lines.map(journalText), this.place);
      this.unwritten = [];
      this.written = lines.reduce(foldJournal, this.written);
      this.all = this.written;
      if (this.hasGrown()) await this.beginAnew(onBounded);
      return this.all;
    } finally {
      lock.release();
    }
  }

  private keepUnwritten(lines: readonly JournalLine[]): void {
    this.unwritten = [...this.unwritten, ...lines].slice(-limits.journalGenerations);
    this.all = lines.reduce(foldJournal, this.all);
  }

  private hasGrown(): boolean {
    const { generations } = this.written;
    const bounded = boundedJournal(this.written).generations;
    const isOverBytes = bounded.length < generations.length && generations.length <= limits.journalGenerations;
    return (
      isOverBytes ||
      generations.length > limits.journalGenerations + spareGenerations ||
      (this.place?.bytes ?? 0) > Math.max(limits.journalLogBytes, 2 * this.checkpointBytes)
    );
  }

  private async beginAnew(onBounded: ((state: JournalState) => Promise<void>) | undefined): Promise<void> {
    const bounded = boundedJournal(this.written);
    const line = journalText({ kind: "checkpoint", state: summaryOf(bounded) });
    await replaceLines(this.file, [line]);
    await this.refresh();
    this.checkpointBytes = this.place?.bytes ?? 0;
    await onBounded?.(this.written);
  }
}

/** For messages. */
export function journalFault(folder: string, error: unknown): string {
  return `the registry's journal ${folder} could not be read or written (${describeError(error)})`;
}
