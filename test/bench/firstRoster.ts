// The first complete roster in a fresh process, beside the coding agent's own list of its live sessions. Held against
// each other is what a person waits, turn by turn, so that what else runs on the machine meets both; time on a
// processor, children included, is told beside it, and what a look takes for which nothing was kept.
import { rmSync } from "node:fs";
import { ensureClaude } from "../support/claude/install.ts";
import { rollcallPaths } from "../../base/node/paths.ts";
import type { Bench } from "./benchWorld.ts";
import { mean, median, medianOfPairs, type Figure } from "./figures.ts";
import { runCost, type RunCost } from "./processCost.ts";
import { runProgram } from "./program.ts";

const rounds = 21;
const roundsWithoutKept = 5;

export async function firstRoster({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const env = { ...rollcall.env, HOME: corpus.standIns.root };
  const look = (): Promise<unknown> => rollcall.run(["ls", "--json", "--once"]);
  const peer = (): Promise<unknown> => runProgram(ensureClaude(), ["agents", "--json"], env);
  const forget = (): void => rmSync(rollcallPaths(rollcall.env).keptReads, { force: true });

  const anew: RunCost[] = [];
  for (let round = 0; round < roundsWithoutKept; round += 1) {
    forget();
    anew.push(await runCost(look));
  }
  const own: RunCost[] = [];
  const other: RunCost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    own.push(await runCost(look));
    other.push(await runCost(peer));
  }
  const words =
    `${told(own)}, claude agents --json ${told(other)}; ` + `with nothing kept from an earlier look ${told(anew)}`;
  return [{ what: "first roster in a fresh process", words, ratio: medianOfPairs(own.map(clock), other.map(clock)) }];
}

function clock({ clockMs }: RunCost): number {
  return clockMs;
}

function told(costs: readonly RunCost[]): string {
  const cpu = Math.round(mean(costs.map(({ cpuMs }) => cpuMs)));
  return `${Math.round(median(costs.map(clock)))} ms (${cpu} of a processor)`;
}
