// `rollcall hooks`: lets the coding agent tell Rollcall what happens, as it happens. Its settings are changed only after
// the difference was shown and agreed to.
import { unreachable } from "../../base/errors.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError, type Command } from "../command.ts";
import { changeHooks } from "./hooks/changeHooks.ts";
import { tellStatus } from "./hooks/status.ts";

export const hooks: Command = {
  name: "hooks",
  summary: "let the coding agent tell what happens, as it happens",
  usage: `rollcall hooks install|uninstall|status [--yes] [--config-dir D] [--json]

  install     add Rollcall's hooks to the agent's settings.json; shows what changes and asks first
  uninstall   take them out again
  status      say whether they are there, whether the agent runs them, and when the last event came

  --config-dir D  this config folder of the agent only (default: each that is watched and there)
  --yes           do not ask
  --json          what was found or done, as JSON

A hook writes each event into a small file in the data folder's "spool", prints nothing, decides nothing, and does
nothing once Rollcall is gone. What stood in settings.json before is kept in the data folder's "hooks".`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { yes: "boolean", "config-dir": "string", json: "boolean" },
      positionals: { least: 1, most: 1 },
    });
    const act = parsed.positionals[0] ?? "";
    const asked = { configDir: parsed.text("config-dir"), yes: parsed.has("yes"), json: parsed.has("json") };
    if (!isAct(act)) throw new UsageError(`hooks has no ${act}`);
    switch (act) {
      case "install":
      case "uninstall":
        return changeHooks(act, asked, io);
      case "status":
        return tellStatus(asked, io);
      default:
        return unreachable(act);
    }
  },
};

function isAct(name: string): name is "install" | "uninstall" | "status" {
  return name === "install" || name === "uninstall" || name === "status";
}
