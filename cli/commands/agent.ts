// `rollcall agent`: the agent itself. It is started by whoever needs it; these are for people and services.
import { amount } from "../../base/amount.ts";
import { isRollcallError } from "../../base/errors.ts";
import { configDirs, configDirsAreNamed, rollcallPaths } from "../../base/node/paths.ts";
import { join } from "node:path";
import { runAgent } from "../../agent/agent.ts";
import { adaptersOf } from "../../agent/observe/sandboxes/adapters.ts";
import type { AgentStatusJson } from "../../protocol/cliJson.ts";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import { parseArguments } from "../arguments.ts";
import { UsageError, type Command, type CommandIO, type ExitCode } from "../command.ts";
import { cliIdentity, withAgent } from "../rosterSource.ts";

export const agent: Command = {
  name: "agent",
  summary: "run, start, stop or show the agent",
  usage: `rollcall agent [run|start|stop|status] [--json]

  run      run it in the foreground until it is interrupted (the default)
  start    start it in the background, unless it runs
  stop     end it in order
  status   say whether it runs, and what it holds`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 1 } });
    switch (parsed.positionals[0] ?? "run") {
      case "run":
        return run(io);
      case "start":
        return withAgent(io, ({ agent: running }) => {
          io.out(`the agent runs as process ${running.pid}\n`);
          return Promise.resolve(0);
        });
      case "stop":
        return stop(io);
      case "status":
        return status(io, parsed.has("json"));
      default:
        throw new UsageError(`agent has no ${parsed.positionals[0] ?? ""}`);
    }
  },
};

async function run(io: CommandIO): Promise<ExitCode> {
  const paths = rollcallPaths(io.env);
  const running = await runAgent({
    paths,
    configDirs: configDirs(io.env),
    onlyWatchedFolders: configDirsAreNamed(io.env),
    tableScript: join(import.meta.dirname, "processTable.mjs"),
    sandboxes: adaptersOf(io.env),
  });
  io.out(`the agent listens on ${paths.socket}\n`);
  await running.ended;
  return 0;
}

/** Also one of another version, which no other command talks to. */
async function stop(io: CommandIO): Promise<ExitCode> {
  try {
    await AgentClient.stopAgent(rollcallPaths(io.env).socket);
  } catch (error) {
    if (!isRollcallError(error) || error.kind !== "agent-not-running") throw error;
    io.out("the agent is not running\n");
    return 0;
  }
  io.out("the agent has ended\n");
  return 0;
}

async function status(io: CommandIO, json: boolean): Promise<ExitCode> {
  const client = await connectIfRunning(io);
  if (client === undefined) {
    const answer: AgentStatusJson = { version: 1, running: false };
    io.out(json ? `${JSON.stringify(answer)}\n` : "the agent is not running\n");
    return 1;
  }
  const health = await client.request("agent/health", {});
  client.dispose();
  const text = [
    `the agent runs as process ${client.agent.pid}, version ${client.agent.version}, since ${client.agent.startedAt}`,
    `  ${[
      amount(health.clients, "client"),
      `${Math.round(health.residentBytes / 2 ** 20)} MB`,
      amount(health.knownProcesses, "process", "processes"),
      amount(health.followedTranscripts, "transcript"),
      `${amount(health.watchedFolders, "folder")} watched`,
    ].join(", ")}`,
    `  config folders ${health.configDirs.join(", ")}`,
    `  log ${health.logFile}`,
  ].join("\n");
  const { version: agentVersion, ...running } = client.agent;
  const answer: AgentStatusJson = { version: 1, running: true, agentVersion, ...running, ...health };
  io.out(json ? `${JSON.stringify(answer)}\n` : `${text}\n`);
  return 0;
}

/** Undefined where nobody listens; any other fault is one to be told. */
export async function connectIfRunning(io: CommandIO): Promise<AgentClient | undefined> {
  try {
    return await AgentClient.connect(rollcallPaths(io.env).socket, cliIdentity(io), () => undefined);
  } catch (error) {
    if (isRollcallError(error) && error.kind === "agent-not-running") return undefined;
    throw error;
  }
}
