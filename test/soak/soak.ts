// The soak of the registry: rounds of a duel with a foreign writer, each with a seed of its own that follows from the
// first one. Ends with the first session that is lost, or when the time is over.
import { duel, type DuelOptions } from "../support/rollcall/registryDuel.ts";

const [minutes = "10", given] = process.argv.slice(2);
const first = given === undefined ? Date.now() % 2 ** 32 : Number(given);
const until = Date.now() + Number(minutes) * 60_000;
const roundSeconds = 60;

const games: readonly Omit<DuelOptions, "seconds" | "seed">[] = [
  { ways: ["in-place"] },
  { ways: ["in-place", "rename", "truncate", "delete"], killEveryMs: 7_000 },
  { ways: ["rename"], restMs: 20 },
  { ways: ["in-place", "truncate"], restMs: 100, killEveryMs: 15_000 },
  { ways: ["in-place", "rename", "delete"], restMs: 400, killEveryMs: 7_000 },
];

say(`seed ${first}, ${minutes} min`);
for (let round = 0; Date.now() < until; round += 1) {
  const seed = (first + round) % 2 ** 32;
  const game = games[round % games.length] ?? { ways: ["in-place"] };
  const seconds = Math.max(1, Math.min(roundSeconds, (until - Date.now()) / 1_000));
  const result = await duel({ ...game, seconds, seed, log: say });
  say(`seed ${seed}, ${game.ways.join(", ")}: ${JSON.stringify(result)}`);
}
say(`nothing was lost; seed ${first}`);

function say(line: string): void {
  process.stdout.write(`soak: ${line}\n`);
}
