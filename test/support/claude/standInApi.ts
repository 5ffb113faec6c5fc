// A stand-in for the Messages API on the loopback, good enough for the real agent's TUI and print mode: no
// account, no outside network, and a test decides how long an answer takes. What is answered is script.ts.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, answerFor, type ApiRequest, type Gate, type ToolCall } from "./script.ts";
import { until } from "./until.ts";

const REQUEST_LIMIT = 500;
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

export interface StandInApi {
  readonly url: string;
  /** `METHOD path status-or-answer` of the latest requests, oldest first. */
  readonly log: readonly string[];
  /** Waits until a request with this keyword is being held. */
  waitForHeld(gate: Gate, deadlineMs?: number): Promise<void>;
  /** Lets every held request with this keyword finish; throws when none is held. */
  release(gate: Gate): void;
  close(): Promise<void>;
}

interface Held {
  readonly gate: Gate;
  finish(): void;
}

export async function startStandInApi(): Promise<StandInApi> {
  const log: string[] = [];
  const held = new Set<Held>();
  const server = createServer((request, response) => {
    handle(request, response, { held, note: (line) => note(log, line) }).catch((cause: unknown) => {
      note(log, `failed: ${String(cause)}`);
      response.destroy();
    });
  });
  const url = await listen(server);
  return {
    url,
    log,
    waitForHeld: (gate, deadlineMs = 10_000) =>
      until(`a held request "${gate}"`, () => [...held].some((one) => one.gate === gate), { deadlineMs }).then(
        () => undefined,
      ),
    release: (gate) => {
      const matching = [...held].filter((one) => one.gate === gate);
      if (matching.length === 0) throw new Error(`no request "${gate}" is held; wait for it with waitForHeld first`);
      for (const one of matching) one.finish();
    },
    close: () => close(server),
  };
}

interface Context {
  readonly held: Set<Held>;
  readonly note: (line: string) => void;
}

async function handle(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const body = await readBody(request);
  if (request.method !== "POST" || !path.startsWith("/v1/messages")) {
    context.note(`${request.method} ${path} 404`);
    sendJson(response, 404, apiError("not_found_error", "the stand-in has no such endpoint"));
    return;
  }
  if (path.endsWith("/count_tokens")) {
    context.note(`${request.method} ${path} 200`);
    sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
    return;
  }
  const wanted = JSON.parse(body) as ApiRequest;
  const answer = answerFor(wanted);
  context.note(`${request.method} ${path} ${answer.kind}${answer.kind === "held" ? ` ${answer.gate}` : ""}`);
  if (answer.kind === "error") {
    sendError(response, answer);
    return;
  }
  if (wanted.stream === true) return sendStream(response, wanted, answer, context.held);
  sendJson(response, 200, wholeMessage(wanted, answer));
}

async function sendStream(
  response: ServerResponse,
  wanted: ApiRequest,
  answer: Exclude<Answer, { kind: "error" }>,
  held: Set<Held>,
): Promise<void> {
  if (answer.kind === "held" && answer.before === "") await hold(response, answer.gate, held);
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": nextId("req") });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const message = { ...emptyMessage(wanted), stop_reason: null };
  send("message_start", { message });
  let index = 0;
  const texts = answer.kind === "held" ? [answer.before, answer.after] : [answer.text];
  send("content_block_start", { index, content_block: { type: "text", text: "" } });
  for (const [position, text] of texts.entries()) {
    if (position > 0 && answer.kind === "held" && answer.before !== "") await hold(response, answer.gate, held);
    for (const word of text.match(/\S+\s*/g) ?? []) {
      send("content_block_delta", { index, delta: { type: "text_delta", text: word } });
    }
  }
  send("content_block_stop", { index });
  for (const call of callsOf(answer)) {
    index += 1;
    send("content_block_start", {
      index,
      content_block: { type: "tool_use", id: nextId("toolu"), name: call.name, input: {} },
    });
    send("content_block_delta", {
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
    });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: 12 },
  });
  send("message_stop", {});
  response.end();
}

/** Resolves when the test releases the gate; rejects quietly into the caller when the client hangs up. */
function hold(response: ServerResponse, gate: Gate, held: Set<Held>): Promise<void> {
  return new Promise((resolve, reject) => {
    const one: Held = {
      gate,
      finish: () => {
        held.delete(one);
        resolve();
      },
    };
    held.add(one);
    response.once("close", () => {
      held.delete(one);
      reject(new Error(`the client hung up while "${gate}" was held`));
    });
  });
}

function wholeMessage(wanted: ApiRequest, answer: Exclude<Answer, { kind: "error" }>): object {
  const text = answer.kind === "held" ? answer.before + answer.after : answer.text;
  const calls = callsOf(answer).map((call) => ({
    type: "tool_use",
    id: nextId("toolu"),
    name: call.name,
    input: call.input,
  }));
  return { ...emptyMessage(wanted), content: [{ type: "text", text }, ...calls], stop_reason: stopReason(answer) };
}

function emptyMessage(wanted: ApiRequest): object {
  return {
    id: nextId("msg"),
    type: "message",
    role: "assistant",
    model: wanted.model ?? "stand-in",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 30 },
  };
}

function callsOf(answer: Answer): readonly ToolCall[] {
  return answer.kind === "tools" ? answer.calls : [];
}

function stopReason(answer: Answer): string {
  return answer.kind === "tools" ? "tool_use" : "end_turn";
}

function sendError(response: ServerResponse, answer: Extract<Answer, { kind: "error" }>): void {
  response.setHeader("x-should-retry", "false");
  sendJson(response, answer.status, apiError(answer.type, answer.message));
}

function apiError(type: string, message: string): object {
  return { type: "error", error: { type, message } };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": nextId("req") });
  response.end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_LIMIT_BYTES) throw new Error(`request body above ${BODY_LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function note(log: string[], line: string): void {
  log.push(line);
  if (log.length > REQUEST_LIMIT) log.shift();
}

let lastId = 0;
function nextId(prefix: string): string {
  lastId += 1;
  // Unique across server starts too: usage is counted once per message id.
  return `${prefix}_standin${process.pid}x${Date.now().toString(36)}x${lastId}`;
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
