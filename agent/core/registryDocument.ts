// A registry's text as what it says: the slices of sandboxes and their entries, each with its place in the text. A
// text without the shape says nothing, least of all that there is nothing. How a text is changed is `registryChange.ts`.
import { doubledKey, jsonValue, readJson, type JsonArray, type JsonObject } from "../../base/jsonSource.ts";
import { isRegistryField, readRegistryEntry } from "../../protocol/files/readRegistryEntry.ts";
import { registryVersion } from "../../protocol/files/registry.ts";
import { momentOf } from "../../protocol/files/tolerant.ts";
import type { RegistryEntry } from "../../protocol/files/registryEntrySchema.ts";

export interface RegistryDocument {
  readonly text: string;
  /** As the file writes it; undefined where it has none. */
  readonly version: string | undefined;
  /** False for a version of which nobody here knows how to write it. */
  readonly isWritable: boolean;
  readonly sandboxes: JsonObject;
  readonly slices: ReadonlyMap<string, Slice>;
}

export interface Slice {
  readonly name: string;
  readonly array: JsonArray;
  readonly entries: readonly StoredEntry[];
  /** Items that are no entry, by why; they stay where they are. */
  readonly skipped: ReadonlyMap<string, Places>;
  /** Fields of entries that say nothing, since their value is not of a known kind, by name. */
  readonly unread: ReadonlyMap<string, Places>;
}

export interface Places {
  readonly count: number;
  /** Which items of the slice, counted from one; the first few. */
  readonly first: readonly number[];
}

export interface StoredEntry {
  readonly fields: RegistryEntry;
  readonly node: JsonObject;
  readonly unread: readonly string[];
}

export type RegistryParse =
  | { readonly kind: "parsed"; readonly document: RegistryDocument }
  | { readonly kind: "unreadable"; readonly cause: string };

export function parseRegistry(text: string): RegistryParse {
  const read = readJson(text);
  if (read.kind === "not-json") return unreadable(`torn or not JSON: ${read.cause}`);
  const { root } = read;
  if (root.kind !== "object") return unreadable("not the shape of a registry: it is no object");
  const doubled = doubledKey(root);
  if (doubled !== undefined) return unreadable(`the key ${JSON.stringify(doubled)} stands twice in it`);
  const member = (key: string) => root.members.find((each) => each.key === key)?.value;
  const version = member("version");
  const sandboxes = member("sandboxes");
  if (sandboxes?.kind !== "object") return unreadable("not the shape of a registry: it has no sandboxes");
  const twice = doubledKey(sandboxes);
  if (twice !== undefined) return unreadable(`the sandbox ${JSON.stringify(twice)} stands twice in it`);
  const slices = new Map<string, Slice>();
  for (const { key, value } of sandboxes.members) {
    if (value.kind !== "array")
      return unreadable(`not the shape of a registry: the sandbox ${JSON.stringify(key)} has no list of sessions`);
    slices.set(key, readSlice(text, key, value));
  }
  return {
    kind: "parsed",
    document: {
      text,
      version: version === undefined ? undefined : text.slice(version.start, version.end).slice(0, 40),
      isWritable: version !== undefined && jsonValue(text, version) === registryVersion,
      sandboxes,
      slices,
    },
  };
}

/** A start after the departure lifts it. */
export function departedAt({ departed_at_ms, started_at_ms }: RegistryEntry): number | undefined {
  if (departed_at_ms === undefined) return undefined;
  return started_at_ms !== undefined && started_at_ms > departed_at_ms ? undefined : departed_at_ms;
}

/** One entry as a text has it; otherwise why it is none. */
export function readEntry(text: string, node: JsonArray["items"][number]): StoredEntry | string {
  if (node.kind !== "object") return "an entry that is no object";
  if (doubledKey(node) !== undefined) return "an entry in which a key stands twice";
  const value = jsonValue(text, node);
  const fields = readRegistryEntry(value);
  if (fields === undefined) return "an entry without a session id that can be one";
  return { fields, node, unread: unreadFields(Object.entries(value as object), fields) };
}

/** What is blank says nothing in good faith. */
function unreadFields(members: readonly (readonly [string, unknown])[], fields: RegistryEntry): readonly string[] {
  const said: Readonly<Record<string, unknown>> = fields;
  const isBlank = (value: unknown): boolean => value === null || (typeof value === "string" && value.trim() === "");
  return members
    .filter(([key, value]) => isRegistryField(key) && !isBlank(value) && (said[key] === undefined || isOdd(key, value)))
    .map(([key]) => key);
}

/** Such a stamp still tells that the session departed, and which of two came first; when, it does not. */
function isOdd(key: string, value: unknown): boolean {
  return (key === "departed_at_ms" || key === "started_at_ms") && momentOf(value) === undefined;
}

function readSlice(text: string, name: string, array: JsonArray): Slice {
  const entries: StoredEntry[] = [];
  const skipped = new Map<string, Places>();
  const unread = new Map<string, Places>();
  for (const [index, item] of array.items.entries()) {
    const entry = readEntry(text, item);
    if (typeof entry === "string") {
      note(skipped, entry, index);
      continue;
    }
    entries.push(entry);
    for (const field of entry.unread) note(unread, field, index);
  }
  return { name, array, entries, skipped, unread };
}

function note(places: Map<string, Places>, why: string, index: number): void {
  const { count, first } = places.get(why) ?? { count: 0, first: [] };
  places.set(why, { count: count + 1, first: first.length < placesNamed ? [...first, index + 1] : first });
}

const placesNamed = 5;

function unreadable(cause: string): RegistryParse {
  return { kind: "unreadable", cause };
}
