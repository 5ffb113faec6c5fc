// Brings back what the registry held: what another writer dropped, or what one of its generations had, into whatever
// stands there now. Where that cannot be read the last whole content takes its place, and it is kept aside; nothing else
// in the product may do that. What a restored text is, is `core/registryRestore.ts`.
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import { guardedLoad } from "../../base/node/guardedLoad.ts";
import { guardedWrite, type WrittenFile } from "../../base/node/guardedWrite.ts";
import { replaceUnreadable } from "../../base/node/replaceUnreadable.ts";
import { entriesOf, entryKey, type EntryName } from "../core/registryDifference.ts";
import { parseRegistry, type RegistryDocument } from "../core/registryDocument.ts";
import { isWished, missingEntries, withEntries, type FormerEntry, type RestoreWish } from "../core/registryRestore.ts";
import type { RegistryJournal } from "./journal.ts";

export type RestoreErrorKind = "restore-unknown" | "restore-only-whole" | "restore-nothing-whole";
export type RestoreError = RollcallError<RestoreErrorKind>;

export interface RestoreRequest extends RestoreWish {
  /** Of which the entries come; without it, what was dropped. */
  readonly generation?: number | undefined;
}

export type RestorePlan =
  /** `entries` come back; of those asked for, `there` are there already, as they are now. */
  | { readonly kind: "merge"; readonly entries: readonly FormerEntry[]; readonly there: readonly EntryName[] }
  /** The file cannot be read: a whole content takes its place, with these entries. */
  | { readonly kind: "whole"; readonly cause: string; readonly text: string; readonly entries: readonly EntryName[] };

export interface Restored {
  readonly restored: readonly EntryName[];
  /** Where what could not be read is kept. */
  readonly aside: string | undefined;
}

export interface RestorerOptions {
  readonly file: WrittenFile<RegistryDocument>;
  readonly journal: RegistryJournal;
  /** What a write begins from. @throws where its version is not ours to write */
  readonly writable: (document: RegistryDocument | undefined) => RegistryDocument;
}

export class RegistryRestorer {
  private readonly options: RestorerOptions;

  constructor(options: RestorerOptions) {
    this.options = options;
  }

  /** What a restore would do now; nothing is written. @throws RestoreError or JournalError */
  async plan(request: RestoreRequest): Promise<RestorePlan> {
    const { file, writable } = this.options;
    const load = await guardedLoad(file);
    if (load.kind === "unreadable") return this.wholePlan(request, load.cause);
    const document = writable(load.kind === "read" ? load.value : undefined);
    const former = await this.former(request);
    const entries = missingEntries(document, former);
    const missing = new Set(entries.map(entryKey));
    return { kind: "merge", entries, there: former.filter((entry) => !missing.has(entryKey(entry))) };
  }

  /** @throws RestoreError, JournalError or GuardedWriteError; the file is then what it was, or kept aside */
  async restore(request: RestoreRequest): Promise<Restored> {
    const plan = await this.plan(request);
    if (plan.kind === "merge") return this.merge(request, plan.entries);
    const announced = { ...this.options.file, announce: this.announcing(request) };
    const replaced = await replaceUnreadable(announced, plan.text);
    if (replaced.kind === "can-be-read") return this.merge(request, await this.former(request));
    await guardedLoad(this.options.file);
    return { restored: plan.entries, aside: replaced.aside };
  }

  private async merge(request: RestoreRequest, former: readonly FormerEntry[]): Promise<Restored> {
    const { file, writable } = this.options;
    const restored = new Map<string, EntryName>();
    await guardedWrite({ ...file, announce: this.announcing(request) }, (standing) => {
      const document = writable(standing);
      for (const entry of missingEntries(document, former)) restored.set(entryKey(entry), entry);
      return withEntries(document, former);
    });
    return { restored: [...restored.values()].map(({ sandbox, id }) => ({ sandbox, id })), aside: undefined };
  }

  private announcing({ generation }: RestoreRequest): (content: string) => Promise<void> {
    const act = generation === undefined ? "restore" : `restore generation ${generation}`;
    return (content) => this.options.journal.announce(content, { act, intents: [], forgets: [] });
  }

  private async wholePlan(request: RestoreRequest, cause: string): Promise<RestorePlan> {
    const { file, journal } = this.options;
    if (request.sessions !== undefined || request.sandbox !== undefined)
      throw restoreError(
        "restore-only-whole",
        `the registry ${file.path} cannot be read (${cause}), so it can only be restored whole; leave --session and --sandbox out`,
      );
    const newest = await journal.newest(file.path, parseRegistry);
    const base = request.generation === undefined ? newest?.value : await this.documentOf(request.generation);
    if (base === undefined)
      throw restoreError(
        "restore-nothing-whole",
        `no whole content of the registry ${file.path} is known, so there is nothing to restore; write one by hand`,
      );
    // Whatever was recorded last and is not in an older generation comes along: what is not wanted can be forgotten.
    const former = [
      ...(newest === undefined ? [] : formerOf(newest.value)),
      ...(await journal.read()).dropped.values(),
    ];
    const text = withEntries(base, former) ?? base.text;
    const entries = [...formerOf(base), ...missingEntries(base, former)].map(({ sandbox, id }) => ({ sandbox, id }));
    return { kind: "whole", cause, text, entries };
  }

  private async former(request: RestoreRequest): Promise<readonly FormerEntry[]> {
    const { journal } = this.options;
    if (request.generation !== undefined)
      return formerOf(await this.documentOf(request.generation)).filter((entry) => isWished(request, entry));
    const { dropped } = await journal.read();
    const found = [...dropped.values()].filter((entry) => isWished(request, entry));
    const missing = (request.sessions ?? []).filter((id) => !found.some((entry) => entry.id === id));
    return [...found, ...(await this.lastOf(missing, request.sandbox))];
  }

  /** The last text of each, from the newest generation that had it. @throws RestoreError where one never had it */
  private async lastOf(ids: readonly string[], sandbox: string | undefined): Promise<readonly FormerEntry[]> {
    const found: FormerEntry[] = [];
    for (const id of ids) {
      const entries = await this.options.journal.lastEntries(id, sandbox);
      if (entries.length === 0)
        throw restoreError(
          "restore-unknown",
          `no session ${id} was recorded${sandbox === undefined ? "" : ` in ${sandbox}`} as far as the journal goes back; "rollcall registry history" lists what it has`,
        );
      found.push(...entries);
    }
    return found;
  }

  private async documentOf(n: number): Promise<RegistryDocument> {
    const { journal } = this.options;
    await journal.read();
    const generation = journal.generation(n);
    const text = generation === undefined ? undefined : await journal.textOf(generation);
    const parsed = text === undefined ? undefined : parseRegistry(text);
    if (parsed?.kind === "parsed") return parsed.document;
    throw restoreError(
      "restore-unknown",
      generation === undefined
        ? `there is no generation ${n}; "rollcall registry history" lists them`
        : `the bytes of generation ${n} are not there any more; choose another one of "rollcall registry history"`,
    );
  }
}

function formerOf(document: RegistryDocument): readonly FormerEntry[] {
  return [...entriesOf(document).values()].map(({ sandbox, id, entry }) => ({ sandbox, id, members: entry.members }));
}

function restoreError(kind: RestoreErrorKind, message: string): RestoreError {
  return rollcallError(kind, message);
}
