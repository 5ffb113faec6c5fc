// The one place that asks over HTTP, and only over a unix socket of this host: a deadline for the whole call, a bound on
// the answer, a connection of its own that is gone when the call is over. Every way it can end is a value of one union.
// What the answer means is for who asks.
import { request } from "node:http";
import { errorCode } from "../errors.ts";

export interface SocketCall {
  readonly socket: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly deadlineMs: number;
  readonly answerLimitBytes: number;
}

export type SocketAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Buffer }
  | { readonly kind: "not-connected"; readonly code: string | undefined; readonly says: string }
  | { readonly kind: "timed-out"; readonly deadlineMs: number }
  | { readonly kind: "too-large"; readonly limitBytes: number }
  | { readonly kind: "broken"; readonly says: string };

export function askSocket(call: SocketCall): Promise<SocketAnswer> {
  return new Promise((resolve) => {
    const text = call.body === undefined ? undefined : JSON.stringify(call.body);
    const asked = request({
      socketPath: call.socket,
      method: call.method,
      path: call.path,
      agent: false,
      headers: {
        host: "localhost",
        connection: "close",
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
      },
    });
    let connected = false;
    const end = (answer: SocketAnswer): void => {
      clearTimeout(timer);
      resolve(answer);
      asked.destroy();
    };
    const timer = setTimeout(() => end({ kind: "timed-out", deadlineMs: call.deadlineMs }), call.deadlineMs);
    asked.once("socket", (socket) => socket.once("connect", () => (connected = true)));
    asked.on("error", (error) =>
      end(
        connected
          ? { kind: "broken", says: error.message }
          : { kind: "not-connected", code: errorCode(error), says: error.message },
      ),
    );
    // Nobody takes over the connection: an engine that wants to is not understood.
    asked.once("upgrade", () => end({ kind: "broken", says: "the connection was to be taken over" }));
    asked.once("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > call.answerLimitBytes) end({ kind: "too-large", limitBytes: call.answerLimitBytes });
        else chunks.push(chunk);
      });
      response.on("error", (error) => end({ kind: "broken", says: error.message }));
      response.once("end", () => {
        if (!response.complete) end({ kind: "broken", says: "the answer broke off" });
        else end({ kind: "answered", status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
      });
    });
    asked.end(text);
  });
}

export interface FollowedSocket {
  readonly socket: string;
  readonly path: string;
  /** A longer line ends it. */
  readonly lineLimitBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once, when nothing more will come. */
  readonly onEnd: () => void;
}

/** Hears lines for as long as they come; it has no deadline, and its silence means nothing. Returns how to end it. */
export function followSocket({ socket, path, lineLimitBytes, onLine, onEnd }: FollowedSocket): () => void {
  const asked = request({ socketPath: socket, method: "GET", path, agent: false, headers: { host: "localhost" } });
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    asked.destroy();
    onEnd();
  };
  asked.on("error", end);
  asked.once("upgrade", end);
  asked.once("response", (response) => {
    if (response.statusCode !== 200) return end();
    let rest = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (!ended) onLine(line);
      if (rest.length > lineLimitBytes) end();
    });
    response.on("error", end);
    response.once("close", end);
  });
  asked.end();
  return end;
}

/** What happened, for people. */
export function socketWords(answer: Exclude<SocketAnswer, { kind: "answered" }>): string {
  switch (answer.kind) {
    case "not-connected":
      return answer.says;
    case "timed-out":
      return `no answer within ${answer.deadlineMs} ms`;
    case "too-large":
      return `more than ${answer.limitBytes} bytes of answer`;
    case "broken":
      return answer.says;
  }
}
