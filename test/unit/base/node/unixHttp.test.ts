// Asking over a real unix socket: every way that a call can end.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSocket, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { askSocket, followSocket, type SocketAnswer } from "../../../../base/node/unixHttp.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

async function served(t: TestContext, listener: RequestListener): Promise<string> {
  const socket = join(scratchFolder(t), "s");
  const server = createServer(listener);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return socket;
}

async function raw(t: TestContext, onSocket: (socket: Socket) => void): Promise<string> {
  const path = join(scratchFolder(t), "s");
  const open = new Set<Socket>();
  const server = createSocket((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => onSocket(socket));
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

const ask = (socket: string, more: Partial<Parameters<typeof askSocket>[0]> = {}): Promise<SocketAnswer> =>
  askSocket({ socket, method: "GET", path: "/x", deadlineMs: 5_000, answerLimitBytes: 1_000, ...more });

describe("a call over a unix socket", () => {
  it("gives status and body, and sends its own as JSON", async (t) => {
    const socket = await served(t, (request, response) => {
      request.setEncoding("utf8");
      request.on("data", (text: string) => response.writeHead(201).end(`${request.method} ${request.url} ${text}`));
    });
    const answer = await ask(socket, { method: "POST", body: { a: 1 } });
    assert.ok(answer.kind === "answered");
    assert.deepEqual([answer.status, answer.body.toString()], [201, 'POST /x {"a":1}']);
  });

  it("reads an answer that ends with its connection", async (t) => {
    const socket = await raw(t, (each) => each.end("HTTP/1.1 200 OK\r\n\r\nabc"));
    const answer = await ask(socket);
    assert.ok(answer.kind === "answered");
    assert.equal(answer.body.toString(), "abc");
  });

  it("says that nobody is there, and of what kind that is", async (t) => {
    const answer = await ask(join(scratchFolder(t), "none"));
    assert.ok(answer.kind === "not-connected");
    assert.equal(answer.code, "ENOENT");
  });

  it("ends at its deadline, whether nothing comes or it never stops coming", async (t) => {
    const silent = await raw(t, () => undefined);
    const endless = await raw(t, (each) => {
      each.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => each.write("x"), 5);
      each.once("close", () => clearInterval(timer));
    });
    for (const socket of [silent, endless])
      assert.deepEqual(await ask(socket, { deadlineMs: 60 }), { kind: "timed-out", deadlineMs: 60 });
  });

  it("ends where the answer is too large, is none, breaks off, or wants the connection", async (t) => {
    const kinds = {
      "too-large": "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n" + "x".repeat(5_000),
      broken: "hello\r\n\r\n",
    };
    for (const [kind, text] of Object.entries(kinds))
      assert.equal((await ask(await raw(t, (each) => each.end(text)))).kind, kind);
    for (const text of [
      "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nx",
      "HTTP/1.1 101 UPGRADED\r\nconnection: upgrade\r\nupgrade: tcp\r\n\r\n",
    ])
      assert.equal((await ask(await raw(t, (each) => each.end(text)))).kind, "broken", text);
  });
});

describe("lines that are followed over a unix socket", () => {
  const follow = (socket: string): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const lines: string[] = [];
      followSocket({
        socket,
        path: "/e",
        lineLimitBytes: 100,
        onLine: (line) => lines.push(line),
        onEnd: () => resolve(lines),
      });
    });

  it("come one by one, however they are cut, until the end", async (t) => {
    const socket = await served(t, (_request, response) => {
      response.write('{"a":1}\n{"b"');
      response.end(":2}\n");
    });
    assert.deepEqual(await follow(socket), ['{"a":1}', '{"b":2}']);
  });

  it("end where a line is too long, where the answer refuses, and where nobody is there", async (t) => {
    assert.deepEqual(await follow(await served(t, (_, response) => void response.write("x".repeat(200)))), []);
    assert.deepEqual(await follow(await served(t, (_, response) => void response.writeHead(500).end("x\n"))), []);
    assert.deepEqual(await follow(join(scratchFolder(t), "none")), []);
  });
});
