// The `rollcall` command: finds the command, runs it, and maps what happens to an exit code.
import { describeError, errorCode } from "../base/errors.ts";
import { version } from "../protocol/version.ts";
import { printable } from "./printable.ts";
import { UsageError, type Command, type CommandIO, type ExitCode } from "./command.ts";

/** Each with what it needs is set up only when it is asked for: that takes longer than many a command does. */
const commands = {
  ls: async () => (await import("./commands/ls.ts")).ls,
  why: async () => (await import("./commands/why.ts")).why,
  watch: async () => (await import("./commands/watch.ts")).watch,
  restore: async () => (await import("./commands/restore.ts")).restore,
  registry: async () => (await import("./commands/registry.ts")).registry,
  hooks: async () => (await import("./commands/hooks.ts")).hooks,
  hook: async () => (await import("./commands/hook.ts")).hook,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  agent: async () => (await import("./commands/agent.ts")).agent,
} as const satisfies Record<string, () => Promise<Command>>;

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  return `rollcall: every coding-agent session on this host, live or not, working or waiting for you, and why

usage: rollcall <command> [options]

${all.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}`).join("\n")}

"rollcall <command> --help" tells more. Exit codes: 0 done, 1 refused or failed, 2 not understood.

environment:
  ROLLCALL_DATA_DIR      the agent's folder (default: the user's data folder, "rollcall" in it)
  ROLLCALL_REGISTRY      the registry of sandbox sessions (default: sandbox-sessions.json in the agent's folder)
  ROLLCALL_SNAPSHOT      what Rollcall writes for other tools (default: sandboxes.json there)
  ROLLCALL_SOCKET        the agent's socket
  SANDBOX_NAME           the sandbox that hooks are installed for (default: they write to the host's spool)
  ROLLCALL_CONFIG_DIRS   config folders of coding agents, separated like PATH
                         (default: CLAUDE_CONFIG_DIR, else ~/.claude and ~/.config/claude)
`;
}

async function main(argv: readonly string[], io: CommandIO): Promise<ExitCode> {
  const [name, ...args] = argv;
  if (name === undefined) {
    io.err(await overview());
    return 2;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    io.out(await overview());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    io.out(`${version}\n`);
    return 0;
  }
  if (!isCommand(name)) {
    io.err(`rollcall: there is no command ${printable(name)}; "rollcall --help" lists them\n`);
    return 2;
  }
  const command = await commands[name]();
  if (args.includes("--help") || args.includes("-h")) {
    const act = args.find((argument) => !argument.startsWith("-"));
    io.out(`${(act === undefined ? undefined : command.usageOf?.(act)) ?? command.usage}\n`);
    return 0;
  }
  try {
    return await command.run(args, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`rollcall ${name}: ${printable(error.message)}; "rollcall ${name} --help" tells what it takes\n`);
      return 2;
    }
    io.err(`rollcall ${name}: ${printable(describeError(error))}\n`);
    return 1;
  }
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}

process.stdout.on("error", (error) => {
  // A reader that has seen enough, such as head, is no fault.
  if (errorCode(error) === "EPIPE") process.exit(0);
  process.stderr.write(`rollcall: the output could not be written: ${describeError(error)}\n`);
  process.exit(1);
});
// A peer that closed while something was being sent is told of by the call itself.
process.on("unhandledRejection", (error) => {
  process.stderr.write(`rollcall: ${describeError(error)}\n`);
  process.exitCode = 1;
});
/** Anything but a yes is a no, also the end of the input. */
async function askInTerminal(question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    const answer = await Promise.race([terminal.question(`${printable(question)} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

const { stdout } = process;
const io: CommandIO = {
  env: process.env,
  out: (text) => void stdout.write(text),
  err: (text) => void process.stderr.write(text),
  now: () => Date.now(),
  columns: stdout.isTTY ? stdout.columns : undefined,
  ask: process.stdin.isTTY && stdout.isTTY ? askInTerminal : undefined,
  colours: stdout.isTTY && process.env["NO_COLOR"] === undefined,
};
void main(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
});
