// What each method of the agent does for one client.
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  agentProtocolVersion,
  type AgentHandlers,
  type AgentMethod,
  type AgentParams,
  type AgentResult,
} from "../../protocol/agentApi.ts";
import type { Observer } from "../observer.ts";
import type { SessionDetails } from "../sessionDetails.ts";
import type { ClientContext } from "./agentServer.ts";
import { ClientWatches } from "./clientWatches.ts";

export interface HandlerDependencies {
  readonly observer: Observer;
  readonly details: SessionDetails;
  readonly version: string;
  readonly startedAt: number;
  readonly dataDir: string;
  readonly logFile: string;
  readonly now: () => number;
  readonly clientCount: () => number;
  readonly stop: () => void;
  readonly restores: {
    plan(selection: AgentParams<"restore/plan">, by: object): Promise<AgentResult<"restore/plan">>;
    release(by: object, ids?: readonly string[]): void;
  };
  readonly registry: {
    readonly path: string;
    readonly writer: {
      readonly [
        Act in "put" | "replace" | "forget" | "depart" | "restore" | "cancelIntent" | "tellOfDrops"
      ]: Write<`registry/${Act}`>;
    };
  };
}

type Write<Method extends AgentMethod> = (params: AgentParams<Method>) => Promise<AgentResult<Method>>;

/** The first roster waits this long for its sources; one that has not answered by then is shown as such. */
const firstAnswerMs = 2_000;

export function handlersFor(client: ClientContext, dependencies: HandlerDependencies): AgentHandlers {
  const { observer } = dependencies;
  const watches = new ClientWatches(client, dependencies.details);
  const { writer } = dependencies.registry;
  /** Who wrote reads what was written. */
  const thenLook = async <Result>(written: Promise<Result>): Promise<Result> => {
    const result = await written;
    await within(firstAnswerMs, observer.refreshRegistries());
    return result;
  };
  const { restores } = dependencies;
  client.onClose(() => restores.release(client));
  let answered: Promise<void> = Promise.resolve();
  return {
    initialize: (params) => {
      if (params.protocolVersion !== agentProtocolVersion) throw protocolRefused(params.protocolVersion);
      const known = new Set(observer.configDirs);
      const added = params.configDirs.filter((dir) => !known.has(dir));
      observer.addConfigDirs(params.configDirs, client);
      client.onClose(() => observer.dropConfigDirs(client));
      answered = within(firstAnswerMs, added.length > 0 ? observer.refresh() : observer.firstAnswers);
      return {
        protocolVersion: agentProtocolVersion,
        agent: {
          version: dependencies.version,
          pid: process.pid,
          startedAt: new Date(dependencies.startedAt).toISOString(),
          dataDir: dependencies.dataDir,
        },
      };
    },
    "roster/get": async ({ all }) => {
      await answered;
      return all === true ? observer.rosterOfAll() : observer.roster();
    },
    "roster/subscribe": async () => {
      await answered;
      const roster = observer.toldRoster();
      client.subscribe();
      return roster;
    },
    "session/detail": async ({ key }) => {
      await answered;
      return dependencies.details.get(key);
    },
    "session/watch": async ({ key }) => {
      await answered;
      return watches.watch(key);
    },
    "session/unwatch": ({ key }) => {
      watches.unwatch(key);
      return {};
    },
    "observe/refresh": async () => {
      await within(limits.rpcDeadlineMs - 1_000, observer.refresh());
      return observer.toldRoster();
    },
    "agent/health": () => ({
      uptimeMs: dependencies.now() - dependencies.startedAt,
      clients: dependencies.clientCount(),
      residentBytes: process.memoryUsage.rss(),
      logFile: dependencies.logFile,
      configDirs: [...observer.configDirs],
      registry: dependencies.registry.path,
      ...observer.counts,
    }),
    "registry/put": (params) => thenLook(writer.put(params)),
    "registry/replace": (params) => thenLook(writer.replace(params)),
    "registry/forget": (params) => thenLook(writer.forget(params)),
    "registry/depart": (params) => thenLook(writer.depart(params)),
    "registry/restore": (params) => thenLook(writer.restore(params)),
    "registry/cancelIntent": (params) => writer.cancelIntent(params),
    "registry/tellOfDrops": (params) => writer.tellOfDrops(params),
    "restore/plan": (selection) => restores.plan(selection, client),
    "restore/release": ({ ids }) => {
      restores.release(client, ids);
      return {};
    },
    "agent/stop": () => {
      dependencies.stop();
      return {};
    },
  };
}

async function within(deadlineMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** It may still end this agent, to start one of its own version. */
function protocolRefused(asked: number): RollcallError<"protocol-refused"> {
  return rollcallError(
    "protocol-refused",
    `this agent speaks protocol ${agentProtocolVersion}, the client ${asked}; close the windows of the other version or run "rollcall agent stop", then try again`,
  );
}
