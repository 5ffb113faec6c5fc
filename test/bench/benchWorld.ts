// What a benchmark measures on: files, a scratch data folder, and an agent with a client that follows it.
import type { Follower } from "../support/rollcall/follower.ts";
import type { RollcallWorld } from "../support/rollcall/world.ts";
import type { Corpus } from "./corpus.ts";

export interface Bench {
  readonly corpus: Corpus;
  readonly rollcall: RollcallWorld;
  readonly agentPid: number;
  readonly follower: Follower;
}
