// What a hook costs the coding agent, beside the cheapest program there is, turn by turn; and how long the events of many
// sandboxes take from their files into what is known.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SpoolReader } from "../../agent/observe/spoolReader.ts";
import { foldSpool, noHooks } from "../../agent/core/hookKnowledge.ts";
import { hookCommand } from "../../protocol/hookSpool.ts";
import { against, median, timed, type Figure } from "./figures.ts";

const aboveTrueMs = 5;
const foldMs = 1_000;
const pairs = 200;
const sandboxes = 200;
const sessionsEach = 20;

const payload = (session: number): string =>
  JSON.stringify({
    session_id: `00000000-0000-4000-8000-${String(session).padStart(12, "0")}`,
    transcript_path: `/home/dev/.claude/projects/-app/${session}.jsonl`,
    hook_event_name: "PreToolUse",
    prompt_id: "p",
    tool_name: "Bash",
    tool_input: { command: "x".repeat(1_000) },
    tool_use_id: "toolu_1",
  });

export async function hookEvent(): Promise<readonly Figure[]> {
  const root = mkdtempSync(join(tmpdir(), "rollcall-bench-hook-"));
  try {
    return [oneEvent(join(root, "one")), await manySpools(join(root, "spool"))];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function oneEvent(spool: string): Figure {
  mkdirSync(spool);
  const run = (command: string, args: readonly string[]): number => {
    const began = performance.now();
    spawnSync(command, args, { input: payload(1) });
    return performance.now() - began;
  };
  const above: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const bare = run("/bin/true", []);
    above.push(run("/bin/sh", ["-c", hookCommand(spool)]) - bare);
  }
  return against("a hook's event above /bin/true", median(above), aboveTrueMs, "ms", `median of ${pairs} pairs`);
}

async function manySpools(root: string): Promise<Figure> {
  for (let sandbox = 0; sandbox < sandboxes; sandbox += 1) {
    const spool = join(root, `box-${sandbox}`);
    mkdirSync(spool, { recursive: true });
    for (let session = 0; session < sessionsEach; session += 1)
      writeFileSync(join(spool, `${session}.0`), `1 20 ${payload(sandbox * sessionsEach + session)}\n`);
  }
  const reader = new SpoolReader(root, () => Date.now());
  let known = noHooks;
  const ms = await timed(async () => {
    const { reads } = await reader.look();
    known = reads.reduce(foldSpool, known);
  });
  const sessions = [...known.spools.values()].reduce((sum, spool) => sum + spool.sessions.size, 0);
  if (sessions !== sandboxes * sessionsEach) throw new Error(`${sessions} sessions of ${sandboxes * sessionsEach}`);
  return against(`events of ${sandboxes} sandboxes of ${sessionsEach} sessions, read and folded`, ms, foldMs, "ms");
}
