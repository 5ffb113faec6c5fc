// `rollcall registry replace`: a sandbox's whole slice from a file. It merges: what the file lacks has departed.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { describeError, rollcallError, type RollcallError } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { parseArguments } from "../../arguments.ts";
import { UsageError } from "../../command.ts";
import { writeRegistry } from "../../registryWrites.ts";
import { tellWritten, type RegistryAct } from "./act.ts";

export type ReplaceErrorKind = "slice-unreadable";

const inputBytes = limits.registryBytes / 4;

export const replace: RegistryAct = {
  name: "replace",
  usage: "replace <sandbox> --from FILE [--empty] [--json]",
  says: `takes a sandbox's sessions from FILE ("-": standard input), a JSON array of entries or an object with one as
      "sessions"; stored sessions that it lacks are marked departed; an empty one is taken only with --empty`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { from: "string", empty: "boolean", json: "boolean" },
      positionals: { least: 1, most: 1 },
    });
    const [sandbox = ""] = parsed.positionals;
    const from = parsed.text("from");
    if (from === undefined) throw new UsageError("--from is missing");
    const entries = await readInput(from);
    const written = await writeRegistry(io, "replace", { sandbox, entries, mayBeEmpty: parsed.has("empty") });
    return tellWritten(io, parsed.has("json"), written);
  },
};

async function readInput(from: string): Promise<string> {
  try {
    const bytes = from === "-" ? await readStream(process.stdin) : await readFileBounded(from);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw unreadable(from, cause);
  }
}

async function readFileBounded(path: string): Promise<Buffer> {
  // A named pipe without a writer would be waited for.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await readStream(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

async function readStream(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Buffer)) continue;
    length += chunk.length;
    if (length > inputBytes) throw new Error(`more than ${inputBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreadable(from: string, cause: unknown): RollcallError<ReplaceErrorKind> {
  return rollcallError(
    "slice-unreadable",
    `the new slice could not be read from ${from === "-" ? "standard input" : from} (${describeError(cause)}), so nothing was written; give a file that can be read`,
    cause,
  );
}
