// The agent's composition: lock, memory, observer, socket, and an orderly end. One per user and data folder;
// it outlives windows and ends by itself when nobody needs it.
import { mkdirSync } from "node:fs";
import { describeError } from "../base/errors.ts";
import { acquireLock, type Lock } from "../base/node/lock.ts";
import { FileLog } from "../base/node/log.ts";
import { nodeScheduler } from "../base/node/nodeScheduler.ts";
import type { RollcallPaths } from "../base/node/paths.ts";
import { version } from "../protocol/version.ts";
import { readHostFacts } from "./observe/hostFacts.ts";
import type { SandboxOptions } from "./observe/sandboxes/adapters.ts";
import { Observer } from "./observer.ts";
import { HookRecorder } from "./record/hookRecorder.ts";
import { keepUnreadAside, readLastKnown, writeLastKnown } from "./record/lastKnown.ts";
import { IntentReplays } from "./record/intentReplays.ts";
import { RegistryJournal } from "./record/journal.ts";
import { RegistryStore } from "./record/registryStore.ts";
import { RegistryWriter } from "./record/registryWriter.ts";
import { SnapshotStore } from "./record/snapshotStore.ts";
import { AgentServer } from "./serve/agentServer.ts";
import { handlersFor } from "./serve/handlers.ts";
import { RestorePlanner, restorePlace } from "./restorePlanner.ts";
import { SessionDetails } from "./sessionDetails.ts";

const minuteMs = 60_000;
const idleExitMs = 30 * minuteMs;
const housekeepingMs = 30_000;
/** A change is written down this soon. */
const memoryDelayMs = 2_000;

export interface AgentOptions {
  readonly paths: RollcallPaths;
  readonly configDirs: readonly string[];
  readonly tableScript: string;
  readonly onlyWatchedFolders: boolean;
  readonly sandboxes: SandboxOptions;
}

export interface RunningAgent {
  readonly ended: Promise<void>;
  stop(reason: string): void;
}

/** @throws LockError when an agent runs already; ServeError when the socket cannot be bound */
export async function runAgent(options: AgentOptions): Promise<RunningAgent> {
  const { paths } = options;
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  const lock = acquireLock(paths.lock);
  try {
    return await startAgent(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startAgent(
  { paths, configDirs, tableScript, onlyWatchedFolders, sandboxes }: AgentOptions,
  lock: Lock,
): Promise<RunningAgent> {
  const scheduler = nodeScheduler;
  const log = new FileLog(paths.logFile);
  const startedAt = scheduler.now();
  log.info(`agent ${version} started, process ${process.pid}, data in ${paths.dataDir}`);
  const remembered = await readLastKnown(paths.lastKnown);
  if (remembered.kind === "unreadable") {
    log.warn(`what an earlier agent knew could not be read: ${remembered.cause}`);
    await keepUnreadAside(paths.lastKnown).then(
      (aside) => log.info(`it is kept as ${aside}`),
      (error: unknown) => log.warn("it could not be kept aside", error),
    );
  }

  const memory = remembered.kind === "read" ? remembered.memory : undefined;
  const journal = new RegistryJournal({ path: paths.registry, folder: paths.journal, now: () => scheduler.now() });
  const observer = new Observer({
    journal,
    host: readHostFacts(),
    memory,
    tableScript,
    onlyWatchedFolders,
    foldsHooks: true,
    scheduler,
    log,
    paths,
    sandboxes,
  });
  observer.addConfigDirs(configDirs);
  const restores = new RestorePlanner({
    source: observer,
    scheduler,
    ...restorePlace(process.env),
  });
  const details = new SessionDetails({ source: observer, scheduler, log });
  const registry = new RegistryStore({
    paths,
    now: () => scheduler.now(),
    journal,
    lastStart: (id) => observer.lastStartOf(id),
  });
  const writer = new RegistryWriter(registry);
  new IntentReplays({ store: registry, scheduler, log });
  const recorder = new HookRecorder({
    acts: () => observer.hookActs(),
    writer,
    look: () => observer.refreshRegistries(),
    log,
  });
  const snapshots = new SnapshotStore({
    paths,
    scheduler,
    log,
    roster: () => observer.toldRoster(),
    usageOf: (session) => observer.usageOf(session),
  });
  let stop: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    stop = resolve;
  });
  const server: AgentServer = new AgentServer({
    socketPath: paths.socket,
    log,
    handlersFor: (client) =>
      handlersFor(client, {
        observer,
        details,
        restores,
        version,
        startedAt,
        dataDir: paths.dataDir,
        logFile: paths.logFile,
        now: () => scheduler.now(),
        clientCount: () => server.clientCount,
        registry: { path: registry.path, writer },
        // After the answer has left.
        stop: () => void scheduler.after(20, () => stop("a client asked for it")),
      }),
  });
  try {
    await server.listen();
  } catch (error) {
    // Whoever started it in the background reads of it only here.
    log.warn("the agent could not begin", error);
    throw error;
  }

  const remember = async (): Promise<void> => {
    try {
      await writeLastKnown(paths.lastKnown, observer.memory());
    } catch (error) {
      log.warn("what is known could not be written down", error);
    }
  };
  let memoryDue = false;
  observer.changes.on((change) => {
    server.push(change);
    snapshots.note();
    recorder.note();
    if (memoryDue) return;
    memoryDue = true;
    scheduler.after(memoryDelayMs, () => {
      memoryDue = false;
      void remember();
    });
  });
  observer.start();

  let neededAt = scheduler.now();
  const housekeeping = setInterval(() => {
    recorder.note();
    if (!lock.isHeld()) stop("another agent holds the lock");
    else if (!server.isReachable()) stop("its socket is gone or another one's");
    if (server.clientCount > 0 || observer.hasLiveSessions) neededAt = scheduler.now();
    else if (scheduler.now() - neededAt > idleExitMs) stop("nobody needed it for 30 min");
  }, housekeepingMs);

  const finished = ended.then(async (reason) => {
    log.info(`agent ends: ${reason}`);
    clearInterval(housekeeping);
    await remember();
    await observer.stop();
    await server.close();
    lock.release();
    log.info("agent ended");
  });
  process.on("unhandledRejection", (error) => log.warn(`unhandled: ${describeError(error)}`, error));
  process.on("uncaughtException", (error) => {
    log.warn(`unexpected: ${error.stack ?? error.message}`);
    stop("an unexpected fault");
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop(signal));
  return { ended: finished, stop };
}
