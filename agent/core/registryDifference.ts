// What one content of a registry has that another one lacks, entry by entry. Layout is no difference. Who made it, and
// whether what is gone was meant to go, is `journalState.ts`.
import { compactJson } from "../../base/jsonSource.ts";
import type { RegistryDocument, StoredEntry } from "./registryDocument.ts";
import { departedAt } from "./registryDocument.ts";
import { sameEntry, type ToldEntry } from "./registryEntry.ts";

export interface EntryName {
  readonly sandbox: string;
  readonly id: string;
}

export interface NamedEntry extends EntryName {
  readonly entry: ToldEntry;
}

export interface ChangedEntry extends EntryName {
  readonly before: ToldEntry;
  readonly entry: ToldEntry;
}

export interface RegistryDifference {
  readonly added: readonly NamedEntry[];
  readonly changed: readonly ChangedEntry[];
  readonly gone: readonly NamedEntry[];
}

export type Entries = ReadonlyMap<string, NamedEntry>;

export const noEntries: Entries = new Map();

export function entryKey({ sandbox, id }: EntryName): string {
  return JSON.stringify([sandbox, id]);
}

/** Of doubled entries the one that is still there is spoken of. */
export function entriesOf(document: RegistryDocument): Entries {
  const entries = new Map<string, NamedEntry>();
  for (const { name: sandbox, entries: stored } of document.slices.values()) {
    for (const each of stored) {
      const name = { sandbox, id: each.fields.session_id };
      const key = entryKey(name);
      const other = entries.get(key);
      if (other === undefined || departedAt(other.entry.fields) !== undefined)
        entries.set(key, { ...name, entry: entryAsTold(document.text, each) });
    }
  }
  return entries;
}

/** With every byte of its values, without the white space between them. */
export function entryAsTold(text: string, { fields, node }: StoredEntry): ToldEntry {
  return { fields, members: node.members.map(({ key, value }) => ({ key, value: compactJson(text, value) })) };
}

export function differenceOf(before: Entries, after: Entries): RegistryDifference {
  const added: NamedEntry[] = [];
  const changed: ChangedEntry[] = [];
  for (const [key, now] of after) {
    const then = before.get(key);
    if (then === undefined) added.push(now);
    else if (!sameEntry(then.entry, now.entry)) changed.push({ ...now, before: then.entry });
  }
  return { added, changed, gone: [...before].filter(([key]) => !after.has(key)).map(([, entry]) => entry) };
}
