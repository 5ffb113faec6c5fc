// `rollcall registry show`: what is recorded, read from the file itself, without an agent.
import type { RegistryLoad } from "../../../agent/record/registryStore.ts";
import { amount } from "../../../base/amount.ts";
import { rollcallError, type RollcallError } from "../../../base/errors.ts";
import type { RegistryShowJson } from "../../../protocol/cliJson.ts";
import { momentOf } from "../../../protocol/files/tolerant.ts";
import { parseArguments } from "../../arguments.ts";
import { printable } from "../../printable.ts";
import { registryStore } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

type Shown = RegistryShowJson["sandboxes"][number];

export type ShowErrorKind = "registry-unreadable";

export const show: RegistryAct = {
  name: "show",
  usage: "show [--json]",
  says: "lists the sandboxes and the sessions recorded in each",
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const store = registryStore(io);
    const load = await store.tryLoad();
    if (load.kind === "unreadable") throw unreadable(store.path, load.cause);
    const answer: RegistryShowJson = { version: 1, path: store.path, ...shown(load) };
    io.out(parsed.has("json") ? `${JSON.stringify(answer, null, 2)}\n` : text(printable(answer)));
    return 0;
  },
};

function unreadable(path: string, cause: string): RollcallError<ShowErrorKind> {
  return rollcallError(
    "registry-unreadable",
    `the registry ${path} cannot be read (${cause}), which does not mean that it is empty; "rollcall registry verify" says more`,
  );
}

function shown(
  load: Exclude<RegistryLoad, { kind: "unreadable" }>,
): Pick<RegistryShowJson, "state" | "fileVersion" | "sandboxes"> {
  if (load.kind === "absent") return { state: "absent", sandboxes: [] };
  const { version, slices } = load.value;
  return {
    state: "read",
    ...(version === undefined ? {} : { fileVersion: version }),
    sandboxes: [...slices.values()].map(({ name, entries, skipped }) => ({
      name,
      sessions: entries.map(({ fields }) => ({
        id: fields.session_id,
        ...(fields.cwd === undefined ? {} : { cwd: fields.cwd }),
        ...(fields.transcript === undefined ? {} : { transcript: fields.transcript }),
        ...(fields.name === undefined ? {} : { name: fields.name }),
        ...(fields.pid === undefined ? {} : { pid: fields.pid }),
        ...moment("startedAt", fields.started_at_ms),
        ...moment("departedAt", fields.departed_at_ms),
      })),
      skipped: [...skipped.values()].reduce((sum, { count }) => sum + count, 0),
    })),
  };
}

/** What is no time in milliseconds is not shown as one; `verify` tells where it stands. */
function moment(
  key: "startedAt" | "departedAt",
  stamp: number | undefined,
): { startedAt?: string; departedAt?: string } {
  const at = momentOf(stamp);
  return at === undefined ? {} : { [key]: new Date(at).toISOString() };
}

function text({ state, path, sandboxes }: RegistryShowJson): string {
  if (state === "absent") return `nothing is recorded: ${path} was never written\n`;
  if (sandboxes.length === 0) return `no sandbox is recorded in ${path}\n`;
  return sandboxes.map(sandboxText).join("");
}

function sandboxText({ name, sessions, skipped }: Shown): string {
  const rows = sessions.map((session) => {
    const left = session.departedAt === undefined ? "" : `  departed ${session.departedAt}`;
    return `  ${session.id}  ${session.name ?? ""}  ${session.cwd ?? "?"}${left}\n`;
  });
  const over = skipped === 0 ? "" : `  read over, since no entry: ${amount(skipped, "item")}\n`;
  return `${name}: ${amount(sessions.length, "session")}\n${rows.join("")}${over}`;
}
