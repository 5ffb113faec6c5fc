// `rollcall ls`: the roster, as a table for people or as the JSON contract.
import { parseArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { readRoster } from "../rosterSource.ts";
import { rosterTable } from "../rosterTable.ts";

export const ls: Command = {
  name: "ls",
  summary: "list the sessions: live, recorded, or touched within a day",
  usage: `rollcall ls [--json] [--once] [--all]

  --json   the roster as JSON, version 1
  --once   observe in this process, without an agent
  --all    also sessions that nobody touched for a day`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { json: "boolean", once: "boolean", all: "boolean" },
      positionals: { least: 0, most: 0 },
    });
    const roster = await readRoster({ once: parsed.has("once"), all: parsed.has("all") }, io);
    const whenNone = parsed.has("all")
      ? "Start a coding agent (claude) in a terminal, and it is listed here."
      : 'Start a coding agent (claude) in a terminal, and it is listed here. "rollcall ls --all" lists older sessions.';
    io.out(
      parsed.has("json") ? `${JSON.stringify(roster, null, 2)}\n` : rosterTable(printable(roster), { ...io, whenNone }),
    );
    return 0;
  },
};
