// `rollcall watch`: the roster, then every change, until it is interrupted. When the agent goes it is started
// again, and a whole roster follows.
import { backoffDelayMs } from "../../base/backoff.ts";
import { describeError } from "../../base/errors.ts";
import type { Roster } from "../../protocol/roster.ts";
import { applyRosterChange } from "../../protocol/rosterChange.ts";
import { parseArguments } from "../arguments.ts";
import type { Command, CommandIO } from "../command.ts";
import { printable } from "../printable.ts";
import { withAgent } from "../rosterSource.ts";
import { rosterTable } from "../rosterTable.ts";

/** An agent that does not answer is as good as gone. */
const heartbeatMs = 10_000;
const reconnect = { firstMs: 200, ceilingMs: 5_000 } as const;

export const watch: Command = {
  name: "watch",
  summary: "follow the roster as it changes",
  usage: `rollcall watch [--json]

  --json   one JSON line for the whole roster, then one for each change: { upsert, remove, sources }`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const show = parsed.has("json") ? showLines(io) : showTable(io);
    for (let attempt = 0; ; attempt += 1) {
      try {
        await follow(io, show, () => (attempt = 0));
      } catch (error) {
        if (attempt >= 5) throw error;
        io.err(`rollcall: ${describeError(error)}; trying again\n`);
      }
      await new Promise((resolve) => setTimeout(resolve, backoffDelayMs(reconnect, attempt, Math.random())));
    }
  },
};

interface Show {
  whole(roster: Roster): void;
  changed(roster: Roster, change: unknown): void;
}

async function follow(io: CommandIO, show: Show, connected: () => void): Promise<void> {
  let roster: Roster | undefined;
  await withAgent(
    io,
    async (agent) => {
      roster = await agent.request("roster/subscribe", {});
      connected();
      show.whole(roster);
      const heartbeat = setInterval(() => {
        agent.request("agent/health", {}, heartbeatMs / 2).catch(() => agent.dispose());
      }, heartbeatMs);
      await new Promise<void>((resolve) => agent.onClose(resolve));
      clearInterval(heartbeat);
      io.err("rollcall: the agent is gone or hangs; what was shown is as of its last word\n");
    },
    (change) => {
      if (roster === undefined) return;
      roster = applyRosterChange(roster, change);
      show.changed(roster, change);
    },
  );
}

function showLines(io: CommandIO): Show {
  const line = (value: unknown): void => io.out(`${JSON.stringify(value)}\n`);
  return { whole: line, changed: (_roster, change) => line(change) };
}

function showTable(io: CommandIO): Show {
  const clear = io.columns === undefined ? "" : "\u001b[2J\u001b[H";
  const whenNone =
    "Waiting: start a coding agent (claude) in any terminal, and its row appears here by itself. Ctrl+C ends this view.";
  const draw = (roster: Roster): void => io.out(`${clear}${rosterTable(printable(roster), { ...io, whenNone })}`);
  return { whole: draw, changed: draw };
}
