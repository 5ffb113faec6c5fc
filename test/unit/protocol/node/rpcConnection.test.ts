// One connection over a real socket: every call ends, with its result or with the one reason why not, and neither
// side can hurt the other.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { z } from "zod";
import { limits } from "../../../../base/limits.ts";
import { agentProtocolVersion } from "../../../../protocol/agentApi.ts";
import { AgentClient } from "../../../../protocol/node/agentClient.ts";
import { RpcConnection } from "../../../../protocol/node/rpcConnection.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { until } from "../../../support/claude/until.ts";

const double = { params: z.object({ value: z.number() }), result: z.object({ value: z.number() }) };
const blob = { params: z.object({ length: z.number() }), result: z.object({ text: z.string() }) };
const noParams = { params: z.strictObject({}), result: z.strictObject({}) };

function noFault(what: unknown, error?: unknown): never {
  throw new Error(`not expected: ${JSON.stringify(what)} ${String(error)}`);
}

/** A socket with both of its ends in this process. */
async function socketPair(t: TestContext): Promise<readonly [Socket, Socket]> {
  const path = join(scratchFolder(t), "socket");
  const server = createServer().listen(path);
  await once(server, "listening");
  const client = connect(path);
  const [[served]] = (await Promise.all([once(server, "connection"), once(client, "connect")])) as [[Socket], unknown];
  t.after(() => {
    client.destroy();
    served.destroy();
    server.close();
  });
  return [client, served];
}

async function pair(t: TestContext): Promise<{ readonly client: RpcConnection; readonly server: RpcConnection }> {
  const [client, server] = (await socketPair(t)).map((socket) => new RpcConnection(socket)) as [
    RpcConnection,
    RpcConnection,
  ];
  return { client, server };
}

/** A client whose server is the raw socket, which the test speaks for. */
async function rawServer(t: TestContext): Promise<{ readonly client: RpcConnection; readonly raw: Socket }> {
  const [socket, raw] = await socketPair(t);
  const client = new RpcConnection(socket);
  client.listen();
  return { client, raw };
}

async function rawClient(t: TestContext): Promise<{ readonly server: RpcConnection; readonly raw: Socket }> {
  const [raw, socket] = await socketPair(t);
  return { server: new RpcConnection(socket), raw };
}

const frame = (message: unknown): string => {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** Also by a fault. */
function ended(socket: Socket): Promise<void> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function closed(connection: RpcConnection): Promise<void> {
  return new Promise((resolve) => connection.onClose(resolve));
}

describe("a call", () => {
  it("is answered, and many at once each get their own answer", async (t) => {
    const { client, server } = await pair(t);
    server.handle("double", double, async ({ value }) => ({ value: value * 2 }), noFault);
    server.listen();
    client.listen();
    const values = Array.from({ length: 50 }, (_, index) => index);
    const answers = await Promise.all(values.map((value) => client.request("double", double, { value })));
    assert.deepEqual(
      answers,
      values.map((value) => ({ value: value * 2 })),
    );
  });

  it("of some megabytes arrives whole in both directions", async (t) => {
    const { client, server } = await pair(t);
    const echo = { params: z.object({ text: z.string() }), result: z.object({ text: z.string() }) };
    server.handle("echo", echo, (params) => params, noFault);
    server.listen();
    client.listen();
    const text = "日本".repeat(1_000_000);
    assert.equal((await client.request("echo", echo, { text })).text, text);
  });

  it("without an answer fails by its deadline, and the connection goes on", async (t) => {
    const { client, server } = await pair(t);
    let answerLate: () => void = () => undefined;
    server.handle(
      "late",
      noParams,
      () =>
        new Promise((resolve) => {
          answerLate = () => resolve({});
        }),
      noFault,
    );
    server.handle("double", double, ({ value }) => ({ value: value * 2 }), noFault);
    server.listen();
    client.listen();
    await assert.rejects(client.request("late", noParams, {}, 100), {
      kind: "rpc-deadline",
      message: "late got no answer within 100 ms",
    });
    answerLate();
    assert.deepEqual(await client.request("double", double, { value: 2 }), { value: 4 });
  });

  it("fails at once when the connection closes before its answer", async (t) => {
    const { client, raw } = await rawServer(t);
    raw.once("data", () => raw.destroy());
    await assert.rejects(client.request("double", double, { value: 1 }), { kind: "rpc-closed" });
    await assert.rejects(client.request("double", double, { value: 1 }), {
      kind: "rpc-closed",
      message: /could not call double/,
    });
  });

  it("fails as closed when its peer was gone before it was sent", async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const { client, raw } = await rawServer(t);
      raw.destroy();
      for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await assert.rejects(client.request("double", double, { value: 1 }), { kind: "rpc-closed" }, `round ${round}`);
    }
  });

  it("fails when its own side is closed", async (t) => {
    const { client, server } = await pair(t);
    server.handle("late", noParams, () => new Promise(() => undefined), noFault);
    server.listen();
    client.listen();
    const call = assert.rejects(client.request("late", noParams, {}), { kind: "rpc-closed" });
    client.dispose();
    await call;
    await closed(server);
  });

  it("of an unknown method is refused", async (t) => {
    const { client, server } = await pair(t);
    server.listen();
    client.listen();
    await assert.rejects(client.request("nothing", noParams, {}), {
      kind: "rpc-refused",
      message: /nothing was refused/,
    });
  });

  it("with parameters beside its contract is refused, and its handler not called", async (t) => {
    const { client, server } = await pair(t);
    server.handle("double", double, () => noFault("called"), noFault);
    server.listen();
    client.listen();
    const anything = { params: z.any(), result: z.any() };
    for (const params of [{ value: "2" }, {}, [1, 2], null])
      await assert.rejects(client.request("double", anything, params), {
        kind: "rpc-refused",
        message: /parameters do not fit its contract/,
      });
  });

  it("that is answered with something else than its contract says fails, and the connection goes on", async (t) => {
    const { client, server } = await pair(t);
    const loose = { params: z.any(), result: z.any() };
    server.handle("double", loose, ({ value }: { value: unknown }) => ({ value }), noFault);
    server.listen();
    client.listen();
    const wrong = { params: z.any(), result: double.result };
    await assert.rejects(client.request("double", wrong, { value: "4" }), { kind: "rpc-invalid" });
    assert.deepEqual(await client.request("double", wrong, { value: 4 }), { value: 4 });
  });

  it("whose handler throws is refused with its words, told to the server, and the connection goes on", async (t) => {
    const { client, server } = await pair(t);
    const faults: string[] = [];
    server.handle(
      "double",
      double,
      ({ value }) => {
        if (value === 1) throw new Error("one is not doubled");
        if (value === 2) return Promise.reject(new Error("nor is two"));
        return { value: value * 2 };
      },
      (method, error) => faults.push(`${method}: ${(error as Error).message}`),
    );
    server.listen();
    client.listen();
    await assert.rejects(client.request("double", double, { value: 1 }), {
      kind: "rpc-refused",
      message: /one is not doubled/,
    });
    await assert.rejects(client.request("double", double, { value: 2 }), {
      kind: "rpc-refused",
      message: /nor is two/,
    });
    assert.deepEqual(await client.request("double", double, { value: 3 }), { value: 6 });
    assert.deepEqual(faults, ["double: one is not doubled", "double: nor is two"]);
  });
});

describe("a notification", () => {
  it("that fits its schema is heard, another one is told as a fault", async (t) => {
    const { server, raw } = await rawClient(t);
    const heard: number[] = [];
    const faults: string[] = [];
    server.onNotification(
      "count",
      z.object({ value: z.number() }),
      ({ value }) => heard.push(value),
      (method) => faults.push(method),
    );
    server.listen();
    for (const value of [1, "two", 3]) raw.write(frame({ jsonrpc: "2.0", method: "count", params: { value } }));
    await until("all were heard", () => heard.length === 2, { deadlineMs: 5_000 });
    assert.deepEqual([heard, faults], [[1, 3], ["count"]]);
  });

  it("after the end is no fault", async (t) => {
    const { client, server } = await pair(t);
    client.listen();
    server.listen();
    client.dispose();
    client.notify("count", {});
    await closed(server);
    server.notify("count", {});
  });
});

describe("a peer that misbehaves", () => {
  for (const [what, sent] of [
    ["garbage", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a frame over the limit", `Content-Length: ${limits.rpcMessageBytes + 1}\r\n\r\n`],
    ["a header without an end", "x".repeat(10_000)],
    ["a frame that is no JSON", frame("{torn")],
  ] as const) {
    it(`with ${what} is cut off`, async (t) => {
      const { server, raw } = await rawClient(t);
      server.listen();
      const gone = ended(raw);
      raw.write(sent);
      await closed(server);
      await gone;
    });
  }

  it("with JSON that is no message is not answered, and nothing comes to harm", async (t) => {
    const { server, raw } = await rawClient(t);
    server.handle("double", double, ({ value }) => ({ value: value * 2 }), noFault);
    server.listen();
    for (const message of ["1", "null", "[]", '"x"', "{}", '{"id":9,"result":1}']) raw.write(frame(message));
    raw.write(frame({ jsonrpc: "2.0", id: 1, method: "double", params: { value: 2 } }));
    let answer = "";
    raw.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    await until("an answer or the end", () => answer.includes('"value":4') || raw.destroyed || raw.readableEnded, {
      deadlineMs: 5_000,
    });
  });

  it(
    "by not reading what it is told is cut off, and costs no more than its backlog",
    { timeout: 60_000 },
    async (t) => {
      const { server, raw } = await rawClient(t);
      raw.pause();
      server.listen();
      const end = { told: false };
      server.onClose(() => (end.told = true));
      const text = "x".repeat(1_000_000);
      const most = limits.rpcBacklogBytes / text.length + 20;
      let sent = 0;
      while (!end.told && sent < most * 2) {
        server.notify("blob", { text });
        sent += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(end.told, `it has taken ${sent} MB`);
      assert.ok(sent <= most, `it has taken ${sent} MB`);
    },
  );

  it("by asking on and on without reading the answers is cut off, too", { timeout: 60_000 }, async (t) => {
    const { server, raw } = await rawClient(t);
    raw.pause();
    let answered = 0;
    server.handle(
      "blob",
      blob,
      ({ length }) => {
        answered += 1;
        return { text: "x".repeat(length) };
      },
      () => undefined,
    );
    server.listen();
    const end = { told: false };
    server.onClose(() => (end.told = true));
    raw.on("error", () => undefined);
    const length = 1_000_000;
    const most = limits.rpcBacklogBytes / length + 20;
    for (let id = 1; id <= most * 2; id += 1)
      raw.write(frame({ jsonrpc: "2.0", id, method: "blob", params: { length } }));
    await until("its end", () => end.told, { deadlineMs: 30_000, seen: () => `${answered} answers` });
    assert.ok(answered <= most, `${answered} answers of 1 MB`);
  });
});

describe("a client of the agent", () => {
  const identity = { name: "test", version: "1", configDirs: [] };
  const serve = async (t: TestContext, serveOne: (socket: Socket) => void): Promise<string> => {
    const path = join(scratchFolder(t), "socket");
    const server = createServer(serveOne).listen(path);
    t.after(() => server.close());
    await once(server, "listening");
    return path;
  };
  const agentOf =
    (protocolVersion: number) =>
    (socket: Socket): void => {
      const rpc = new RpcConnection(socket);
      const loose = { params: z.any(), result: z.any() };
      const agent = { version: "9", pid: 1, startedAt: "2026-01-01T00:00:00.000Z", dataDir: "/d" };
      rpc.handle("initialize", loose, () => ({ protocolVersion, agent }), noFault);
      rpc.listen();
    };

  it("is told that no agent runs, where there is no socket and where nobody listens on it", async (t) => {
    await assert.rejects(AgentClient.connect(join(scratchFolder(t), "none"), identity, noFault), {
      kind: "agent-not-running",
    });
  });

  it("shakes hands with an agent of its own protocol", async (t) => {
    const client = await AgentClient.connect(await serve(t, agentOf(agentProtocolVersion)), identity, noFault);
    assert.equal(client.agent.version, "9");
    client.dispose();
  });

  it("refuses an agent of another protocol with a sentence that says what to do, and hangs up", async (t) => {
    let gone: Promise<unknown> | undefined;
    const path = await serve(t, (socket) => {
      gone = ended(socket);
      agentOf(agentProtocolVersion + 1)(socket);
    });
    await assert.rejects(AgentClient.connect(path, identity, noFault), {
      kind: "agent-incompatible",
      message: /speaks protocol 2, this client 1; close the older windows or run "rollcall agent stop"/,
    });
    await gone;
  });

  it("tells an agent that hangs up during the handshake as closed, whenever it does", async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const path = await serve(t, (socket) => {
        if (round % 2 === 0) socket.destroy();
        else socket.once("data", () => socket.destroy());
      });
      await assert.rejects(AgentClient.connect(path, identity, noFault), { kind: "rpc-closed" }, `round ${round}`);
    }
  });

  it("hangs up on an agent that tells changes beside the contract", async (t) => {
    let told: Promise<unknown> | undefined;
    const path = await serve(t, (socket) => {
      agentOf(agentProtocolVersion)(socket);
      told = ended(socket);
      socket.once("data", () =>
        socket.write(frame({ jsonrpc: "2.0", method: "roster/changed", params: { upsert: 1 } })),
      );
    });
    await AgentClient.connect(path, identity, noFault).catch((error: unknown) =>
      assert.equal((error as { kind?: string }).kind, "rpc-closed"),
    );
    await told;
  });
});
