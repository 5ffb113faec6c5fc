// Adds our hooks to the coding agent's settings, or takes them out: shows what would change and asks first. It needs no
// agent of Rollcall: events that come while none runs wait for it.
import { statSync } from "node:fs";
import { window } from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/node/paths.ts";
import { tooOld } from "../../protocol/node/agentVersions.ts";
import {
  carryOutHooks,
  planHooks,
  type HookAct,
  type HookPlan,
  type HookTarget,
} from "../../protocol/node/hookInstaller.ts";
import type { CommandHandler } from "../contributions/commands.ts";

export interface HookCommandOptions {
  readonly env: Environment;
  readonly configDirs: () => readonly string[];
  readonly place: Omit<HookTarget, "configDir">;
  readonly preview: { show(plan: HookPlan): Promise<void> };
  readonly clock: Clock;
}

const words = {
  install: {
    verb: "Install",
    question: "Install Rollcall's hooks in",
    detail:
      "Each event of the coding agent is written to a small file for Rollcall. A hook prints nothing and decides nothing. What stands in the file now is kept in Rollcall's data folder.",
    nothing: "Rollcall's hooks are there already",
    done: "Rollcall's hooks are installed",
  },
  uninstall: {
    verb: "Uninstall",
    question: "Take Rollcall's hooks out of",
    detail:
      "What a session tells by hooks alone, such as which permission it asks for inside a sandbox, is no longer seen.",
    nothing: "No hook of Rollcall's is there",
    done: "Rollcall's hooks are gone",
  },
} as const satisfies Record<HookAct, object>;

export function hookCommand(act: HookAct, options: HookCommandOptions): CommandHandler {
  return async () => {
    const configDir = await chooseFolder(options.configDirs().filter(isFolder));
    if (configDir === undefined) return;
    const old = act === "install" ? await tooOld(configDir, options.env) : undefined;
    if (old !== undefined) throw new Error(old);
    const plan = await planHooks(act, { ...options.place, configDir });
    const { verb, question, detail, nothing, done } = words[act];
    if (plan.diff === "") {
      await carryOutHooks(plan, options.clock.now());
      void window.showInformationMessage(`${nothing}: ${plan.path}`);
      return;
    }
    await options.preview.show(plan);
    if ((await window.showWarningMessage(`${question} ${plan.path}?`, { modal: true, detail }, verb)) !== verb) return;
    await carryOutHooks(plan, options.clock.now());
    window.setStatusBarMessage(done, 5_000);
  };
}

async function chooseFolder(folders: readonly string[]): Promise<string | undefined> {
  const [first, ...others] = folders;
  if (first === undefined) {
    void window.showInformationMessage(
      "There is no config folder of the coding agent yet: start it once, then try again.",
    );
    return undefined;
  }
  if (others.length === 0) return first;
  return window.showQuickPick([...folders], {
    title: "Whose settings?",
    placeHolder: "A config folder of the coding agent",
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
