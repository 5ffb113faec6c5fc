// `rollcall registry history`: every content that the registry is known to have had, from the journal, without an agent.
import { registryHistory } from "../../../agent/record/registryHistory.ts";
import { amount } from "../../../base/amount.ts";
import type { RegistryHistoryJson } from "../../../protocol/registryJson.ts";
import { parseArguments } from "../../arguments.ts";
import { printable } from "../../printable.ts";
import { registryStore } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

type Shown = RegistryHistoryJson["generations"][number];

export const history: RegistryAct = {
  name: "history",
  usage: "history [--json]",
  says: "lists every content that the registry had: when, whose, how large, what it added, changed and lacked",
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const answer = await registryHistory(registryStore(io));
    io.out(parsed.has("json") ? `${JSON.stringify(answer, null, 2)}\n` : text(printable(answer)));
    return 0;
  },
};

function text({ path, generations, dropped, damagedLines }: RegistryHistoryJson): string {
  if (generations.length === 0) return `no content of ${path} was seen yet\n`;
  const rows = generations.map((each) => [
    String(each.generation),
    each.at,
    writers[each.by],
    amount(each.sessions, "session"),
    amount(each.bytes, "byte"),
    changes(each),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`)
    .join("");
  const lost =
    dropped.length === 0
      ? ""
      : `${amount(dropped.length, "session")} dropped by another writer and not there again; "rollcall registry restore" brings them back\n`;
  const damaged =
    damagedLines === 0 ? "" : `${amount(damagedLines, "line")} of the journal are damaged and were passed over\n`;
  return table + lost + damaged;
}

const writers = { rollcall: "Rollcall", another: "another writer", found: "found" } as const satisfies Record<
  Shown["by"],
  string
>;

function changes({ by, act, added, changed, gone }: Shown): string {
  const lacks = by === "another" ? "dropped" : "without";
  const parts = [
    ...(act === undefined ? [] : [`${act}:`]),
    ...words("added", added),
    ...words("changed", changed),
    ...words(lacks, gone),
  ];
  return parts.length === 0 ? "the same entries" : parts.join(" ");
}

const namesShown = 3;

function words(what: string, { count, first }: Shown["added"]): readonly string[] {
  if (count === 0) return [];
  const names = first.slice(0, namesShown).map(({ sandbox, id }) => `${sandbox}/${id}`);
  const more = count > names.length ? `, and ${count - names.length} more` : "";
  return [`${what} ${names.join(", ")}${more}`];
}
