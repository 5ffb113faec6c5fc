// A line of the journal as text and back. One that a checksum vouches for and that is still none was written by a
// later version, and is passed over.
import type { RawMember } from "../../base/jsonEdit.ts";
import type { JournalLine } from "./journalState.ts";
import type { KeptIntent } from "./keptIntents.ts";
import type { RegistryIntent } from "./registryChange.ts";
import { toldEntry, type ToldEntry } from "./registryEntry.ts";

const lineVersion = 1;

export function journalText(line: JournalLine): string {
  return JSON.stringify({ v: lineVersion, ...line });
}

export function readJournalLine(text: string): JournalLine | undefined {
  try {
    const { v, ...line } = JSON.parse(text) as { readonly v: unknown } & JournalLine;
    if (v !== lineVersion || !isKnown(line.kind)) return undefined;
    switch (line.kind) {
      case "kept":
        return { ...line, intent: readKept(line.intent) };
      case "checkpoint":
        return { ...line, state: { ...line.state, intents: line.state.intents.map(readKept) } };
      default:
        return line;
    }
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- its checksum holds, so a later version wrote it for itself
    return undefined;
  }
}

const kinds = {
  announced: true,
  generation: true,
  lost: true,
  accepted: true,
  told: true,
  kept: true,
  settled: true,
  checkpoint: true,
} as const satisfies Record<JournalLine["kind"], true>;

function isKnown(kind: string): kind is JournalLine["kind"] {
  return Object.hasOwn(kinds, kind);
}

/** What an entry's fields say follows from its members. */
function readKept(kept: KeptIntent): KeptIntent {
  return { ...kept, intent: readIntent(kept.intent) };
}

function readIntent(intent: RegistryIntent): RegistryIntent {
  switch (intent.kind) {
    case "put":
      return { ...intent, entry: readTold(intent.entry) };
    case "replace":
      return { ...intent, entries: intent.entries.map(readTold) };
    case "forget":
    case "depart":
      return { ...intent, sandbox: intent.sandbox };
  }
}

function readTold({ members }: { readonly members: readonly RawMember[] }): ToldEntry {
  return toldEntry(members);
}
