// The first complete roster in a fresh process, beside the coding agent's own list of its live sessions. Held against
// each other is time on a processor, children included, which is the same however busy the machine is; what a person
// waits is told beside it.
import { ensureClaude } from "../support/claude/install.ts";
import type { Bench } from "./benchWorld.ts";
import { mean, takeTurns, timed, type Figure } from "./figures.ts";
import { runCpuMs } from "./processCost.ts";
import { runProgram } from "./program.ts";

const rounds = 15;

export async function firstRoster({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const env = { ...rollcall.env, HOME: corpus.standIns.root };
  const own = (): Promise<unknown> => rollcall.run(["ls", "--json", "--once"]);
  const peer = (): Promise<unknown> => runProgram(ensureClaude(), ["agents", "--json"], env);
  const cpu = await takeTurns(rounds, [() => runCpuMs(own), () => runCpuMs(peer)], mean);
  const clock = await takeTurns(rounds, [() => timed(own), () => timed(peer)]);
  const [ownMs, peerMs] = pair(cpu);
  const [ownClock, peerClock] = pair(clock);
  const words =
    `${Math.round(ownMs)} ms of a processor, claude agents --json ${Math.round(peerMs)} ms; ` +
    `on the clock ${Math.round(ownClock)} and ${Math.round(peerClock)} ms`;
  return [{ what: "first roster in a fresh process", words, ratio: ownMs / peerMs }];
}

function pair([a, b]: readonly number[]): readonly [number, number] {
  return [a ?? Number.NaN, b ?? Number.NaN];
}
