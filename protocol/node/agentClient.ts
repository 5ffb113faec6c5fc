// A client's side of the agent: connect, shake hands, ask, and hear of changes. Starting an agent where none
// runs is agentLauncher's business.
import { connect, type Socket } from "node:net";
import type { Disposable } from "../../base/disposable.ts";
import { Emitter } from "../../base/emitter.ts";
import { errorCode, isRollcallError, rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  agentMethods,
  agentNotifications,
  agentProtocolVersion,
  type AgentMethod,
  type AgentParams,
  type AgentResult,
} from "../agentApi.ts";
import type { RosterChange } from "../roster.ts";
import type { SessionDetailChange } from "../sessionDetailChange.ts";
import { RpcConnection } from "./rpcConnection.ts";

export type ConnectErrorKind = "agent-not-running" | "agent-unreachable" | "agent-incompatible";
export type ConnectError = RollcallError<ConnectErrorKind>;

export interface ClientIdentity {
  readonly name: string;
  readonly version: string;
  readonly configDirs: readonly string[];
}

export class AgentClient implements Disposable {
  readonly agent: AgentResult<"initialize">["agent"];
  private readonly rpc: RpcConnection;

  private readonly details: Emitter<SessionDetailChange>;

  private constructor(
    rpc: RpcConnection,
    agent: AgentResult<"initialize">["agent"],
    details: Emitter<SessionDetailChange>,
  ) {
    this.rpc = rpc;
    this.agent = agent;
    this.details = details;
  }

  /**
   * @param onChange hears of differences once subscribed
   * @throws ConnectError: nobody listens, no answer in time, or another protocol version
   */
  static async connect(
    socketPath: string,
    identity: ClientIdentity,
    onChange: (change: RosterChange) => void,
  ): Promise<AgentClient> {
    const rpc = new RpcConnection(await openSocket(socketPath));
    rpc.onNotification("roster/changed", agentNotifications["roster/changed"], onChange, () => rpc.dispose());
    const details = new Emitter<SessionDetailChange>(() => rpc.dispose());
    rpc.onNotification(
      "session/changed",
      agentNotifications["session/changed"],
      (change) => details.fire(change),
      () => rpc.dispose(),
    );
    rpc.listen();
    try {
      const hello = await rpc.request("initialize", agentMethods.initialize, {
        protocolVersion: agentProtocolVersion,
        client: { name: identity.name, version: identity.version },
        configDirs: [...identity.configDirs],
      });
      if (hello.protocolVersion !== agentProtocolVersion) {
        throw rollcallError<ConnectErrorKind>(
          "agent-incompatible",
          `the agent speaks protocol ${hello.protocolVersion}, this client ${agentProtocolVersion}; close the older windows or run "rollcall agent stop"`,
        );
      }
      return new AgentClient(rpc, hello.agent, details);
    } catch (error) {
      rpc.dispose();
      if (!isRollcallError(error)) throw error;
      if (error.kind === "rpc-deadline") throw silent(socketPath, error);
      throw error.kind === "rpc-refused" ? incompatible(error) : error;
    }
  }

  /**
   * Ends the agent whatever protocol it speaks: it takes this call without a handshake.
   * @throws ConnectError or RpcError
   */
  static async stopAgent(socketPath: string): Promise<void> {
    const rpc = new RpcConnection(await openSocket(socketPath));
    rpc.listen();
    try {
      const closed = new Promise<void>((resolve) => rpc.onClose(resolve));
      await rpc.request("agent/stop", agentMethods["agent/stop"], {});
      await closed;
    } finally {
      rpc.dispose();
    }
  }

  request<M extends AgentMethod>(method: M, params: AgentParams<M>, deadlineMs?: number): Promise<AgentResult<M>> {
    return this.rpc.request(method, agentMethods[method], params, deadlineMs);
  }

  /** Hears of differences of the sessions that are watched. */
  onSessionChange(listener: (change: SessionDetailChange) => void): Disposable {
    return this.details.on(listener);
  }

  onClose(listener: () => void): void {
    this.rpc.onClose(listener);
  }

  dispose(): void {
    this.rpc.dispose();
  }
}

function openSocket(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(silent(socketPath));
    }, limits.rpcDeadlineMs);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (cause) => {
      clearTimeout(timer);
      const code = errorCode(cause);
      const nobody = code === "ENOENT" || code === "ECONNREFUSED";
      const kind: ConnectErrorKind = nobody ? "agent-not-running" : "agent-unreachable";
      reject(
        rollcallError(
          kind,
          nobody ? "the agent is not running" : `the agent's socket ${socketPath} could not be opened`,
          cause,
        ),
      );
    });
  });
}

function incompatible(refusal: RollcallError): ConnectError {
  return rollcallError<ConnectErrorKind>("agent-incompatible", refusal.message, refusal);
}

function silent(socketPath: string, cause?: unknown): ConnectError {
  return rollcallError<ConnectErrorKind>(
    "agent-unreachable",
    `the agent at ${socketPath} did not answer within ${limits.rpcDeadlineMs} ms; if it stays so, end its process`,
    cause,
  );
}
