// `rollcall registry restore`: brings back what another writer dropped, or what an earlier generation had. Shown first,
// done on consent. It adds what is missing to what is there now; only a file that cannot be read is replaced.
import type { RegistryStore } from "../../../agent/record/registryStore.ts";
import { amount } from "../../../base/amount.ts";
import type { RegistryRestoreJson } from "../../../protocol/registryJson.ts";
import { parseArguments } from "../../arguments.ts";
import type { CommandIO, ExitCode } from "../../command.ts";
import { confirm } from "../../confirm.ts";
import { printable } from "../../printable.ts";
import { registryStore, writeRegistry } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";
import { generationNumber } from "./diff.ts";

type RestorePlan = Awaited<ReturnType<RegistryStore["restorePlan"]>>;

export const restore: RegistryAct = {
  name: "restore",
  usage: "restore [--generation G] [--session ID]... [--sandbox S] [--yes] [--json]",
  says: `brings back the sessions that another writer dropped; with --generation, what that generation had and the file
      lacks; with --session also one that was forgotten. What stands in the file stays as it is. A file that cannot be
      read is replaced by the last whole content, and kept aside. Shows what it would do and asks; --yes does not ask`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { generation: "string", session: "strings", sandbox: "string", yes: "boolean", json: "boolean" },
      positionals: { least: 0, most: 0 },
    });
    const given = parsed.text("generation");
    const sessions = parsed.texts("session");
    const request = {
      generation: given === undefined ? undefined : generationNumber(given),
      sessions: sessions.length === 0 ? undefined : [...sessions],
      sandbox: parsed.text("sandbox"),
    };
    const store = registryStore(io);
    const plan = await store.restorePlan(request);
    const json = parsed.has("json");
    if (plan.kind === "merge" && plan.entries.length === 0) return tell(io, json, answerOf(store.path, plan, true));
    if (!parsed.has("yes")) {
      const shown = answerOf(store.path, plan, false);
      if (json) io.out(`${JSON.stringify(shown, null, 2)}\n`);
      else io.out(planText(printable(shown)));
      if (json || !(await confirm("bring them back?"))) {
        io.err("rollcall registry: nothing was written; say --yes to bring them back\n");
        return 1;
      }
    }
    const { restored, aside } = await writeRegistry(io, "restore", request);
    return tell(io, json, {
      ...answerOf(store.path, plan, true),
      restored,
      ...(aside === undefined ? {} : { aside }),
    });
  },
};

function answerOf(path: string, plan: RestorePlan, done: boolean): RegistryRestoreJson {
  return {
    version: 1,
    path,
    done,
    how: plan.kind,
    ...(plan.kind === "whole" ? { cause: plan.cause } : {}),
    restored: plan.entries.map(({ sandbox, id }) => ({ sandbox, id })),
  };
}

function planText({ path, how, cause, restored }: RegistryRestoreJson): string {
  const head =
    how === "merge"
      ? `${amount(restored.length, "session")} would come back into ${path}:\n`
      : `${path} cannot be read (${cause ?? ""}); it would be kept aside and replaced by what it last held, ${amount(restored.length, "session")}:\n`;
  return head + restored.map(({ sandbox, id }) => `  + ${sandbox}/${id}\n`).join("");
}

function tell(io: CommandIO, json: boolean, answer: RegistryRestoreJson): ExitCode {
  const { restored, aside } = printable(answer);
  const kept = aside === undefined ? "" : `; what could not be read is kept in ${aside}`;
  const words =
    restored.length === 0
      ? "nothing to bring back: all of it is there"
      : `${amount(restored.length, "session")} brought back${kept}`;
  io.out(json ? `${JSON.stringify(answer, null, 2)}\n` : `${words}\n`);
  return 0;
}
