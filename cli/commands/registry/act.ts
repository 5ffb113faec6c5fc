// What an act of `rollcall registry` is, and how those that write tell what they did.
import type { RegistryWritten } from "../../../agent/record/registryStore.ts";
import { rollcallPaths } from "../../../base/node/paths.ts";
import type { RegistryWrittenJson } from "../../../protocol/cliJson.ts";
import type { CommandIO, ExitCode } from "../../command.ts";

export interface RegistryAct {
  readonly name: string;
  readonly usage: string;
  readonly says: string;
  run(args: readonly string[], io: CommandIO): Promise<ExitCode>;
}

export function tellWritten(io: CommandIO, json: boolean, written: RegistryWritten): ExitCode {
  const { registry: path } = rollcallPaths(io.env);
  const answer: RegistryWrittenJson = { version: 1, path, ...written };
  io.out(json ? `${JSON.stringify(answer, null, 2)}\n` : `${words(written)}\n`);
  return 0;
}

function words({ changed, added, updated, departed, removed }: RegistryWritten): string {
  if (!changed) return "nothing changed: the registry says so already";
  const parts = Object.entries({ added, updated, "marked departed": departed, forgotten: removed })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`);
  return parts.length === 0 ? "the sandbox is recorded, without a session" : parts.join(", ");
}
