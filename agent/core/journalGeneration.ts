// The line that says of a content what it is: whose, what it has that the one before lacked, and what it lacks. What
// another writer left out it dropped: nobody said that those sessions ended.
import type { EpochMs } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import {
  incidentOf,
  type DroppedEntry,
  type Generation,
  type JournalLine,
  type JournalState,
  type NamedFew,
  type Writer,
} from "./journalState.ts";
import { differenceOf, entryKey, type Entries, type EntryName } from "./registryDifference.ts";

export interface SeenContent {
  readonly n: number;
  readonly at: EpochMs;
  readonly sha256: string;
  readonly bytes: number;
  readonly folder: string | undefined;
  readonly before: Entries;
  readonly after: Entries;
  /** Nothing was journaled before it. */
  readonly isFirst: boolean;
}

export function generationLine(
  state: JournalState,
  { n, at, sha256, bytes, folder, before, after, isFirst }: SeenContent,
): Extract<JournalLine, { kind: "generation" }> {
  const { added, changed, gone } = differenceOf(before, after);
  const announced = state.announced?.sha256 === sha256 ? state.announced : undefined;
  const by: Writer = announced !== undefined ? "rollcall" : isFirst ? "found" : "another";
  const generation: Generation = {
    n,
    at,
    by,
    ...(announced === undefined ? {} : { act: announced.act }),
    sha256,
    bytes,
    sessions: after.size,
    ...(folder === undefined ? {} : { folder }),
    added: fewOf(added),
    changed: fewOf(changed),
    gone: fewOf(gone),
  };
  const incident = incidentOf(state, at);
  const isMeant = ({ sandbox, id }: EntryName): boolean =>
    announced?.forgets.some((each) => each.id === id && (each.sandbox ?? sandbox) === sandbox) === true;
  const dropped = isFirst
    ? []
    : gone
        .filter((entry) => !isMeant(entry))
        .map(({ sandbox, id, entry }): DroppedEntry => ({ sandbox, id, at, by: n, incident, members: entry.members }));
  const back = [...state.dropped.values()].filter((entry) => after.has(entryKey(entry))).map(nameOf);
  return { kind: "generation", generation, dropped, back };
}

/** Where the content itself is gone, everything that it had is dropped with it. */
export function lostLine(state: JournalState, at: EpochMs, how: string, had: Entries): JournalLine {
  const incident = incidentOf(state, at);
  const dropped = [...had.values()].map(({ sandbox, id, entry }) => ({
    sandbox,
    id,
    at,
    by: state.lastGeneration,
    incident,
    members: entry.members,
  }));
  return { kind: "lost", at, how, dropped };
}

function fewOf(entries: readonly EntryName[]): NamedFew {
  return { count: entries.length, first: entries.slice(0, limits.journalNames).map(nameOf) };
}

function nameOf({ sandbox, id }: EntryName): EntryName {
  return { sandbox, id };
}
