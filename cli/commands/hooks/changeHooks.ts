// `rollcall hooks install` and `uninstall`: the difference, the question, the change.
import { describeError } from "../../../base/errors.ts";
import { carryOutHooks, planHooks, type HookAct, type HookPlan } from "../../../protocol/node/hookInstaller.ts";
import type { HooksChangedJson } from "../../../protocol/cliJson.ts";
import type { CommandIO, ExitCode } from "../../command.ts";
import { printable } from "../../printable.ts";
import { hookTargets, type HooksAsked } from "./target.ts";
import { tooOld } from "../../../protocol/node/agentVersions.ts";

type Outcome = HooksChangedJson["folders"][number];

export async function changeHooks(act: HookAct, asked: HooksAsked, io: CommandIO): Promise<ExitCode> {
  const folders: Outcome[] = [];
  for (const target of hookTargets(asked, io)) {
    const { configDir } = target;
    try {
      folders.push({ configDir, ...(await change(await planHooks(act, target), asked, io)) });
    } catch (error) {
      folders.push({ configDir, outcome: "refused", says: describeError(error) });
    }
  }
  const answer: HooksChangedJson = { version: 1, act, folders };
  if (asked.json) io.out(`${JSON.stringify(answer, null, 2)}\n`);
  for (const { outcome, says } of folders) {
    if (outcome === "refused") io.err(`rollcall hooks: ${printable(says)}\n`);
    else if (!asked.json) io.out(`${printable(says)}\n`);
  }
  return folders.some(({ outcome }) => outcome === "refused") ? 1 : 0;
}

/** Its lines and tabs are the difference itself. */
function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n");
}

async function change(plan: HookPlan, { yes, json }: HooksAsked, io: CommandIO): Promise<Omit<Outcome, "configDir">> {
  const { act, path, diff } = plan;
  const old = act === "install" ? await tooOld(plan.configDir, io.env) : undefined;
  if (old !== undefined) return { outcome: "refused", says: old };
  if (diff === "") {
    await carryOutHooks(plan, io.now());
    return {
      outcome: "unchanged",
      says: `${path}: ${act === "install" ? "the hooks are there already" : "no hook of Rollcall's is there"}`,
    };
  }
  if (!json) io.out(printableLines(diff));
  if (!yes && io.ask === undefined)
    return {
      outcome: "refused",
      says: `${path} was not changed, since nobody can be asked here; say --yes if that is meant`,
    };
  if (!yes && !(await io.ask?.(`Change ${path}?`))) return { outcome: "refused", says: `${path} was not changed` };
  const backup = await carryOutHooks(plan, io.now());
  const kept = backup === undefined ? "" : `; what stood there before is kept as ${backup}`;
  const done =
    act === "install" ? "the hooks are installed; sessions that run take them up by themselves" : "the hooks are gone";
  return { outcome: "changed", says: `${path}: ${done}${kept}`, diff, ...(backup === undefined ? {} : { backup }) };
}
