// JSON-RPC 2.0 over one socket, bounded and validated: every request has a deadline, every message a length
// limit and a schema on both sides. What the methods mean is agentApi's business.
import type { Socket } from "node:net";
import {
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageReader,
  type MessageConnection,
  type MessageWriter,
} from "vscode-jsonrpc/node.js";
import type { z } from "zod";
import type { Disposable } from "../../base/disposable.ts";
import { describeError, isRollcallError, rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { FrameGuard } from "./frameGuard.ts";
import { writeFrame } from "./frameWriter.ts";

export type RpcErrorKind = "rpc-deadline" | "rpc-closed" | "rpc-refused" | "rpc-invalid";
export type RpcError = RollcallError<RpcErrorKind>;

export interface MethodSpec {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}
export type MethodTable = Readonly<Record<string, MethodSpec>>;

const closedMethods = "the connection is closed";

export class RpcConnection implements Disposable {
  private readonly connection: MessageConnection;
  private readonly socket: Socket;
  private closed = false;
  private readonly closeListeners = new Set<() => void>();

  constructor(socket: Socket) {
    this.socket = socket;
    const guard = new FrameGuard(limits.rpcMessageBytes);
    this.connection = createMessageConnection(new StreamMessageReader(socket.pipe(guard)), frameWriter(socket));
    guard.on("error", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.onSocketClosed());
    this.connection.onError(() => socket.destroy());
  }

  /** Starts reading; handlers are registered before. */
  listen(): void {
    this.connection.listen();
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListeners.add(listener);
  }

  /** @throws RpcError when the peer refuses, closes, answers something else, or does not answer in time */
  async request<Spec extends MethodSpec>(
    method: string,
    spec: Spec,
    params: z.input<Spec["params"]>,
    deadlineMs: number = limits.rpcDeadlineMs,
  ): Promise<z.output<Spec["result"]>> {
    if (this.closed) throw rollcallError<RpcErrorKind>("rpc-closed", `could not call ${method}: ${closedMethods}`);
    let answer: unknown;
    try {
      answer = await this.raceDeadline(method, this.connection.sendRequest(method, params), deadlineMs);
    } catch (cause) {
      if (cause instanceof ResponseError) {
        throw rollcallError<RpcErrorKind>("rpc-refused", `${method} was refused: ${cause.message}`, cause);
      }
      if (isRollcallError(cause)) throw cause;
      throw rollcallError<RpcErrorKind>("rpc-closed", `could not call ${method}: ${closedMethods}`, cause);
    }
    const parsed = spec.result.safeParse(answer);
    if (parsed.success) return parsed.data as z.output<Spec["result"]>;
    throw rollcallError<RpcErrorKind>(
      "rpc-invalid",
      `${method} was answered with something else than its contract says`,
      parsed.error,
    );
  }

  handle<Spec extends MethodSpec>(
    method: string,
    spec: Spec,
    handler: (params: z.output<Spec["params"]>) => Promise<z.input<Spec["result"]>> | z.input<Spec["result"]>,
    onFault: (method: string, error: unknown) => void,
  ): void {
    this.connection.onRequest(method, async (raw: unknown) => {
      const params = spec.params.safeParse(raw ?? {});
      if (!params.success)
        throw new ResponseError(ErrorCodes.InvalidParams, `${method}: parameters do not fit its contract`);
      try {
        return await handler(params.data as z.output<Spec["params"]>);
      } catch (error) {
        onFault(method, error);
        throw new ResponseError(ErrorCodes.InternalError, describeError(error));
      }
    });
  }

  onNotification<Schema extends z.ZodType>(
    method: string,
    schema: Schema,
    handler: (params: z.output<Schema>) => void,
    onFault: (method: string, error: unknown) => void,
  ): void {
    this.connection.onNotification(method, (raw: unknown) => {
      const params = schema.safeParse(raw);
      if (params.success) handler(params.data);
      else onFault(method, params.error);
    });
  }

  /** Sends without waiting; a peer that reads too slowly is cut off, and comes back to a whole roster. */
  notify(method: string, params: unknown): void {
    if (this.closed) return;
    this.connection.sendNotification(method, params).catch(() => this.socket.destroy());
  }

  dispose(): void {
    this.socket.destroy();
    this.onSocketClosed();
  }

  private onSocketClosed(): void {
    if (this.closed) return;
    this.closed = true;
    this.connection.dispose();
    for (const listener of [...this.closeListeners]) listener();
    this.closeListeners.clear();
  }

  private raceDeadline<T>(method: string, answer: Promise<T>, deadlineMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const closed = (): void => {
        finish();
        reject(rollcallError<RpcErrorKind>("rpc-closed", `${method} got no answer: ${closedMethods}`));
      };
      const timer = setTimeout(() => {
        finish();
        reject(rollcallError<RpcErrorKind>("rpc-deadline", `${method} got no answer within ${deadlineMs} ms`));
      }, deadlineMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.closeListeners.delete(closed);
      };
      this.closeListeners.add(closed);
      answer.then(
        (value) => {
          finish();
          resolve(value);
        },
        (error: unknown) => {
          finish();
          reject(error instanceof Error ? error : new Error(describeError(error)));
        },
      );
    });
  }
}

/** Its events are never told: what goes wrong with the socket, the socket itself tells. */
function frameWriter(socket: Socket): MessageWriter {
  const dispose = (): void => undefined;
  return {
    onError: () => ({ dispose }),
    onClose: () => ({ dispose }),
    write: (message) => {
      writeFrame(socket, message, limits.rpcBacklogBytes);
      return Promise.resolve();
    },
    end: () => socket.end(),
    dispose,
  };
}
