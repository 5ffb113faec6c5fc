// `rollcall registry diff`: what one content of the registry has that another one lacks, entry by entry.
import { differenceOf, entriesOf, noEntries, type Entries } from "../../../agent/core/registryDifference.ts";
import { parseRegistry } from "../../../agent/core/registryDocument.ts";
import type { ToldEntry } from "../../../agent/core/registryEntry.ts";
import type { RegistryStore } from "../../../agent/record/registryStore.ts";
import { rollcallError, type RollcallError } from "../../../base/errors.ts";
import type { RegistryDiffJson } from "../../../protocol/registryJson.ts";
import { parseArguments } from "../../arguments.ts";
import { UsageError } from "../../command.ts";
import { printable } from "../../printable.ts";
import { registryStore } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

export type DiffErrorKind = "generation-unknown" | "registry-unreadable";

type Side = RegistryDiffJson["from"];

export const diff: RegistryAct = {
  name: "diff",
  usage: "diff [generation] [generation] [--json]",
  says: `shows what changed between two generations; with one, from it to what the file has now; with none, the last change`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 2 } });
    const store = registryStore(io);
    const load = await store.tryLoad();
    const { lastGeneration } = await store.journal.read();
    const [from, to] = sidesOf(parsed.positionals.map(generationNumber), lastGeneration);
    const entries = (side: Side): Promise<Entries> | Entries => {
      if (side !== "now") return entriesOfGeneration(store, side);
      if (load.kind === "unreadable") throw unreadable(store.path, load.cause);
      return load.kind === "absent" ? noEntries : entriesOf(load.value);
    };
    const { added, changed, gone } = differenceOf(await entries(from), await entries(to));
    const name = ({ sandbox, id }: { readonly sandbox: string; readonly id: string }) => ({ sandbox, id });
    const answer: RegistryDiffJson = {
      version: 1,
      path: store.path,
      from,
      to,
      added: added.map(name),
      changed: changed.map(({ before, entry, ...each }) => ({ ...name(each), fields: fieldsOf(before, entry) })),
      gone: gone.map(name),
    };
    io.out(parsed.has("json") ? `${JSON.stringify(answer, null, 2)}\n` : text(printable(answer)));
    return 0;
  },
};

export function generationNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is no number of a generation`);
  return Number(text);
}

function sidesOf([from, to]: readonly number[], last: number): readonly [Side, Side] {
  if (from === undefined) return [Math.max(last - 1, 0), last];
  return [from, to ?? "now"];
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

function text({ from, to, added, changed, gone }: RegistryDiffJson): string {
  const lines = [
    ...added.map(({ sandbox, id }) => `+ ${sandbox}/${id}`),
    ...changed.flatMap(({ sandbox, id, fields }) => [
      `~ ${sandbox}/${id}`,
      ...fields.map(({ field, before, after }) => `    ${field}: ${before ?? "none"} → ${after ?? "none"}`),
    ]),
    ...gone.map(({ sandbox, id }) => `- ${sandbox}/${id}`),
  ];
  const sides = [from, to].map((side) => (side === "now" ? "now" : side === 0 ? "nothing" : `generation ${side}`));
  return `${sides.join(" → ")}\n${lines.length === 0 ? "  the same entries\n" : lines.map((line) => `  ${line}\n`).join("")}`;
}

function unknown(n: number): RollcallError<DiffErrorKind> {
  return rollcallError(
    "generation-unknown",
    `generation ${n} is not in the journal any more, or never was; "rollcall registry history" lists those that are`,
  );
}

function unreadable(path: string, cause: string): RollcallError<DiffErrorKind> {
  return rollcallError(
    "registry-unreadable",
    `the registry ${path} cannot be read (${cause}), so it cannot be compared; name two generations of "rollcall registry history"`,
  );
}
