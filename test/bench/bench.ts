// Coordinator of `npm run bench`: the corpus, an agent on it as a client starts it, one benchmark after the other, a
// line for each figure. Fails when a figure is outside its ratio.
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import { agentMemory } from "./agentMemory.ts";
import type { Bench } from "./benchWorld.ts";
import { Corpus, wholeCorpus } from "./corpus.ts";
import { figureLine, isWithin, type Figure } from "./figures.ts";
import { firstRoster } from "./firstRoster.ts";
import { hookEvent } from "./hookEvent.ts";
import { hostileFiles } from "./hostileFiles.ts";
import { idleCost } from "./idleCost.ts";
import { runningAgent } from "./runningAgent.ts";
import { writtenLine } from "./writtenLine.ts";

const benchmarks: readonly ((bench: Bench) => Promise<readonly Figure[]>)[] = [
  idleCost,
  agentMemory,
  runningAgent,
  writtenLine,
  firstRoster,
  hostileFiles,
  hookEvent,
];

const { sessions, live, transcriptBytes } = wholeCorpus;
process.stdout.write(`${sessions} sessions, ${live} live, ${transcriptBytes / 1e6} MB of transcripts\n`);
const corpus = new Corpus(wholeCorpus);
const rollcall = new RollcallWorld({
  configDirs: [corpus.configDir],
  env: { CLAUDE_CONFIG_DIR: corpus.configDir },
});
let outside = 0;
try {
  const { code, stderr } = await rollcall.run(["agent", "start"]);
  if (code !== 0) throw new Error(`the agent did not start: ${stderr}`);
  const { stdout } = await rollcall.run(["agent", "status", "--json"]);
  const follower = await Follower.connect(rollcall.socket, [corpus.configDir]);
  const agentPid = (JSON.parse(stdout) as { pid: number }).pid;
  for (const benchmark of benchmarks) {
    for (const figure of await benchmark({ corpus, rollcall, agentPid, follower })) {
      process.stdout.write(figureLine(figure));
      if (!isWithin(figure)) outside += 1;
    }
  }
  follower.close();
} finally {
  await rollcall.close();
  await corpus.close();
}
process.stdout.write(outside === 0 ? "all within\n" : `${outside} outside\n`);
process.exitCode = outside === 0 ? 0 : 1;
