// The snapshot on disk, for other tools: written when the roster's sandboxes changed, at most every few seconds, under
// the same rules as the registry. One that cannot be read is not written over; the next change tries again.
import type { Scheduler } from "../../base/clock.ts";
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import { guardedWrite, type WrittenFile } from "../../base/node/guardedWrite.ts";
import type { Log } from "../../base/node/log.ts";
import type { RollcallPaths } from "../../base/node/paths.ts";
import { SeenMarks } from "../../base/node/seenMarks.ts";
import { emptySnapshotText } from "../../protocol/files/snapshot.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import {
  changeSnapshot,
  observedSandboxes,
  parseSnapshot,
  type ProcessUsage,
  type SnapshotDocument,
} from "../core/snapshotChange.ts";

export type SnapshotErrorKind = "snapshot-version";
export type SnapshotError = RollcallError<SnapshotErrorKind>;

const writeEveryMs = 5_000;

export interface SnapshotStoreOptions {
  readonly paths: Pick<RollcallPaths, "snapshot" | "snapshotIsOurs" | "seenMarks">;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly roster: () => Roster;
  /** What the kernel tells of a session's process when it is written. */
  readonly usageOf?: (session: Session) => ProcessUsage;
}

export class SnapshotStore {
  private readonly options: SnapshotStoreOptions;
  private readonly file: WrittenFile<SnapshotDocument>;
  private due = false;
  private lastFault: string | undefined;
  /** What was last written, so that a roster that says the same costs no look at the file. */
  private written: string | undefined;

  constructor(options: SnapshotStoreOptions) {
    const { paths, scheduler } = options;
    this.options = options;
    this.file = {
      path: paths.snapshot,
      what: "the snapshot",
      folderIsOurs: paths.snapshotIsOurs,
      marks: new SeenMarks(paths.seenMarks),
      parse: parseSnapshot,
      now: () => scheduler.now(),
    };
  }

  /** The roster changed. */
  note(): void {
    if (this.due) return;
    this.due = true;
    this.options.scheduler.after(writeEveryMs, () => {
      this.due = false;
      void this.tryWrite();
    });
  }

  /** @returns whether the file changed; @throws GuardedWriteError, LockError or SnapshotError; the file is then unchanged */
  async write(roster: Roster): Promise<boolean> {
    const at = this.file.now();
    const observed = observedSandboxes(roster, this.options.usageOf);
    return guardedWrite(this.file, (document) => {
      if (document === undefined && observed.size === 0) return undefined;
      const from = document ?? firstDocument(at);
      if (!from.isWritable) throw this.otherVersion();
      return changeSnapshot(from, observed, at);
    });
  }

  private async tryWrite(): Promise<void> {
    const roster = this.options.roster();
    const says = JSON.stringify([...observedSandboxes(roster)].map(([name, { sessions }]) => [name, sessions]));
    if (says === this.written) return;
    try {
      await this.write(roster);
      this.written = says;
      this.lastFault = undefined;
    } catch (error) {
      const fault = String(error);
      if (fault !== this.lastFault) this.options.log.warn("the snapshot was not written", error);
      this.lastFault = fault;
    }
  }

  private otherVersion(): SnapshotError {
    return rollcallError(
      "snapshot-version",
      `the snapshot ${this.file.path} has a version that this Rollcall does not write, so it stays as it is; name another file in ROLLCALL_SNAPSHOT`,
    );
  }
}

function firstDocument(at: number): SnapshotDocument {
  const parsed = parseSnapshot(emptySnapshotText(at));
  if (parsed.kind === "unreadable") throw new Error(parsed.cause);
  return parsed.document;
}
