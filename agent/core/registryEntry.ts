// How one entry takes up what is newly known of its session. Nothing blank overwrites what is stored, a better name
// stays, the first departure stands until a newer start lifts it. Which entries meet is `registryChange.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { RawMember } from "../../base/jsonEdit.ts";
import { departedAt } from "./registryDocument.ts";
import { readRegistryEntry } from "../../protocol/files/readRegistryEntry.ts";
import type { NameSource } from "../../protocol/files/registry.ts";
import type { RegistryEntry } from "../../protocol/files/registryEntrySchema.ts";

/** What a writer tells of one session: its fields as JSON, and what they say. */
export interface ToldEntry {
  readonly fields: RegistryEntry;
  readonly members: readonly RawMember[];
}

/** `start` is the word that the session begins now, which lifts an earlier departure. */
export type Occasion = { readonly kind: "seen" } | { readonly kind: "start"; readonly at: EpochMs };

export function toldEntry(members: readonly RawMember[]): ToldEntry {
  const fields = readRegistryEntry(Object.fromEntries(members.map(valueOfMember)));
  if (fields === undefined) throw new Error("an entry without a session id that can be one");
  return { members, fields };
}

export function mergeEntry(stored: ToldEntry, told: ToldEntry, occasion: Occasion): ToldEntry {
  const members = new Map(stored.members.map(({ key, value }) => [key, value]));
  for (const { key, value } of told.members) if (takes(stored.fields, told, key, value)) members.set(key, value);
  mergeName(members, stored.fields, told.fields);
  mergeDeparture(members, stored.fields, told.fields, occasion);
  return entryOf(members);
}

/** The first stamp wins. */
export function departEntry(stored: ToldEntry, at: EpochMs): ToldEntry {
  if (departedAt(stored.fields) !== undefined) return stored;
  const members = new Map(stored.members.map(({ key, value }) => [key, value]));
  // A start that lies in the future of who tells of the end would lift it at once.
  members.set("departed_at_ms", String(Math.max(at, stored.fields.started_at_ms ?? at)));
  return entryOf(members);
}

/** A new entry keeps no blank field. */
export function newEntry(told: ToldEntry): ToldEntry {
  const members = told.members.filter(({ key, value }) => !isBlank(told.fields, key, value));
  const lifted = told.fields.departed_at_ms !== undefined && departedAt(told.fields) === undefined;
  return entryOf(
    new Map(members.flatMap(({ key, value }) => (lifted && key === "departed_at_ms" ? [] : [[key, value]]))),
  );
}

export function sameEntry(a: ToldEntry, b: ToldEntry): boolean {
  if (a.members.length !== b.members.length) return false;
  const values = new Map(a.members.map(({ key, value }) => [key, value]));
  return b.members.every(({ key, value }) => values.get(key) === value);
}

function takes(stored: RegistryEntry, told: ToldEntry, key: string, value: string): boolean {
  if (isBlank(told.fields, key, value)) return false;
  switch (key) {
    case "session_id":
    case "name":
    case "name_source":
    case "departed_at_ms":
      return false;
    case "started_at_ms":
      return (told.fields.started_at_ms ?? 0) > (stored.started_at_ms ?? 0);
    default:
      return true;
  }
}

function mergeName(members: Map<string, string>, stored: RegistryEntry, told: RegistryEntry): void {
  if (told.name === undefined || told.name.trim() === "") return;
  if (stored.name !== undefined && nameRank(told) < nameRank(stored)) return;
  members.set("name", JSON.stringify(told.name));
  if (told.name_source === undefined) members.delete("name_source");
  else members.set("name_source", JSON.stringify(told.name_source));
}

const nameRanks = { user: 3, agent: 2, derived: 0 } as const satisfies Record<NameSource, number>;

/** A name of which nobody says whose it is stands between the agent's and a derived one. */
function nameRank({ name_source }: RegistryEntry): number {
  return name_source === undefined ? 1 : nameRanks[name_source];
}

function mergeDeparture(
  members: Map<string, string>,
  stored: RegistryEntry,
  told: RegistryEntry,
  occasion: Occasion,
): void {
  const startedAt = Math.max(stored.started_at_ms ?? 0, told.started_at_ms ?? 0);
  const stamps = [stored.departed_at_ms, told.departed_at_ms].flatMap((stamp) => stamp ?? []);
  const standing = stamps.filter((stamp) => startedAt <= stamp);
  if (occasion.kind === "start" && told.departed_at_ms === undefined) {
    if (standing.length > 0)
      members.set("started_at_ms", String(Math.max(occasion.at, ...standing.map((at) => at + 1))));
    members.delete("departed_at_ms");
    return;
  }
  if (standing.length === 0) members.delete("departed_at_ms");
  else members.set("departed_at_ms", String(Math.min(...standing)));
}

/** Nothing was observed: not a value that says "nothing". */
function isBlank(told: RegistryEntry, key: string, value: string): boolean {
  if (value === "null" || /^"(?:\s|\\[nrt])*"$/.test(value)) return true;
  switch (key) {
    case "started_at_ms":
    case "departed_at_ms":
    case "pid":
    case "owner_pid":
    case "cwd":
    case "transcript":
    case "name":
      if (told[key] === undefined) return true;
      // The folder's name of a session whose own folder was not told.
      return key === "transcript" && /[\\/]projects[\\/]-[\\/]/.test(told.transcript ?? "") && told.cwd !== "/";
    default:
      return false;
  }
}

function entryOf(members: ReadonlyMap<string, string>): ToldEntry {
  return toldEntry([...members].map(([key, value]) => ({ key, value })));
}

function valueOfMember({ key, value }: RawMember): readonly [string, unknown] {
  return [key, JSON.parse(value)];
}
