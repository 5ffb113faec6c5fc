// The last roster on disk, so that a window that opens while no agent can be started still shows what was known,
// with its age. A file that cannot be read is told to the log and yields nothing known, never an empty roster.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Scheduler, Timer } from "../../base/clock.ts";
import { describeError, unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { writeFileDurably } from "../../base/node/atomicFile.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { rosterSchema } from "../../protocol/roster.ts";
import { lastRoster, type LastRoster, type RosterState } from "../core/rosterState.ts";

const fileSchema = z.object({ version: z.literal(1), heardAt: z.number(), roster: rosterSchema });

/** After a change, so that a burst is one write. */
const writeAfterMs = 2_000;
/** A roster that only got confirmed is written this rarely. */
const confirmEveryMs = 60_000;

export interface LastRosterStoreOptions {
  readonly folder: string;
  readonly scheduler: Scheduler;
  readonly log: { warn(message: string): void };
}

export class LastRosterStore {
  private readonly options: LastRosterStoreOptions;
  private readonly path: string;
  private pending: LastRoster | undefined;
  private written: LastRoster | undefined;
  private timer: Timer | undefined;

  constructor(options: LastRosterStoreOptions) {
    this.options = options;
    this.path = join(options.folder, "last-roster.json");
  }

  async read(): Promise<LastRoster | undefined> {
    const read = await readBounded(this.path, limits.lastKnownBytes, limits.fileReadDeadlineMs);
    switch (read.kind) {
      case "absent":
        return undefined;
      case "unreadable":
        this.options.log.warn(`the last roster could not be read from ${this.path}: ${read.cause}`);
        return undefined;
      case "read":
        return this.parse(read.bytes.toString("utf8"));
      default:
        return unreachable(read);
    }
  }

  /** Only what an agent said in this window is kept; what was read from the file is there already. */
  keep(state: RosterState): void {
    const last = state.kind === "live" ? lastRoster(state) : undefined;
    if (last === undefined || !this.isWorthWriting(last)) return;
    this.pending = last;
    this.timer ??= this.options.scheduler.after(writeAfterMs, () => void this.flush());
  }

  /** Writes what is pending; a failure is logged, and the next change tries again. */
  async flush(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    const { pending } = this;
    if (pending === undefined) return;
    this.pending = undefined;
    try {
      const content = JSON.stringify({ version: 1, heardAt: pending.heardAt, roster: pending.roster });
      if (Buffer.byteLength(content) > limits.lastKnownBytes) throw new Error("it is larger than its limit");
      await mkdir(this.options.folder, { recursive: true });
      await writeFileDurably(this.path, content);
      this.written = pending;
    } catch (error) {
      this.options.log.warn(`the last roster could not be kept in ${this.path}: ${describeError(error)}`);
    }
  }

  private isWorthWriting(last: LastRoster): boolean {
    const { written } = this;
    if (written === undefined || written.roster !== last.roster) return true;
    return last.heardAt - written.heardAt >= confirmEveryMs;
  }

  private parse(text: string): LastRoster | undefined {
    try {
      const { heardAt, roster } = fileSchema.parse(JSON.parse(text));
      return { heardAt, roster };
    } catch (error) {
      this.options.log.warn(`the last roster in ${this.path} could not be understood: ${describeError(error)}`);
      return undefined;
    }
  }
}
