// `rollcall restore`: brings back what was recorded and does not run, as commands to run. It starts nothing itself: a
// session wants a terminal of its own, and VS Code gives it one.
import { resolve } from "node:path";
import type { RestoreJson } from "../../protocol/cliJson.ts";
import type { RestoreItem, RestorePlan, RestoreSelection } from "../../protocol/restore.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError, type Command, type CommandIO, type ExitCode } from "../command.ts";
import { printable } from "../printable.ts";
import { resumeCommand } from "../resumeCommand.ts";
import { planRestore } from "../restoreSource.ts";

export const restore: Command = {
  name: "restore",
  summary: "print the commands that bring recorded sessions back",
  usage: `rollcall restore [--all] [--sandbox S] [--dry-run] [--cwd D] [--force] [--json] [--once] [SESSION...]

Prints for each session one command that resumes it, ready for a terminal of its own. It starts nothing. A session that
runs already, or of which nothing can tell whether it runs, is left out with the reason, and so is one without its
folder or transcript.

  SESSION       a session's id, the beginning of one, or its key; recorded or not
  --all         every session that is recorded and has not departed
  --sandbox S   those of this sandbox
  --dry-run     say what would be done, without commands
  --cwd D       resume in this folder, instead of the one that it began in; for one session
  --force       also where nothing can tell whether it runs, and where a later conversation goes on with it
  --json        the plan as JSON, with the commands
  --once        observe in this process, without an agent

Exit code 1 when a session was refused for which something is left to do.`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: {
        all: "boolean",
        sandbox: "string",
        "dry-run": "boolean",
        cwd: "string",
        force: "boolean",
        json: "boolean",
        once: "boolean",
      },
      positionals: { least: 0, most: 1_000 },
    });
    const sessions = parsed.positionals;
    const sandbox = parsed.text("sandbox");
    const cwd = parsed.text("cwd");
    const dryRun = parsed.has("dry-run");
    if (sessions.includes("") || sandbox === "") throw new UsageError("an empty name names nothing");
    if (parsed.has("all") && sessions.length > 0) throw new UsageError("--all and single sessions exclude each other");
    if (!parsed.has("all") && sandbox === undefined && sessions.length === 0 && !dryRun)
      throw new UsageError("say which sessions: --all, --sandbox S, or their ids");
    if (cwd !== undefined && sessions.length !== 1)
      throw new UsageError("--cwd is for one session, which has to be named");
    const selection: RestoreSelection = {
      ...(sessions.length > 0 ? { sessions: [...sessions] } : { all: true }),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
      ...(parsed.has("force") ? { force: true } : {}),
    };
    const plan = await planRestore(selection, { once: parsed.has("once") }, io);
    if (parsed.has("json")) io.out(`${JSON.stringify(planJson(plan, io), null, 2)}\n`);
    else if (dryRun) io.out(planText(plan));
    else tellCommands(plan, io);
    return exitCode(plan, sessions.length > 0);
  },
};

function planJson(plan: RestorePlan, io: CommandIO): RestoreJson {
  return {
    ...plan,
    sessions: plan.sessions.map((item) => {
      const command = item.outcome.kind === "resume" ? resumeCommand(item.outcome, io.env) : undefined;
      return { ...item, ...(command === undefined ? {} : { command }) };
    }),
  };
}

function tellCommands({ sessions }: RestorePlan, io: CommandIO): void {
  const say = (text: string): void => io.err(`rollcall: ${printable(text)}\n`);
  for (const item of sessions) {
    const { outcome } = item;
    if (outcome.kind === "refused") {
      say(`${nameOf(item)} is not restored: ${outcome.says}; ${outcome.next}`);
      continue;
    }
    const command = resumeCommand(outcome, io.env);
    if (command === undefined)
      say(
        `${nameOf(item)} has no command, since the name of its folder would steer the terminal; restore it in VS Code`,
      );
    else io.out(`${command}\n`);
    for (const note of outcome.notes) say(`${nameOf(item)}: ${note}`);
  }
  if (sessions.length === 0) say(nothing);
}

const nothing = "nothing is recorded that could be restored";

function planText({ sessions }: RestorePlan): string {
  if (sessions.length === 0) return `${nothing}\n`;
  return sessions
    .flatMap((item) => {
      const { outcome } = item;
      if (outcome.kind === "refused")
        return `${outcome.settled ? "leave" : "REFUSE"}  ${nameOf(item)}: ${outcome.says}; ${outcome.next}`;
      const where = outcome.cwd === null ? "" : ` in ${outcome.cwd}`;
      return [`resume  ${nameOf(item)}${where}`, ...outcome.notes.map((note) => `        ${note}`)];
    })
    .map((line) => `${printable(line)}\n`)
    .join("");
}

function nameOf({ id, title, sandbox }: RestoreItem): string {
  const where = sandbox === null ? "" : ` in ${sandbox}`;
  return title === id ? `${id}${where}` : `"${title}" (${id}${where})`;
}

/** A wave that finds what it is about at work has done what it is for. */
function exitCode({ sessions }: RestorePlan, isNamed: boolean): ExitCode {
  const failed = sessions.some(({ outcome }) => outcome.kind === "refused" && (isNamed || !outcome.settled));
  return failed ? 1 : 0;
}
