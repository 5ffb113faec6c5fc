// The first complete roster in a fresh process, beside the coding agent's own list of its live sessions.
import { ensureClaude } from "../support/claude/install.ts";
import type { Bench } from "./benchWorld.ts";
import { takeTurns, timed, type Figure } from "./figures.ts";
import { runProgram } from "./program.ts";

const rounds = 9;

export async function firstRoster({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const env = { ...rollcall.env, HOME: corpus.standIns.root };
  const [own, peer] = await takeTurns(rounds, [
    () => timed(() => rollcall.run(["ls", "--json", "--once"])),
    () => timed(() => runProgram(ensureClaude(), ["agents", "--json"], env)),
  ]);
  const [ownMs, peerMs] = [own ?? Number.NaN, peer ?? Number.NaN];
  const words = `${Math.round(ownMs)} ms, claude agents --json ${Math.round(peerMs)} ms`;
  return [{ what: "first roster in a fresh process", words, ratio: ownMs / peerMs }];
}
