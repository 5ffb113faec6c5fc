// The registry on disk: its three answers, and every way in which it is written. All of them read inside the lock and
// give up where it cannot be read; what could not be written is kept then, and carried out before anything else as soon
// as it can be. What an intent makes of the text is `core/registryChange.ts`; how a file is replaced safely is
// `base/node/guardedWrite.ts`; what is written down of it is `journal.ts`.
import { describeError, isRollcallError, rollcallError, unreachable, type RollcallError } from "../../base/errors.ts";
import { Mutex } from "../../base/mutex.ts";
import { guardedLoad, type GuardedLoad } from "../../base/node/guardedLoad.ts";
import { guardedWrite, type GuardedWriteErrorKind, type WrittenFile } from "../../base/node/guardedWrite.ts";
import type { RollcallPaths } from "../../base/node/paths.ts";
import { SeenMarks } from "../../base/node/seenMarks.ts";
import { emptyRegistryText, registryVersion } from "../../protocol/files/registry.ts";
import { recalling } from "../core/droppedEntries.ts";
import {
  forgottenBy,
  intentWords,
  replayIntents,
  type KeptIntent,
  type LastStart,
  type SettledIntent,
} from "../core/keptIntents.ts";
import { changeRegistry, type ChangeCounts, type Refusal, type RegistryIntent } from "../core/registryChange.ts";
import { parseRegistry, type RegistryDocument } from "../core/registryDocument.ts";
import type { EntryName } from "../core/registryDifference.ts";
import type { ToldEntry } from "../core/registryEntry.ts";
import { RegistryJournal } from "./journal.ts";
import { RegistryRestorer, type Restored, type RestorePlan, type RestoreRequest } from "./registryRestorer.ts";

export type RegistryErrorKind =
  "registry-version" | "registry-empty-slice" | "registry-not-recorded" | "registry-ambiguous";
export type RegistryError = RollcallError<RegistryErrorKind>;

export type RegistryLoad = GuardedLoad<RegistryDocument>;

export interface RegistryWritten extends ChangeCounts {
  readonly changed: boolean;
}

const nothing: ChangeCounts = { added: 0, updated: 0, departed: 0, removed: 0 };

export interface RegistryStoreOptions {
  readonly paths: Pick<RollcallPaths, "registry" | "registryIsOurs" | "seenMarks" | "journal">;
  readonly now: () => number;
  /** Shared with who reads the registry in this process. */
  readonly journal?: RegistryJournal;
  /** What other sources saw of a session's start. */
  readonly lastStart?: LastStart;
}

export class RegistryStore {
  readonly path: string;
  readonly journal: RegistryJournal;
  private readonly file: WrittenFile<RegistryDocument>;
  private readonly now: () => number;
  private readonly lastStart: LastStart;
  private readonly restorer: RegistryRestorer;
  /** Writes of this process follow one another; the lock is for other processes. */
  private readonly mutex = new Mutex();

  constructor({ paths, now, journal, lastStart = () => undefined }: RegistryStoreOptions) {
    this.path = paths.registry;
    this.now = now;
    this.lastStart = lastStart;
    this.journal = journal ?? new RegistryJournal({ path: paths.registry, folder: paths.journal, now });
    this.file = {
      path: paths.registry,
      what: "the registry",
      folderIsOurs: paths.registryIsOurs,
      marks: new SeenMarks(paths.seenMarks),
      copies: this.journal,
      wrote: (content) => this.journal.wrote(content),
      parse: parseRegistry,
      mending: '"rollcall registry restore" puts what it last held in its place',
      now,
    };
    this.restorer = new RegistryRestorer({
      file: this.file,
      journal: this.journal,
      writable: (document) => this.writable(document),
    });
  }

  tryLoad(): Promise<RegistryLoad> {
    return guardedLoad(this.file);
  }

  put(sandbox: string, entry: ToldEntry): Promise<RegistryWritten> {
    return this.carryOut({ kind: "put", sandbox, entry, at: this.now() });
  }

  replaceSandboxSlice(
    sandbox: string,
    entries: readonly ToldEntry[],
    { mayBeEmpty }: { readonly mayBeEmpty: boolean },
  ): Promise<RegistryWritten> {
    return this.carryOut({ kind: "replace", sandbox, entries, mayBeEmpty, at: this.now() });
  }

  /** One that another writer dropped is forgotten too: the drop is taken for what was meant. */
  forgetSession(id: string, sandbox: string | undefined): Promise<RegistryWritten> {
    return this.mutex.run(async () => {
      const dropped = [...(await this.journal.read()).dropped.values()].filter(
        (entry) => entry.id === id && (sandbox ?? entry.sandbox) === entry.sandbox,
      );
      const written = await this.attempt({ kind: "forget", id, sandbox }).catch((error: unknown) => {
        if (dropped.length > 0 && isRollcallError(error) && error.kind === "registry-not-recorded") return undefined;
        throw error;
      });
      if (dropped.length > 0) await this.journal.accept(dropped.map(nameOf));
      return written ?? { ...nothing, changed: true, removed: dropped.length };
    });
  }

  markSessionDeparted(id: string, sandbox: string | undefined): Promise<RegistryWritten> {
    return this.carryOut({ kind: "depart", id, sandbox, at: this.now() });
  }

  /** What a restore would do now. @throws RestoreError */
  restorePlan(request: RestoreRequest): Promise<RestorePlan> {
    return this.restorer.plan(request);
  }

  /** Brings back what was dropped or what a generation had. @throws RestoreError, GuardedWriteError or JournalError */
  restore(request: RestoreRequest): Promise<Restored> {
    return this.mutex.run(async () => {
      const restored = await this.restorer.restore(request);
      // What waited for the file to be readable has waited for this. Where it fails it waits on.
      await this.replay().catch(() => undefined);
      return restored;
    });
  }

  /** Carries out what waits, where it can. @returns what became of each; @throws as a write does, and all of it waits on */
  applyKept(): Promise<readonly SettledIntent[]> {
    return this.mutex.run(() => this.replay());
  }

  /** @throws RegistryError, GuardedWriteError or LockError; the file is then unchanged */
  private carryOut(intent: RegistryIntent): Promise<RegistryWritten> {
    return this.mutex.run(() => this.attempt(intent));
  }

  private async attempt(intent: RegistryIntent): Promise<RegistryWritten> {
    try {
      // What waits was said before.
      await this.replay();
      return await this.write(intent);
    } catch (error) {
      throw await this.keptFor(intent, error);
    }
  }

  private async write(intent: RegistryIntent): Promise<RegistryWritten> {
    let counts = nothing;
    const said = { act: intentWords(intent), intents: [], forgets: forgottenBy(intent) };
    const announce = (content: string): Promise<void> => this.journal.announce(content, said);
    const changed = await guardedWrite({ ...this.file, announce }, (document) => {
      const from = this.writable(document);
      const change = changeRegistry(from, recalling(intent, this.journal.state.dropped));
      switch (change.kind) {
        case "refused":
          // After a write of ours it was another writer's turn, whose word is newer.
          if (counts !== nothing && change.because.kind === "not-recorded") return undefined;
          throw this.refused(change.because);
        case "unchanged":
          return undefined;
        case "changed":
          counts = change.counts;
          return change.text;
        default:
          return unreachable(change);
      }
    });
    return { changed, ...(changed ? counts : nothing) };
  }

  /** Those that wait, inside the lock: another process may just have carried them out. */
  private async replay(): Promise<readonly SettledIntent[]> {
    if ((await this.journal.read()).intents.length === 0) return [];
    const outcomes = new Map<number, SettledIntent>();
    const note = (n: number, how: SettledIntent["how"], says: string): void => {
      if (outcomes.get(n)?.how !== "applied") outcomes.set(n, { n, at: this.now(), how, says });
    };
    const mine = new Map<number, KeptIntent>();
    let written: readonly number[] = [];
    const announce = async (content: string): Promise<void> => {
      const forgets = written.flatMap((n) => forgottenBy(mine.get(n)?.intent));
      const act = `kept ${written.map((n) => `#${n}`).join(", ")}`;
      for (const n of written) note(n, "applied", "");
      await this.journal.announce(content, { act, intents: [...outcomes.values()], forgets });
    };
    await guardedWrite({ ...this.file, announce }, async (document) => {
      const { intents } = await this.journal.read();
      const from = this.writable(document);
      // Once written they wait no more, and are written again where another program's content has to be merged.
      for (const intent of intents) mine.set(intent.n, intent);
      const open = new Set(intents.map(({ n }) => n));
      const due = [...mine.values()].filter(({ n }) => open.has(n) || outcomes.get(n)?.how === "applied");
      const { dropped } = this.journal.state;
      const recalled = due.map((each) => ({ ...each, intent: recalling(each.intent, dropped) }));
      const replay = replayIntents(from, recalled, this.lastStart);
      written = replay.written;
      for (const { n, how, says } of replay.others) note(n, how, says);
      return replay.text;
    });
    const settled = [...outcomes.values()];
    await this.journal.settle(settled);
    const forgotten = settled.flatMap(({ n, how }) => (how === "unneeded" ? forgottenBy(mine.get(n)?.intent) : []));
    const accepted = [...this.journal.state.dropped.values()].filter(({ id, sandbox }) =>
      forgotten.some((each) => each.id === id && (each.sandbox ?? sandbox) === sandbox),
    );
    if (accepted.length > 0) await this.journal.accept(accepted.map(nameOf));
    return settled;
  }

  /** A write that failed for what may pass is kept; the error says so. */
  private async keptFor(intent: RegistryIntent, error: unknown): Promise<unknown> {
    if (!isRollcallError(error) || !(error.kind in keepable)) return error;
    const at = "at" in intent ? intent.at : this.now();
    const cause = error.cause === undefined ? error.message : describeError(error.cause);
    const kept = await this.journal.keepIntent(intent, at, cause).then(
      (n) => `kept as intent #${n}, to be carried out when it can be`,
      (fault: unknown) => `it could not be kept either: ${describeError(fault)}`,
    );
    return rollcallError(error.kind, `${error.message}; ${kept}`, error.cause);
  }

  private writable(document: RegistryDocument | undefined): RegistryDocument {
    const from = document ?? firstDocument();
    if (!from.isWritable) throw this.otherVersion(from);
    return from;
  }

  private otherVersion({ version }: RegistryDocument): RegistryError {
    return rollcallError(
      "registry-version",
      `the registry ${this.path} has ${version === undefined ? "no version" : `version ${version}`}, of which only ${registryVersion} can be written, so it stays as it is; use a Rollcall that knows it`,
    );
  }

  private refused(because: Refusal): RegistryError {
    switch (because.kind) {
      case "empty-slice":
        return rollcallError(
          "registry-empty-slice",
          `an empty slice would mark every session of ${because.sandbox} departed, so it was refused; say --empty if that is meant`,
        );
      case "not-recorded":
        return rollcallError(
          "registry-not-recorded",
          `no session ${because.id} is recorded${because.sandbox === undefined ? "" : ` in ${because.sandbox}`}; say its whole id, as "rollcall registry show" lists it`,
        );
      case "ambiguous":
        return rollcallError(
          "registry-ambiguous",
          `session ${because.id} is recorded in ${because.sandboxes.join(", ")}; say which is meant with --sandbox`,
        );
    }
  }
}

function nameOf({ sandbox, id }: EntryName): EntryName {
  return { sandbox, id };
}

/** Faults of a write that say nothing against what was to be written. */
const keepable = {
  "file-unreadable": true,
  "file-busy": true,
  "file-not-written": true,
} as const satisfies Record<GuardedWriteErrorKind, true>;

function firstDocument(): RegistryDocument {
  const parsed = parseRegistry(emptyRegistryText);
  if (parsed.kind === "unreadable") throw new Error(parsed.cause);
  return parsed.document;
}
