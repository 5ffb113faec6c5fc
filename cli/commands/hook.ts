// `rollcall hook`: one event of the coding agent, its payload on standard input, into the spool. What the installed hooks
// do without Node; for whoever calls Rollcall by name. It prints nothing and ends with 0 whatever happens.
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { rollcallPaths } from "../../base/node/paths.ts";
import {
  hookCommandVersion,
  hookPayloadBytes,
  hookStdinSeconds,
  spoolNameOf,
  spoolSlots,
} from "../../protocol/hookSpool.ts";
import type { Command, CommandIO } from "../command.ts";

export const hook: Command = {
  name: "hook",
  summary: "take one hook event of the coding agent from standard input",
  usage: `rollcall hook < PAYLOAD

  Puts the event where the agent of Rollcall finds it. Prints nothing and ends with 0 whatever happens, so that the
  coding agent is never disturbed. The hooks that "rollcall hooks install" installs do the same without Node.`,
  async run(_args, io) {
    try {
      await take(io);
    } catch {
      // The coding agent must not hear of it.
      return 0;
    }
    return 0;
  },
};

async function take(io: CommandIO): Promise<void> {
  if (process.stdin.isTTY) return;
  const folder = join(rollcallPaths(io.env).spool, spoolNameOf(io.env));
  if (!(await lstat(folder)).isDirectory()) return;
  const payload = await readInput();
  const told = io.env["CLAUDE_PID"] ?? "0";
  const pid = /^\d{1,10}$/.test(told) ? told : "0";
  for (let index = 0; index < spoolSlots.each; index += 1) {
    const path = join(folder, `${process.pid % spoolSlots.ids}.${index}`);
    try {
      const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        await handle.writeFile(
          Buffer.concat([Buffer.from(`${hookCommandVersion} ${pid} `), payload, Buffer.from("\n")]),
        );
      } finally {
        await handle.close();
      }
      return;
    } catch {
      // The next name may be free.
      continue;
    }
  }
}

/** As much as came by then: an input that stays open is not waited for. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => process.stdin.destroy(), hookStdinSeconds * 1_000);
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= hookPayloadBytes) break;
    }
  } catch {
    // Closed by the timer: what came by then is what there is.
    return Buffer.concat(chunks).subarray(0, hookPayloadBytes);
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, hookPayloadBytes);
}
