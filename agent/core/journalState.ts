// What a registry's journal says, line after line: each content that was seen, which of them were announced before we
// wrote them, what another writer dropped, and the intents that wait. A pure fold: the same lines give the same state.
// Where the lines lie is `record/journal.ts`; what is made of an intent is `keptIntents.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { entryKey, type EntryName } from "./registryDifference.ts";
import type { Forgotten, KeptIntent, SettledIntent } from "./keptIntents.ts";
import type { RawMember } from "../../base/jsonEdit.ts";

/** `found` is what stood there before anybody journaled. */
export type Writer = "rollcall" | "another" | "found";

/** One content that the registry had. */
export interface Generation {
  readonly n: number;
  /** When it was first seen. */
  readonly at: EpochMs;
  readonly by: Writer;
  /** What we wrote it for; undefined of another writer's. */
  readonly act?: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly sessions: number;
  /** The folder in which it stood, as the machine numbers folders. */
  readonly folder?: string;
  readonly added: NamedFew;
  readonly changed: NamedFew;
  /** What the one before had and this one lacks: forgotten where it is ours, dropped where it is not. */
  readonly gone: NamedFew;
}

/** How many, and the first of them by name. */
export interface NamedFew {
  readonly count: number;
  readonly first: readonly EntryName[];
}

/** An entry that another writer left out, kept as it was. */
export interface DroppedEntry extends EntryName {
  readonly at: EpochMs;
  /** The generation that first lacked it; that before, where what followed was none. */
  readonly by: number;
  /** When the drops began that belong together: a person is told once of all of them. */
  readonly incident: EpochMs;
  readonly members: readonly RawMember[];
}

export interface Announced {
  readonly at: EpochMs;
  readonly sha256: string;
  readonly act: string;
  /** What becomes of kept intents with it. */
  readonly intents: readonly Omit<SettledIntent, "at">[];
  /** Sessions that are meant to go. Whatever else it lacks came with another writer's content that it merges. */
  readonly forgets: readonly Forgotten[];
}

export type JournalLine =
  | ({ readonly kind: "announced" } & Announced)
  | {
      readonly kind: "generation";
      readonly generation: Generation;
      readonly dropped: readonly DroppedEntry[];
      /** What was dropped and is there again, or was forgotten since. */
      readonly back: readonly EntryName[];
    }
  /** The file holds nothing that can be read: it was deleted, emptied or cut; what it had is dropped with it. */
  | { readonly kind: "lost"; readonly at: EpochMs; readonly how: string; readonly dropped: readonly DroppedEntry[] }
  /** A person takes the drop for what was meant. */
  | { readonly kind: "accepted"; readonly at: EpochMs; readonly entries: readonly EntryName[] }
  /** A person was told of the incident. */
  | { readonly kind: "told"; readonly at: EpochMs; readonly incident: EpochMs }
  | { readonly kind: "kept"; readonly intent: KeptIntent }
  | { readonly kind: "settled"; readonly settled: readonly SettledIntent[] }
  /** Everything that was said before, in the place of the lines that said it. */
  | { readonly kind: "checkpoint"; readonly state: JournalSummary };

export interface JournalState {
  /** Oldest first; of older ones only that they were is known. */
  readonly generations: readonly Generation[];
  readonly lastGeneration: number;
  readonly announced: Announced | undefined;
  /** By `entryKey`. */
  readonly dropped: ReadonlyMap<string, DroppedEntry>;
  /** Since when the file is lost, and how. */
  readonly lost: { readonly at: EpochMs; readonly how: string } | undefined;
  /** The last incident of which a person was told. */
  readonly toldIncident: EpochMs;
  /** Oldest first. */
  readonly intents: readonly KeptIntent[];
  readonly lastIntent: number;
  /** Oldest first, the newest few. */
  readonly settled: readonly SettledIntent[];
}

/** As JSON has it. */
export type JournalSummary = Omit<JournalState, "dropped"> & { readonly dropped: readonly DroppedEntry[] };

export const emptyJournal: JournalState = {
  generations: [],
  lastGeneration: 0,
  announced: undefined,
  dropped: new Map(),
  lost: undefined,
  toldIncident: 0,
  intents: [],
  lastIntent: 0,
  settled: [],
};

export function foldJournal(state: JournalState, line: JournalLine): JournalState {
  switch (line.kind) {
    case "announced": {
      const { at, sha256, act, intents, forgets } = line;
      return { ...state, announced: { at, sha256, act, intents, forgets } };
    }
    case "generation":
      return foldGeneration(state, line);
    case "lost":
      return {
        ...state,
        lost: { at: line.at, how: line.how },
        dropped: withDropped(state.dropped, line.dropped, []),
      };
    case "accepted":
      return { ...state, dropped: withDropped(state.dropped, [], line.entries) };
    case "told":
      return { ...state, toldIncident: Math.max(state.toldIncident, line.incident) };
    case "kept":
      return { ...state, intents: [...state.intents, line.intent], lastIntent: line.intent.n };
    case "settled":
      return settle(state, line.settled);
    case "checkpoint":
      return {
        ...emptyJournal,
        ...line.state,
        dropped: new Map(line.state.dropped.map((entry) => [entryKey(entry), entry])),
      };
    default:
      return unreachable(line);
  }
}

export function summaryOf(state: JournalState): JournalSummary {
  return { ...state, dropped: [...state.dropped.values()] };
}

/** Oldest ones are left out, together with their bytes; the newest never is. */
export function boundedJournal(state: JournalState): JournalState {
  const kept: Generation[] = [];
  let bytes = 0;
  for (const generation of [...state.generations].reverse()) {
    const isNew = !kept.some(({ sha256 }) => sha256 === generation.sha256);
    bytes += isNew ? generation.bytes : 0;
    if (kept.length > 0 && (kept.length >= limits.journalGenerations || bytes > limits.journalBytes)) break;
    kept.unshift(generation);
  }
  return { ...state, generations: kept };
}

/** To which a drop belongs now: a new one, where all of the last one is back or it is a while ago. */
export function incidentOf(state: JournalState, at: EpochMs): EpochMs {
  const last = lastDropped(state);
  return last !== undefined && at - last.at < incidentQuietMs ? last.incident : at;
}

/** What a person has not been told of yet; undefined where there is nothing. */
export function untoldIncident(
  state: JournalState,
): { readonly incident: EpochMs; readonly sessions: number } | undefined {
  const last = lastDropped(state);
  if (last === undefined || last.incident <= state.toldIncident) return undefined;
  const { incident } = last;
  return { incident, sessions: [...state.dropped.values()].filter((entry) => entry.incident === incident).length };
}

function lastDropped({ dropped }: JournalState): DroppedEntry | undefined {
  let last: DroppedEntry | undefined;
  for (const entry of dropped.values()) if (last === undefined || entry.at >= last.at) last = entry;
  return last;
}

const incidentQuietMs = 60_000;

function foldGeneration(
  state: JournalState,
  { generation, dropped, back }: Extract<JournalLine, { kind: "generation" }>,
): JournalState {
  const { announced } = state;
  const next: JournalState = {
    ...state,
    generations: [...state.generations, generation],
    lastGeneration: generation.n,
    lost: undefined,
    dropped: withDropped(state.dropped, dropped, back),
  };
  // Whatever else was announced was overtaken.
  if (announced?.sha256 !== generation.sha256) return next;
  const done = announced.intents.map((each): SettledIntent => ({ ...each, at: generation.at }));
  return { ...settle(next, done), announced: undefined };
}

function settle(state: JournalState, settled: readonly SettledIntent[]): JournalState {
  const open = new Map(state.intents.map((intent) => [intent.n, intent]));
  const news = settled.flatMap((each) => {
    const intent = open.get(each.n);
    return intent === undefined ? [] : [{ ...each, intent }];
  });
  if (news.length === 0) return state;
  const done = new Set(news.map(({ n }) => n));
  return {
    ...state,
    intents: state.intents.filter(({ n }) => !done.has(n)),
    settled: [...state.settled, ...news].slice(-limits.settledIntents),
  };
}

function withDropped(
  before: ReadonlyMap<string, DroppedEntry>,
  dropped: readonly DroppedEntry[],
  back: readonly EntryName[],
): ReadonlyMap<string, DroppedEntry> {
  if (dropped.length === 0 && back.length === 0) return before;
  const now = new Map(before);
  for (const entry of back) now.delete(entryKey(entry));
  // The first drop stands.
  for (const entry of dropped) if (!now.has(entryKey(entry))) now.set(entryKey(entry), entry);
  for (const key of now.keys()) {
    if (now.size <= limits.recordedSessions) break;
    now.delete(key);
  }
  return now;
}
