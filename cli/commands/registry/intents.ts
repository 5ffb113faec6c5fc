// `rollcall registry intents` and `cancel-intent`: writes that could not be done and wait until they can be.
import { registryIntents } from "../../../agent/record/registryHistory.ts";
import { rollcallError, type RollcallError } from "../../../base/errors.ts";
import type { RegistryCancelJson, RegistryIntentsJson } from "../../../protocol/registryJson.ts";
import { parseArguments } from "../../arguments.ts";
import { UsageError } from "../../command.ts";
import { printable } from "../../printable.ts";
import { registryStore, writeRegistry } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

export type CancelErrorKind = "intent-unknown";

export const intents: RegistryAct = {
  name: "intents",
  usage: "intents [--json]",
  says: `lists the writes that were kept since the file could not be written, and what became of the last ones; they are
      carried out by the agent, or before the next write`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const answer = await registryIntents(registryStore(io));
    io.out(parsed.has("json") ? `${JSON.stringify(answer, null, 2)}\n` : text(printable(answer)));
    return 0;
  },
};

export const cancelIntent: RegistryAct = {
  name: "cancel-intent",
  usage: "cancel-intent <number> [--json]",
  says: "takes a kept write back; it will not be carried out",
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 1, most: 1 } });
    const [given = ""] = parsed.positionals;
    if (!/^#?[1-9]\d{0,14}$/.test(given)) throw new UsageError(`${given} is no number of an intent`);
    const intent = Number(given.replace("#", ""));
    const { cancelled, act = "" } = await writeRegistry(io, "cancelIntent", { intent });
    if (!cancelled) throw unknown(intent);
    const { path } = registryStore(io);
    const answer: RegistryCancelJson = { version: 1, path, intent, act };
    io.out(
      parsed.has("json")
        ? `${JSON.stringify(answer, null, 2)}\n`
        : `${printable(`intent #${intent} (${act}) will not be carried out`)}\n`,
    );
    return 0;
  },
};

function text({ waiting, settled }: RegistryIntentsJson): string {
  const waits = waiting.map(({ intent, at, act, cause }) => `#${intent}  ${at}  ${act}\n      waits: ${cause}\n`);
  const rest = settled.map(
    ({ intent, settledAt, act, how, says }) =>
      `#${intent}  ${settledAt}  ${act}  ${how}${says === "" ? "" : `: ${says}`}\n`,
  );
  return `${waits.length === 0 ? "no intent waits\n" : waits.join("")}${rest.join("")}`;
}

function unknown(n: number): RollcallError<CancelErrorKind> {
  return rollcallError(
    "intent-unknown",
    `no intent #${n} waits; "rollcall registry intents" lists those that do, and what became of the others`,
  );
}
