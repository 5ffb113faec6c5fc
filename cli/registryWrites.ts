// Writes of the registry: through the agent where one runs that has the same registry, since it is the one writer;
// otherwise by the same store and under the same lock here. No agent is started for a write.
import { isRollcallError } from "../base/errors.ts";
import { rollcallPaths } from "../base/node/paths.ts";
import { RegistryStore } from "../agent/record/registryStore.ts";
import { RegistryWriter } from "../agent/record/registryWriter.ts";
import type { AgentParams, AgentResult } from "../protocol/agentApi.ts";
import type { CommandIO } from "./command.ts";
import { connectIfRunning } from "./commands/agent.ts";

type Act = "put" | "replace" | "forget" | "depart" | "restore" | "cancelIntent";

/** Together with the wait for the lock and the tries of a torn read. */
const writeDeadlineMs = 60_000;

export function registryStore(io: CommandIO): RegistryStore {
  return new RegistryStore({ paths: rollcallPaths(io.env), now: () => io.now() });
}

export async function writeRegistry<A extends Act>(
  io: CommandIO,
  act: A,
  params: AgentParams<`registry/${A}`>,
): Promise<AgentResult<`registry/${A}`>> {
  const store = registryStore(io);
  const agent = await connectIfRunning(io);
  try {
    if (agent !== undefined && (await agent.request("agent/health", {})).registry === store.path)
      return await agent.request(`registry/${act}`, params, writeDeadlineMs);
  } catch (error) {
    throw reasonOf(error);
  } finally {
    agent?.dispose();
  }
  const write = new RegistryWriter(store);
  // The table of methods pairs each act with its parameters.
  return (write[act] as (params: AgentParams<`registry/${A}`>) => Promise<AgentResult<`registry/${A}`>>).call(
    write,
    params,
  );
}

/** The agent's own sentence, without that of the call. */
function reasonOf(error: unknown): unknown {
  const refused = isRollcallError(error) && error.kind === "rpc-refused";
  return refused && error.cause instanceof Error ? error.cause : error;
}
