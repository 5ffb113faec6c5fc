// What many small files and one huge one do to a first roster: a run before and a run after they are there.
import type { Bench } from "./benchWorld.ts";
import { mean, takeTurns, type Figure } from "./figures.ts";
import { runCpuMs } from "./processCost.ts";

const smallFiles = 107_000;
const rounds = 5;
const mostTimes = 2;

export async function hostileFiles({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const once = async (): Promise<number> => {
    const [found] = await takeTurns(rounds, [() => runCpuMs(() => rollcall.run(["ls", "--json", "--once"]))], mean);
    return found ?? Number.NaN;
  };
  const without = await once();
  corpus.addHugeTranscript();
  const huge = await once();
  corpus.addSmallFiles(smallFiles);
  const small = await once();
  return [
    times("first roster beside a transcript of 4 GB", huge, without),
    times(`first roster beside ${smallFiles} small files`, small, without),
  ];
}

function times(what: string, after: number, before: number): Figure {
  const words = `${Math.round(after)} ms of a processor, ${Math.round(before)} ms without, at most ${mostTimes} times`;
  return { what, words, ratio: after / before / mostTimes };
}
