// What registries record: which conversations live in which sandbox, as far as each could be read, with its age. How a
// registry's text is read is `registryDocument.ts`; how recorded sessions become rows is `recordedSessions.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import type { RegistryEntry } from "../../protocol/files/registryEntrySchema.ts";
import type { Cause, Known, SourceId } from "../../protocol/observation.ts";
import { departedAt, type Places, type RegistryDocument, type Slice } from "./registryDocument.ts";
import type { DroppedEntry } from "./journalState.ts";
import { valueOf } from "./observation.ts";
import { entryKey } from "./registryDifference.ts";
import { toldEntry } from "./registryEntry.ts";

/** A registry as it was read. */
export interface RegistryFacts {
  readonly path: string;
  readonly sandboxes: ReadonlyMap<string, readonly RegistryEntry[]>;
  /** Items that are no entry, by why. */
  readonly skipped: ReadonlyMap<string, number>;
  /** What it had and another writer left out, each as it was. */
  readonly dropped: readonly DroppedSession[];
}

export interface DroppedSession {
  readonly sandbox: string;
  readonly entry: RegistryEntry;
  readonly at: EpochMs;
}

/** What is known of each registry, by its source. */
export type Registries = ReadonlyMap<SourceId, Known<RegistryFacts>>;

export interface RecordedSession {
  readonly sandbox: string;
  readonly entry: RegistryEntry;
  readonly departedAt: EpochMs | undefined;
  /** When another writer left it out without a word of its end. */
  readonly droppedAt?: EpochMs;
  readonly registry: RegistryAge;
}

/** Which registry says so, when it was read, and since when it cannot be. */
export interface RegistryAge {
  readonly source: SourceId;
  readonly path: string;
  readonly asOf: EpochMs;
  readonly stale: { readonly since: EpochMs; readonly cause: Cause } | undefined;
}

export function registryFacts(path: string, document: RegistryDocument): RegistryFacts {
  const skipped = new Map<string, number>();
  for (const slice of document.slices.values())
    for (const [why, { count }] of [...slice.skipped, ...unreadWords(slice)])
      skipped.set(why, (skipped.get(why) ?? 0) + count);
  const all = [...document.slices.values()].flatMap(({ name, entries }) =>
    entries.map(({ fields }) => ({ name, fields })),
  );
  const taken = new Set(withinLimit(all));
  if (taken.size < all.length) skipped.set(overLimit, all.length - taken.size);
  const empty = [...document.slices.values()].filter(({ entries }) => entries.length === 0).map(({ name }) => name);
  const unshown = new Set(empty.slice(limits.emptySandboxes));
  if (unshown.size > 0) skipped.set(tooManyEmpty, unshown.size);
  const sandboxes = new Map<string, RegistryEntry[]>();
  for (const name of document.slices.keys()) if (!unshown.has(name)) sandboxes.set(name, []);
  for (const entry of all) if (taken.has(entry)) sandboxes.get(entry.name)?.push(entry.fields);
  return { path, sandboxes, skipped, dropped: [] };
}

/** Where the file itself is lost, what it last had is dropped too. */
export function withDropped(facts: RegistryFacts, dropped: readonly DroppedEntry[]): RegistryFacts {
  if (dropped.length === 0) return facts;
  const gone = new Set(dropped.map(entryKey));
  const sandboxes = new Map(
    [...facts.sandboxes].map(([sandbox, entries]) => [
      sandbox,
      entries.filter(({ session_id: id }) => !gone.has(entryKey({ sandbox, id }))),
    ]),
  );
  return {
    ...facts,
    sandboxes,
    dropped: dropped.map(({ sandbox, members, at }) => ({ sandbox, entry: toldEntry(members).fields, at })),
  };
}

function unreadWords({ unread }: Slice): readonly (readonly [string, Places])[] {
  return [...unread].map(([field, places]) => [`an entry's ${field} that cannot be read`, places]);
}

const overLimit = `more than ${limits.recordedSessions} sessions are recorded: those that departed are left out first`;

const tooManyEmpty = `more than ${limits.emptySandboxes} sandboxes are recorded without a session`;

/** What may still be there comes before what departed, then as it stands in the file. */
function withinLimit<T extends { readonly fields: RegistryEntry }>(all: readonly T[]): readonly T[] {
  if (all.length <= limits.recordedSessions) return all;
  const hasLeft = ({ fields }: T): boolean => departedAt(fields) !== undefined;
  return [...all.filter((entry) => !hasLeft(entry)), ...all.filter(hasLeft)].slice(0, limits.recordedSessions);
}

/** Each conversation of each sandbox once: our own registry speaks first, and what is still there before what departed. */
export function recordedSessions(registries: Registries): readonly RecordedSession[] {
  const found = new Map<string, RecordedSession>();
  for (const { facts, age } of readRegistries(registries)) {
    for (const [sandbox, entries] of facts.sandboxes) {
      for (const entry of entries) {
        const key = JSON.stringify([sandbox, entry.session_id]);
        const other = found.get(key);
        const departed = departedAt(entry);
        const better =
          other?.registry.source === age.source && other.departedAt !== undefined && departed === undefined;
        if (other === undefined || better) found.set(key, { sandbox, entry, departedAt: departed, registry: age });
      }
    }
    for (const { sandbox, entry, at } of facts.dropped) {
      const key = JSON.stringify([sandbox, entry.session_id]);
      if (!found.has(key))
        found.set(key, { sandbox, entry, departedAt: departedAt(entry), droppedAt: at, registry: age });
    }
  }
  return [...found.values()];
}

export interface RecordedSandbox {
  readonly sessions: number;
  /** Of these, how many another writer left out. */
  readonly dropped: number;
  readonly registry: RegistryAge;
}

export function recordedSandboxes(registries: Registries): ReadonlyMap<string, RecordedSandbox> {
  const found = new Map<string, RecordedSandbox>();
  for (const { facts, age } of readRegistries(registries)) {
    const own = new Map<string, RecordedSandbox>();
    for (const [name, entries] of facts.sandboxes)
      own.set(name, { sessions: entries.length, dropped: 0, registry: age });
    for (const { sandbox } of facts.dropped) {
      const { sessions, dropped } = own.get(sandbox) ?? { sessions: 0, dropped: 0 };
      own.set(sandbox, { sessions: sessions + 1, dropped: dropped + 1, registry: age });
    }
    for (const [name, sandbox] of own) if (!found.has(name)) found.set(name, sandbox);
  }
  return found;
}

function readRegistries(
  registries: Registries,
): readonly { readonly facts: RegistryFacts; readonly age: RegistryAge }[] {
  return [...registries]
    .sort(([a], [b]) => rank(a) - rank(b))
    .flatMap(([source, known]) => {
      const facts = valueOf(known);
      return facts === undefined ? [] : [{ facts, age: ageOf(source, facts, known) }];
    });
}

function rank(source: SourceId): number {
  return source === "registry" ? 0 : 1;
}

function ageOf(source: SourceId, { path }: RegistryFacts, known: Known<RegistryFacts>): RegistryAge {
  const asOf = known.kind === "never" ? 0 : known.asOf;
  const stale = known.kind === "stale" ? { since: known.since, cause: known.cause } : undefined;
  return { source, path, asOf, stale };
}
