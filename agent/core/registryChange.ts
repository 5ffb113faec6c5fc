// What a writer wants of the registry, and the text that follows. Merge, never replace: only the entries that are
// spoken of change, what a new slice lacks has departed and is not removed, an empty slice has to be asked for by
// name. Doing the same twice changes nothing more. How one entry merges is `registryEntry.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import {
  appendArrays,
  appendObjects,
  applyEdits,
  rawMember,
  removeItems,
  replaceByObject,
  type TextEdit,
} from "../../base/jsonEdit.ts";
import { departedAt, type RegistryDocument, type Slice, type StoredEntry } from "./registryDocument.ts";
import { departEntry, mergeEntry, newEntry, sameEntry, type ToldEntry } from "./registryEntry.ts";

export type RegistryIntent =
  | { readonly kind: "put"; readonly sandbox: string; readonly entry: ToldEntry; readonly at: EpochMs }
  | {
      readonly kind: "replace";
      readonly sandbox: string;
      readonly entries: readonly ToldEntry[];
      /** An empty slice says that every session of it has departed; it is believed only when it says so by name. */
      readonly mayBeEmpty: boolean;
      readonly at: EpochMs;
      /** Sessions of which it tells nothing, since they started later than it was said. */
      readonly spares?: readonly string[];
    }
  | { readonly kind: "forget"; readonly id: string; readonly sandbox: string | undefined }
  | { readonly kind: "depart"; readonly id: string; readonly sandbox: string | undefined; readonly at: EpochMs };

export interface ChangeCounts {
  readonly added: number;
  readonly updated: number;
  readonly departed: number;
  readonly removed: number;
}

export type RegistryChange =
  | { readonly kind: "changed"; readonly text: string; readonly counts: ChangeCounts }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly because: Refusal };

export type Refusal =
  | { readonly kind: "empty-slice"; readonly sandbox: string }
  | { readonly kind: "not-recorded"; readonly id: string; readonly sandbox: string | undefined }
  | { readonly kind: "ambiguous"; readonly id: string; readonly sandboxes: readonly string[] };

export function changeRegistry(document: RegistryDocument, intent: RegistryIntent): RegistryChange {
  switch (intent.kind) {
    case "put":
      return mergeSlice(document, intent.sandbox, (slice) => {
        slice.tell(intent.entry, { kind: "start", at: intent.at });
        slice.oneEntryPerProcess([intent.entry], intent.at);
      });
    case "replace":
      if (intent.entries.length === 0 && !intent.mayBeEmpty)
        return { kind: "refused", because: { kind: "empty-slice", sandbox: intent.sandbox } };
      return mergeSlice(document, intent.sandbox, (slice) => {
        for (const entry of intent.entries) slice.tell(entry, { kind: "seen" });
        const spoken = [...intent.entries.map(({ fields }) => fields.session_id), ...(intent.spares ?? [])];
        slice.departOthers(new Set(spoken), intent.at);
        slice.oneEntryPerProcess(intent.entries, intent.at);
      });
    case "forget":
      return onRecorded(document, intent, (name) => forget(document, name, intent.id));
    case "depart":
      return onRecorded(document, intent, (name) =>
        mergeSlice(document, name, (slice) => slice.depart(intent.id, intent.at)),
      );
    default:
      return unreachable(intent);
  }
}

function onRecorded(
  document: RegistryDocument,
  { id, sandbox }: { readonly id: string; readonly sandbox: string | undefined },
  change: (sandbox: string) => RegistryChange,
): RegistryChange {
  const holders = [...document.slices.values()].filter(
    ({ name, entries }) => (sandbox ?? name) === name && entries.some(({ fields }) => fields.session_id === id),
  );
  const [holder] = holders;
  if (holder === undefined) return { kind: "refused", because: { kind: "not-recorded", id, sandbox } };
  if (holders.length > 1)
    return { kind: "refused", because: { kind: "ambiguous", id, sandboxes: holders.map(({ name }) => name) } };
  return change(holder.name);
}

function forget(document: RegistryDocument, name: string, id: string): RegistryChange {
  const slice = document.slices.get(name);
  const gone = (slice?.entries ?? []).filter(({ fields }) => fields.session_id === id).map(({ node }) => node);
  if (slice === undefined || gone.length === 0) return { kind: "unchanged" };
  const edits = removeItems(slice.array, new Set(gone));
  const counts = { added: 0, updated: 0, departed: 0, removed: gone.length };
  return { kind: "changed", text: finished(document.text, edits), counts };
}

function mergeSlice(document: RegistryDocument, sandbox: string, change: (slice: SliceDraft) => void): RegistryChange {
  const stored = document.slices.get(sandbox);
  const draft = new SliceDraft(document.text, stored);
  change(draft);
  const { counts, added, edits } = draft.result();
  const all: TextEdit[] = [...edits];
  if (stored === undefined)
    all.push(
      appendArrays(document.text, document.sandboxes, [{ key: sandbox, items: added.map(({ members }) => members) }]),
    );
  else if (added.length > 0)
    all.push(
      appendObjects(
        document.text,
        stored.array,
        added.map(({ members }) => members),
      ),
    );
  if (all.length === 0) return { kind: "unchanged" };
  return { kind: "changed", text: finished(document.text, all), counts };
}

function finished(text: string, edits: readonly TextEdit[]): string {
  const next = applyEdits(text, edits);
  return next.endsWith("\n") ? next : `${next}\n`;
}

interface DraftEntry {
  readonly stored: StoredEntry | undefined;
  readonly before: ToldEntry | undefined;
  now: ToldEntry;
}

/** One sandbox's entries while an intent is carried out. */
class SliceDraft {
  private readonly text: string;
  private readonly entries: DraftEntry[];
  private readonly byId = new Map<string, DraftEntry>();

  constructor(text: string, slice: Slice | undefined) {
    this.text = text;
    this.entries = (slice?.entries ?? []).map((stored) => {
      const before = {
        fields: stored.fields,
        members: stored.node.members.map((member) => rawMember(text, member)),
      };
      return { stored, before, now: before };
    });
    for (const entry of this.entries) this.index(entry);
  }

  tell(entry: ToldEntry, occasion: Parameters<typeof mergeEntry>[2]): void {
    const known = this.byId.get(entry.fields.session_id);
    if (known !== undefined) {
      known.now = mergeEntry(known.now, entry, occasion);
      return;
    }
    const added = { stored: undefined, before: undefined, now: newEntry(entry) };
    this.entries.push(added);
    this.index(added);
  }

  depart(id: string, at: EpochMs): void {
    for (const entry of this.entries) if (entry.now.fields.session_id === id) entry.now = departEntry(entry.now, at);
  }

  departOthers(present: ReadonlySet<string>, at: EpochMs): void {
    for (const entry of this.entries)
      if (!present.has(entry.now.fields.session_id)) entry.now = departEntry(entry.now, at);
  }

  /** A process that was told of holds one conversation: the one that began last. */
  oneEntryPerProcess(told: readonly ToldEntry[], at: EpochMs): void {
    const pids = new Set(told.flatMap(({ fields }) => fields.pid ?? []));
    const holders = new Map<number, DraftEntry>();
    for (const entry of this.entries) {
      const { pid } = entry.now.fields;
      if (pid === undefined || !pids.has(pid) || departedAt(entry.now.fields) !== undefined) continue;
      const other = holders.get(pid);
      if (other === undefined) {
        holders.set(pid, entry);
        continue;
      }
      const [older, newer] = beganAt(entry) >= beganAt(other) ? [other, entry] : [entry, other];
      older.now = departEntry(older.now, at);
      holders.set(pid, newer);
    }
  }

  result(): {
    readonly counts: ChangeCounts;
    readonly added: readonly ToldEntry[];
    readonly edits: readonly TextEdit[];
  } {
    const edits: TextEdit[] = [];
    const added: ToldEntry[] = [];
    let updated = 0;
    let departed = 0;
    for (const { stored, before, now } of this.entries) {
      if (stored === undefined || before === undefined) {
        added.push(now);
        continue;
      }
      if (sameEntry(before, now)) continue;
      edits.push(replaceByObject(this.text, stored.node, now.members));
      if (departedAt(before.fields) === undefined && departedAt(now.fields) !== undefined) departed += 1;
      else updated += 1;
    }
    return { counts: { added: added.length, updated, departed, removed: 0 }, added, edits };
  }

  /** Of doubled entries the one that is still there is spoken of. */
  private index(entry: DraftEntry): void {
    const id = entry.now.fields.session_id;
    const other = this.byId.get(id);
    if (other === undefined || departedAt(other.now.fields) !== undefined) this.byId.set(id, entry);
  }
}

/** One that tells no start stands where it stands in the list: later is newer. */
function beganAt({ now }: DraftEntry): number {
  return now.fields.started_at_ms ?? 0;
}
