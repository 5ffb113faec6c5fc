// A connection to the agent, which is started first where none runs. The agent's own lock decides between two
// that are started at once, so a launch too many is harmless. What a client asks of it is the client's business.
import { access } from "node:fs/promises";
import { parse } from "node:path";
import { backoffDelayMs } from "../../base/backoff.ts";
import { isRollcallError, rollcallError, type RollcallError } from "../../base/errors.ts";
import { launchDetached, type DetachedProcess } from "../../base/node/launchDetached.ts";
import type { Environment, RollcallPaths } from "../../base/node/paths.ts";
import type { RosterChange } from "../roster.ts";
import { AgentClient, type ClientIdentity } from "./agentClient.ts";
import { frugalEnvironment, frugalFlags } from "./frugalNode.ts";

export type LaunchErrorKind = "agent-script-missing" | "agent-launch-failed" | "agent-launch-timeout";
export type LaunchError = RollcallError<LaunchErrorKind>;

export interface ConnectOrLaunchOptions {
  readonly paths: Pick<RollcallPaths, "socket" | "logFile">;
  /** The agent's bundle, run by the Node that runs this. */
  readonly agentScript: string;
  readonly identity: ClientIdentity;
  readonly onChange: (change: RosterChange) => void;
  readonly env: Environment;
  readonly deadlineMs?: number;
}

const launchDeadlineMs = 10_000;
const connectBackoff = { firstMs: 20, ceilingMs: 250 } as const;
/** A launch may meet the lock of an agent that is about to end; then another one is due. */
const launchesAtMost = 4;

/**
 * An agent of another version that speaks the same protocol is used as it is.
 * @throws ConnectError, RpcError or LaunchError, each saying what to do next
 */
export async function connectOrLaunch(options: ConnectOrLaunchOptions): Promise<AgentClient> {
  const deadlineMs = options.deadlineMs ?? launchDeadlineMs;
  const deadlineAt = performance.now() + deadlineMs;
  let launched: DetachedProcess | undefined;
  let launches = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await AgentClient.connect(options.paths.socket, options.identity, options.onChange);
    } catch (error) {
      if (!nobodyListens(error)) throw error;
      if (performance.now() >= deadlineAt) throw launchTimedOut(options, deadlineMs, launched, error);
    }
    if (launches < launchesAtMost && (launched === undefined || launched.ended() !== undefined)) {
      launched = await launchAgent(options);
      launches += 1;
    }
    await sleep(backoffDelayMs(connectBackoff, attempt, Math.random()));
  }
}

/** What the agent gets of its starter's environment: not what would bind it to an editor or to a session. */
export function agentEnvironment(env: Environment, inElectron: boolean): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && !isNoise(name);
  });
  return { ...Object.fromEntries(kept), ...(inElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {}) };
}

function isNoise(name: string): boolean {
  return /^(VSCODE_|ELECTRON_|CLAUDE_CODE_|npm_)/.test(name) || name === "NODE_OPTIONS" || name === "CLAUDECODE";
}

async function launchAgent(options: ConnectOrLaunchOptions): Promise<DetachedProcess> {
  const { agentScript, env } = options;
  try {
    await access(agentScript);
  } catch (cause) {
    throw rollcallError<LaunchErrorKind>(
      "agent-script-missing",
      `the agent could not be started since ${agentScript} cannot be read; build or install Rollcall again`,
      cause,
    );
  }
  try {
    return await launchDetached({
      command: process.execPath,
      args: [...frugalFlags, agentScript],
      env: { ...frugalEnvironment, ...agentEnvironment(env, process.versions["electron"] !== undefined) },
      // A folder that is always there and that the agent does not keep from being unmounted.
      cwd: parse(agentScript).root,
    });
  } catch (cause) {
    throw rollcallError<LaunchErrorKind>(
      "agent-launch-failed",
      `the agent could not be started with ${process.execPath}; check that this program may run`,
      cause,
    );
  }
}

function launchTimedOut(
  { paths }: ConnectOrLaunchOptions,
  deadlineMs: number,
  launched: DetachedProcess | undefined,
  cause: unknown,
): LaunchError {
  const ended = launched?.ended();
  const fate = ended === undefined ? "was started but does not listen" : `was started and ended with ${ended}`;
  return rollcallError<LaunchErrorKind>(
    "agent-launch-timeout",
    `the agent ${fate} within ${deadlineMs} ms; read its log ${paths.logFile}, then try again`,
    cause,
  );
}

/** Also an agent that closes during the handshake, since it is about to end. */
function nobodyListens(error: unknown): boolean {
  return isRollcallError(error) && (error.kind === "agent-not-running" || error.kind === "rpc-closed");
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
