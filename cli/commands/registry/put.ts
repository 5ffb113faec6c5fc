// `rollcall registry put`: one session into its sandbox's slice.
import { parseArguments } from "../../arguments.ts";
import { UsageError } from "../../command.ts";
import { writeRegistry } from "../../registryWrites.ts";
import { tellWritten, type RegistryAct } from "./act.ts";

export const put: RegistryAct = {
  name: "put",
  usage: "put <sandbox> --session ID [--cwd D] [--transcript F] [--name N] [--json]",
  says: "records one session as started in a sandbox; what is not given stays as it is stored",
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { session: "string", cwd: "string", transcript: "string", name: "string", json: "boolean" },
      positionals: { least: 1, most: 1 },
    });
    const [sandbox = ""] = parsed.positionals;
    const session = parsed.text("session");
    if (session === undefined) throw new UsageError("--session is missing");
    const written = await writeRegistry(io, "put", {
      sandbox,
      session,
      cwd: parsed.text("cwd"),
      transcript: parsed.text("transcript"),
      name: parsed.text("name"),
    });
    return tellWritten(io, parsed.has("json"), written);
  },
};
