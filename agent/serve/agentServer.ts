// The agent's socket: who may connect (only this user: 0600 in a 0700 folder), how many, and what each client
// hears. A client that reads too slowly is dropped and comes back to a whole roster. What the methods do is
// in handlers.ts.
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Log } from "../../base/node/log.ts";
import { socketPathLimitBytes } from "../../base/node/paths.ts";
import { privateFolderFault } from "../../base/node/privateFolder.ts";
import { agentMethods, type AgentHandlers, type AgentMethod } from "../../protocol/agentApi.ts";
import { RpcConnection } from "../../protocol/node/rpcConnection.ts";
import type { RosterChange } from "../../protocol/roster.ts";
import type { SessionDetailChange } from "../../protocol/sessionDetailChange.ts";

export type ServeErrorKind = "socket-path-too-long" | "socket-folder-unsafe" | "socket-not-bound";
export type ServeError = RollcallError<ServeErrorKind>;

/** One client's side of the handlers. */
export interface ClientContext {
  subscribe(): void;
  /** Tells this client of a session that it watches. */
  tell(change: SessionDetailChange): void;
  onClose(listener: () => void): void;
}

export interface AgentServerOptions {
  readonly socketPath: string;
  readonly handlersFor: (client: ClientContext) => AgentHandlers;
  readonly log: Log;
}

export class AgentServer {
  private readonly options: AgentServerOptions;
  private readonly server: Server;
  private readonly clients = new Map<RpcConnection, { subscribed: boolean }>();
  private inode: number | undefined;

  constructor(options: AgentServerOptions) {
    this.options = options;
    this.server = createServer((socket) => this.accept(socket));
  }

  /** @throws ServeError; the caller holds the agent's lock, so a socket file that is left is a dead agent's */
  async listen(): Promise<void> {
    const { socketPath, log } = this.options;
    if (process.platform !== "win32") prepareSocketPath(socketPath);
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", (cause) => {
        reject(
          rollcallError<ServeErrorKind>(
            "socket-not-bound",
            `could not listen on ${socketPath}; remove it if no agent runs`,
            cause,
          ),
        );
      });
      this.server.listen(socketPath, resolve);
    });
    this.server.on("error", (error) => log.warn("the agent's socket", error));
    if (process.platform === "win32") return;
    chmodSync(socketPath, 0o600);
    this.inode = lstatSync(socketPath).ino;
  }

  get clientCount(): number {
    return this.clients.size;
  }

  /** False once the socket file is another one's or gone, so that nobody can reach this agent any more. */
  isReachable(): boolean {
    if (process.platform === "win32" || this.inode === undefined) return true;
    return lstatSync(this.options.socketPath, { throwIfNoEntry: false })?.ino === this.inode;
  }

  push(change: RosterChange): void {
    for (const [rpc, client] of this.clients) if (client.subscribed) rpc.notify("roster/changed", change);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const rpc of this.clients.keys()) rpc.dispose();
    await closed;
  }

  private accept(socket: Socket): void {
    const { log, handlersFor } = this.options;
    if (this.clients.size >= limits.rpcClients) {
      log.warn(`refused a client: ${limits.rpcClients} are connected`);
      socket.destroy();
      return;
    }
    const rpc = new RpcConnection(socket);
    const client = { subscribed: false };
    this.clients.set(rpc, client);
    rpc.onClose(() => this.clients.delete(rpc));
    const handlers = handlersFor({
      subscribe: () => (client.subscribed = true),
      tell: (change) => rpc.notify("session/changed", change),
      onClose: (listener) => rpc.onClose(listener),
    });
    for (const method of Object.keys(agentMethods) as AgentMethod[]) {
      // The table pairs each handler with its own schema, which has checked the parameters.
      const handler = handlers[method] as (params: unknown) => never;
      rpc.handle(method, agentMethods[method], handler, (name, error) => log.warn(`${name} failed`, error));
    }
    rpc.listen();
  }
}

function prepareSocketPath(path: string): void {
  if (Buffer.byteLength(path) >= socketPathLimitBytes) {
    throw rollcallError<ServeErrorKind>(
      "socket-path-too-long",
      `the socket path ${path} is longer than a unix socket takes; set ROLLCALL_SOCKET to a shorter one`,
    );
  }
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fault = privateFolderFault(folder);
  if (fault !== undefined) throw rollcallError<ServeErrorKind>("socket-folder-unsafe", fault);
  rmSync(path, { force: true });
}
