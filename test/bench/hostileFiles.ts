// What many small files and one huge one do to a first roster: a run before and a run after they are there. The whole is
// told on the clock and on a processor, and the worse of both is held against the limit.
import type { Bench } from "./benchWorld.ts";
import { mean, median, type Figure } from "./figures.ts";
import { runCost, type RunCost } from "./processCost.ts";

const smallFiles = 107_000;
const rounds = 7;
const mostTimes = 2;

export async function hostileFiles({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const look = async (): Promise<RunCost> => {
    const costs: RunCost[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const cost = await runCost(() => rollcall.run(["ls", "--json", "--once"]));
      // The first warms up.
      if (round > 0) costs.push(cost);
    }
    return { clockMs: median(costs.map(({ clockMs }) => clockMs)), cpuMs: mean(costs.map(({ cpuMs }) => cpuMs)) };
  };
  const without = await look();
  corpus.addHugeTranscript();
  const huge = await look();
  corpus.addSmallFiles(smallFiles);
  const small = await look();
  return [
    times("first roster beside a transcript of 4 GB", huge, without),
    times(`first roster beside ${smallFiles} small files`, small, without),
  ];
}

function times(what: string, after: RunCost, before: RunCost): Figure {
  const words =
    `${Math.round(after.clockMs)} ms, ${Math.round(before.clockMs)} without; ` +
    `of a processor ${Math.round(after.cpuMs)} and ${Math.round(before.cpuMs)}; at most ${mostTimes} times`;
  const worse = Math.max(after.clockMs / before.clockMs, after.cpuMs / before.cpuMs);
  return { what, words, ratio: worse / mostTimes };
}
