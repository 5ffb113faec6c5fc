// The registry on disk: its three answers, and every way in which it is written. All of them read inside the lock and
// give up where it cannot be read. What an intent makes of the text is `core/registryChange.ts`; how a file is
// replaced safely is `base/node/guardedWrite.ts`.
import { rollcallError, unreachable, type RollcallError } from "../../base/errors.ts";
import { guardedLoad, type GuardedLoad } from "../../base/node/guardedLoad.ts";
import { guardedWrite, type WrittenFile } from "../../base/node/guardedWrite.ts";
import { LastWholeCopies } from "../../base/node/lastWhole.ts";
import type { RollcallPaths } from "../../base/node/paths.ts";
import { SeenMarks } from "../../base/node/seenMarks.ts";
import { emptyRegistryText, registryVersion } from "../../protocol/files/registry.ts";
import { changeRegistry, type ChangeCounts, type Refusal, type RegistryIntent } from "../core/registryChange.ts";
import { parseRegistry, type RegistryDocument } from "../core/registryDocument.ts";
import type { ToldEntry } from "../core/registryEntry.ts";

export type RegistryErrorKind =
  "registry-version" | "registry-empty-slice" | "registry-not-recorded" | "registry-ambiguous";
export type RegistryError = RollcallError<RegistryErrorKind>;

export type RegistryLoad = GuardedLoad<RegistryDocument>;

export interface RegistryWritten extends ChangeCounts {
  readonly changed: boolean;
}

const nothing: ChangeCounts = { added: 0, updated: 0, departed: 0, removed: 0 };

export class RegistryStore {
  readonly path: string;
  private readonly file: WrittenFile<RegistryDocument>;
  private readonly now: () => number;
  /** Writes of this process follow one another; the lock is for other processes. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    paths: Pick<RollcallPaths, "registry" | "registryIsOurs" | "seenMarks" | "lastWhole">,
    now: () => number,
  ) {
    this.path = paths.registry;
    this.now = now;
    this.file = {
      path: paths.registry,
      what: "the registry",
      folderIsOurs: paths.registryIsOurs,
      marks: new SeenMarks(paths.seenMarks),
      copies: new LastWholeCopies(paths.lastWhole),
      parse: parseRegistry,
      now,
    };
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

  forgetSession(id: string, sandbox: string | undefined): Promise<RegistryWritten> {
    return this.carryOut({ kind: "forget", id, sandbox });
  }

  markSessionDeparted(id: string, sandbox: string | undefined): Promise<RegistryWritten> {
    return this.carryOut({ kind: "depart", id, sandbox, at: this.now() });
  }

  /** @throws RegistryError, GuardedWriteError or LockError; the file is then unchanged */
  private carryOut(intent: RegistryIntent): Promise<RegistryWritten> {
    const run = this.last.then(() => this.write(intent));
    this.last = run.catch(() => undefined);
    return run;
  }

  private async write(intent: RegistryIntent): Promise<RegistryWritten> {
    let counts = nothing;
    const changed = await guardedWrite(this.file, (document) => {
      const from = document ?? firstDocument();
      if (!from.isWritable) throw this.otherVersion(from);
      const change = changeRegistry(from, intent);
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

function firstDocument(): RegistryDocument {
  const parsed = parseRegistry(emptyRegistryText);
  if (parsed.kind === "unreadable") throw new Error(parsed.cause);
  return parsed.document;
}
