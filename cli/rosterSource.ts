// Where a command gets its roster: from the agent, which is started where none runs, or by observing once in
// this process (`--once`). Whichever it is, the other one's modules are not set up.
import { join } from "node:path";
import type { Observer } from "../agent/observer.ts";
import { nodeScheduler } from "../base/node/nodeScheduler.ts";
import { configDirs, configDirsAreNamed, rollcallPaths } from "../base/node/paths.ts";
import type { Log } from "../base/node/log.ts";
import type { AgentClient } from "../protocol/node/agentClient.ts";
import type { Roster, RosterChange } from "../protocol/roster.ts";
import { version } from "../protocol/version.ts";
import type { CommandIO } from "./command.ts";

/** Every transcript is read for it, however many there are. */
export const allDeadlineMs = 120_000;
const bundleFolder = import.meta.dirname;
export const agentScript = join(bundleFolder, "agent.cjs");
const tableScript = join(bundleFolder, "processTable.mjs");

export interface RosterRequest {
  readonly once: boolean;
  readonly all: boolean;
}

export async function readRoster(request: RosterRequest, io: CommandIO): Promise<Roster> {
  return request.once
    ? observeOnce(request.all, io)
    : withAgent(io, (agent) =>
        agent.request("roster/get", { all: request.all }, request.all ? allDeadlineMs : undefined),
      );
}

export async function withAgent<T>(
  io: CommandIO,
  use: (agent: AgentClient) => Promise<T>,
  onChange: (change: RosterChange) => void = ignore,
): Promise<T> {
  const { connectOrLaunch } = await import("../protocol/node/agentLauncher.ts");
  const agent = await connectOrLaunch({
    paths: rollcallPaths(io.env),
    agentScript,
    identity: cliIdentity(io),
    onChange,
    env: io.env,
  });
  try {
    return await use(agent);
  } finally {
    agent.dispose();
  }
}

export function cliIdentity(io: CommandIO): {
  readonly name: string;
  readonly version: string;
  readonly configDirs: readonly string[];
} {
  return { name: "rollcall", version, configDirs: configDirs(io.env) };
}

function observeOnce(all: boolean, io: CommandIO): Promise<Roster> {
  return withObserver(io, async (observer) => {
    await observer.refresh();
    const roster = all ? await observer.rosterOfAll() : observer.roster();
    observer.keepReads();
    return roster;
  });
}

/** Observes in this process, and lets go of what it watched. */
export async function withObserver<T>(io: CommandIO, use: (observer: Observer) => Promise<T>): Promise<T> {
  const log: Log = { info: ignore, warn: (message) => io.err(`rollcall: ${message}\n`) };
  const [{ Observer: Observing }, { adaptersOf }, { readHostFacts }, { RegistryJournal }] = await Promise.all([
    import("../agent/observer.ts"),
    import("../agent/observe/sandboxes/adapters.ts"),
    import("../agent/observe/hostFacts.ts"),
    import("../agent/record/journal.ts"),
  ]);
  const paths = rollcallPaths(io.env);
  const observer = new Observing({
    journal: new RegistryJournal({ path: paths.registry, folder: paths.journal, now: () => nodeScheduler.now() }),
    host: readHostFacts(),
    memory: undefined,
    tableScript,
    onlyWatchedFolders: configDirsAreNamed(io.env),
    scheduler: nodeScheduler,
    log,
    paths,
    keptReads: paths.keptReads,
    sandboxes: adaptersOf(io.env),
  });
  observer.addConfigDirs(configDirs(io.env));
  try {
    return await use(observer);
  } finally {
    await observer.stop();
  }
}

function ignore(): void {
  return undefined;
}
