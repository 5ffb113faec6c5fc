// `rollcall why`: everything that one row rests on.
import type { WhyJson } from "../../protocol/cliJson.ts";
import { whyText } from "../../protocol/whyText.ts";
import { findSessions } from "../../protocol/sessionNames.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError, type Command } from "../command.ts";
import { printable } from "../printable.ts";
import { readRoster } from "../rosterSource.ts";

export const why: Command = {
  name: "why",
  summary: "say why a session's row says what it says",
  usage: `rollcall why <session> [--json] [--once]

  <session>  a session's id, the beginning of one, its key, or its pid
  --json     the row with its evidence as JSON
  --once     observe in this process, without an agent`,
  async run(args, io) {
    const parsed = parseArguments(args, {
      flags: { json: "boolean", once: "boolean" },
      positionals: { least: 1, most: 1 },
    });
    const wanted = parsed.positionals[0] ?? "";
    if (wanted === "") throw new UsageError("a session with an empty name names none");
    const asked = printable(wanted);
    const once = parsed.has("once");
    let roster = await readRoster({ once, all: false }, io);
    let found = findSessions(roster.sessions, wanted);
    if (found.length === 0) {
      roster = await readRoster({ once, all: true }, io);
      found = findSessions(roster.sessions, wanted);
    }
    const [session] = found;
    if (session === undefined) {
      io.err(`rollcall: no session matches ${asked}; "rollcall ls --all" lists those that are known\n`);
      return 1;
    }
    if (found.length > 1) {
      io.err(
        `rollcall: ${asked} names ${found.length} sessions; give one of these keys:\n${found.map(({ key }) => `  ${key}\n`).join("")}`,
      );
      return 1;
    }
    const json: WhyJson = { version: 1, session, sources: roster.sources };
    io.out(
      parsed.has("json")
        ? `${JSON.stringify(json, null, 2)}\n`
        : whyText(printable(session), { now: io.now(), sources: roster.sources }),
    );
    return 0;
  },
};
