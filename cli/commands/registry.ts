// `rollcall registry`: what is recorded of sandboxes and their sessions, and the few acts that change it. Each act is
// a file of its own in registry/.
import { UsageError, type Command } from "../command.ts";
import { registryActs } from "./registry/acts.ts";

const actNote = `  --json   what was found or done, as JSON

"rollcall registry --help" lists the other acts.`;

export const registry: Command = {
  name: "registry",
  summary: "show and change what is recorded of sandboxes and their sessions",
  usage: `rollcall registry <act> [options]

${registryActs.map(({ usage, says }) => `  ${usage}\n      ${says}`).join("\n")}

  --json   what was found or done, as JSON

The registry is the file that ROLLCALL_REGISTRY names, by default sandbox-sessions.json in the data folder. One that
cannot be read is never written: the act fails, every byte of it stays, and the write is kept as an intent until it can be
done. Only restore replaces such a file.`,
  usageOf(name) {
    const act = registryActs.find((candidate) => candidate.name === name);
    return act === undefined ? undefined : `rollcall registry ${act.usage}\n\n${sentence(act.says)}\n\n${actNote}`;
  },
  run(args, io) {
    const [name, ...rest] = args;
    if (name === undefined) throw new UsageError("an act is missing");
    const act = registryActs.find((candidate) => candidate.name === name);
    if (act === undefined) throw new UsageError(`registry has no ${name}`);
    return act.run(rest, io);
  },
};

/** Of what stands in a list; its lines are indented there. */
function sentence(says: string): string {
  const words = says.replace(/\s*\n\s*/g, " ").replaceAll("; ", ";\n");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
