// `rollcall registry diff`: what one content of the registry has that another one lacks, entry by entry.
import { registryDiff } from "../../../agent/record/registryHistory.ts";
import type { RegistryDiffJson } from "../../../protocol/registryJson.ts";
import { parseArguments } from "../../arguments.ts";
import { UsageError } from "../../command.ts";
import { printable } from "../../printable.ts";
import { registryStore } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

export const diff: RegistryAct = {
  name: "diff",
  usage: "diff [generation] [generation] [--json]",
  says: `shows what changed between two generations; with one, from it to what the file has now; with none, the last change`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 2 } });
    const answer = await registryDiff(registryStore(io), parsed.positionals.map(generationNumber));
    io.out(parsed.has("json") ? `${JSON.stringify(answer, null, 2)}\n` : text(printable(answer)));
    return 0;
  },
};

export function generationNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is no number of a generation`);
  return Number(text);
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
