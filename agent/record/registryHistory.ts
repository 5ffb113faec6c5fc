// What the journal tells of the registry, in the form in which commands print it: its contents, what changed between
// two of them, the writes that wait. It reads the journal itself, so no agent is needed.
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import type { RegistryDiffJson, RegistryHistoryJson, RegistryIntentsJson } from "../../protocol/registryJson.ts";
import type { Generation, NamedFew } from "../core/journalState.ts";
import { intentWords, type SettledIntent } from "../core/keptIntents.ts";
import { differenceOf, entriesOf, noEntries, type Entries, type EntryName } from "../core/registryDifference.ts";
import { parseRegistry } from "../core/registryDocument.ts";
import type { ToldEntry } from "../core/registryEntry.ts";
import type { RegistryStore } from "./registryStore.ts";

export type HistoryErrorKind = "generation-unknown" | "registry-unreadable";
export type HistoryError = RollcallError<HistoryErrorKind>;

type Shown = RegistryHistoryJson["generations"][number];
type Side = RegistryDiffJson["from"];

/** What stands in the file is looked at first, so that it is in the history. @throws JournalError */
export async function registryHistory(store: RegistryStore): Promise<RegistryHistoryJson> {
  await store.tryLoad();
  const { journal, path } = store;
  const { generations, dropped } = await journal.read();
  return {
    version: 1,
    path,
    generations: [...generations]
      .reverse()
      .map((generation) => ({ ...shown(generation), file: journal.contentFile(generation) })),
    dropped: [...dropped.values()].map(({ sandbox, id, at, by }) => ({
      sandbox,
      id,
      droppedAt: iso(at),
      generation: by,
    })),
    damagedLines: journal.damagedLines,
  };
}

/** Between two generations; from one to what the file has now; without any, the last change. @throws HistoryError */
export async function registryDiff(store: RegistryStore, sides: readonly number[]): Promise<RegistryDiffJson> {
  const load = await store.tryLoad();
  const { lastGeneration } = await store.journal.read();
  const [first, second] = sides;
  const [from, to]: readonly [Side, Side] =
    first === undefined ? [Math.max(lastGeneration - 1, 0), lastGeneration] : [first, second ?? "now"];
  const entries = (side: Side): Promise<Entries> | Entries => {
    if (side !== "now") return entriesOfGeneration(store, side);
    if (load.kind === "unreadable") throw unreadable(store.path, load.cause);
    return load.kind === "absent" ? noEntries : entriesOf(load.value);
  };
  const { added, changed, gone } = differenceOf(await entries(from), await entries(to));
  return {
    version: 1,
    path: store.path,
    from,
    to,
    added: added.map(nameOf),
    changed: changed.map((each) => ({ ...nameOf(each), fields: fieldsOf(each.before, each.entry) })),
    gone: gone.map(nameOf),
  };
}

/** @throws JournalError */
export async function registryIntents({ journal, path }: RegistryStore): Promise<RegistryIntentsJson> {
  const { intents, settled } = await journal.read();
  return {
    version: 1,
    path,
    waiting: intents.map(({ n, at, cause, intent }) => ({ intent: n, at: iso(at), act: intentWords(intent), cause })),
    settled: settled.flatMap(settledOf),
  };
}

function shown({ n, at, by, act, bytes, sha256, sessions, ...what }: Generation): Omit<Shown, "file"> {
  return {
    generation: n,
    at: iso(at),
    by,
    ...(act === undefined ? {} : { act }),
    bytes,
    sha256,
    sessions,
    added: few(what.added),
    changed: few(what.changed),
    gone: few(what.gone),
  };
}

function few({ count, first }: NamedFew): Shown["added"] {
  return { count, first: [...first] };
}

function settledOf({ n, at, how, says, intent }: SettledIntent): RegistryIntentsJson["settled"] {
  if (intent === undefined) return [];
  return [{ intent: n, at: iso(intent.at), act: intentWords(intent.intent), how, settledAt: iso(at), says }];
}

/** Before the first one nothing is known. */
async function entriesOfGeneration(store: RegistryStore, n: number): Promise<Entries> {
  if (n === 0) return noEntries;
  const generation = store.journal.generation(n);
  const text = generation === undefined ? undefined : await store.journal.textOf(generation);
  const parsed = text === undefined ? undefined : parseRegistry(text);
  if (parsed?.kind !== "parsed") throw unknown(n);
  return entriesOf(parsed.document);
}

function fieldsOf(before: ToldEntry, after: ToldEntry): RegistryDiffJson["changed"][number]["fields"] {
  const [then, now] = [before, after].map(({ members }) => new Map(members.map(({ key, value }) => [key, value])));
  const fields = new Set([...(then?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...fields]
    .map((field) => ({ field, before: then?.get(field), after: now?.get(field) }))
    .filter((each) => each.before !== each.after)
    .map(({ field, ...values }) => ({
      field,
      ...(values.before === undefined ? {} : { before: values.before }),
      ...(values.after === undefined ? {} : { after: values.after }),
    }));
}

function nameOf({ sandbox, id }: EntryName): { sandbox: string; id: string } {
  return { sandbox, id };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function unknown(n: number): HistoryError {
  return rollcallError(
    "generation-unknown",
    `generation ${n} is not in the journal any more, or never was; "rollcall registry history" lists those that are`,
  );
}

function unreadable(path: string, cause: string): HistoryError {
  return rollcallError(
    "registry-unreadable",
    `the registry ${path} cannot be read (${cause}), so it cannot be compared; name two generations of "rollcall registry history"`,
  );
}
