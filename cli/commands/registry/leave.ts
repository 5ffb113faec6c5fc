// `rollcall registry forget` and `depart`: a session's record goes, or is kept as one that left.
import { printable } from "../../printable.ts";
import { quotedWord } from "../../resumeCommand.ts";
import { parseArguments } from "../../arguments.ts";
import { writeRegistry } from "../../registryWrites.ts";
import { tellWritten, type RegistryAct } from "./act.ts";

export const forget: RegistryAct = leave("forget", "removes a session's record; says how to take that back");
export const depart: RegistryAct = leave(
  "depart",
  "marks a session as one that left; the first mark stands until it starts again",
);

function leave(name: "forget" | "depart", says: string): RegistryAct {
  return {
    name,
    usage: `${name} <session> [--sandbox S] [--json]`,
    says,
    async run(args, io) {
      const parsed = parseArguments(args, {
        flags: { sandbox: "string", json: "boolean" },
        positionals: { least: 1, most: 1 },
      });
      const [session = ""] = parsed.positionals;
      const sandbox = parsed.text("sandbox");
      const written = await writeRegistry(io, name, { session, sandbox });
      const code = tellWritten(io, parsed.has("json"), written);
      if (name === "forget" && written.removed > 0)
        io.err(`rollcall: to take that back: rollcall registry restore --session ${session}${inSandbox(sandbox)}\n`);
      return code;
    },
  };
}

function inSandbox(sandbox: string | undefined): string {
  return sandbox === undefined ? "" : ` --sandbox ${printable(quotedWord(sandbox))}`;
}
