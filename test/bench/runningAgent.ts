// A roster from a running agent: what the agent needs for it, measured in a client that is connected. What a terminal
// waits for besides is the start of a Node, shown apart.
import { AgentClient } from "../../protocol/node/agentClient.ts";
import type { Bench } from "./benchWorld.ts";
import { against, takeTurns, timed, type Figure } from "./figures.ts";
import { runProgram } from "./program.ts";

const limitMs = 100;
const rounds = 15;

export async function runningAgent({ rollcall, corpus }: Bench): Promise<readonly Figure[]> {
  const identity = { name: "bench", version: "0", configDirs: [corpus.configDir] };
  const client = await AgentClient.connect(rollcall.socket, identity, () => undefined);
  const [roster, roundTrip, command, bareNode] = await takeTurns(rounds, [
    () => timed(() => client.request("roster/get", {})),
    () => timed(() => client.request("agent/health", {})),
    () => timed(() => rollcall.run(["ls", "--json"])),
    () => timed(() => runProgram(process.execPath, ["-e", "0"], rollcall.env)),
  ]);
  client.dispose();
  const note = `a round trip takes ${ms(roundTrip)}, the whole command ${ms(command)}, of which a bare Node ${ms(bareNode)}`;
  return [against("roster from a running agent", roster ?? Number.NaN, limitMs, "ms", note)];
}

function ms(value: number | undefined): string {
  return `${(value ?? Number.NaN).toFixed(1)} ms`;
}
