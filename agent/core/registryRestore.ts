// What comes back into a registry of what it once held: entries that it lacks now, as they were. Nothing that stands
// there is touched, whoever wrote it. Where the entries come from is `record/registryRestorer.ts`.
import { appendArrays, appendObjects, applyEdits, type RawMember } from "../../base/jsonEdit.ts";
import { entriesOf, entryKey, type EntryName } from "./registryDifference.ts";
import { parseRegistry, type RegistryDocument } from "./registryDocument.ts";

export interface FormerEntry extends EntryName {
  readonly members: readonly RawMember[];
}

/** Which of them are meant; each that is not said means all. */
export interface RestoreWish {
  readonly sessions?: readonly string[] | undefined;
  readonly sandbox?: string | undefined;
}

export function isWished({ sessions, sandbox }: RestoreWish, entry: EntryName): boolean {
  return (sessions?.includes(entry.id) ?? true) && (sandbox ?? entry.sandbox) === entry.sandbox;
}

/** Those that the document lacks, each once. */
export function missingEntries(document: RegistryDocument, former: readonly FormerEntry[]): readonly FormerEntry[] {
  const there = new Set(entriesOf(document).keys());
  return former.filter((entry) => {
    const key = entryKey(entry);
    if (there.has(key)) return false;
    there.add(key);
    return true;
  });
}

/** @returns the text with those that it lacked; undefined where it lacks none */
export function withEntries(document: RegistryDocument, former: readonly FormerEntry[]): string | undefined {
  const missing = missingEntries(document, former);
  if (missing.length === 0) return undefined;
  const bySandbox = new Map<string, (readonly RawMember[])[]>();
  for (const { sandbox, members } of missing) bySandbox.set(sandbox, [...(bySandbox.get(sandbox) ?? []), members]);
  const known = [...bySandbox].flatMap(([name, items]) => {
    const slice = document.slices.get(name);
    return slice === undefined ? [] : [appendObjects(document.text, slice.array, items)];
  });
  const next = parsed(applyEdits(document.text, known));
  const fresh = [...bySandbox].filter(([name]) => !document.slices.has(name)).map(([key, items]) => ({ key, items }));
  const text = fresh.length === 0 ? next.text : applyEdits(next.text, [appendArrays(next.text, next.sandboxes, fresh)]);
  return text.endsWith("\n") ? text : `${text}\n`;
}

function parsed(text: string): RegistryDocument {
  const read = parseRegistry(text);
  if (read.kind === "unreadable") throw new Error(read.cause);
  return read.document;
}
