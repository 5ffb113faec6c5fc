// The agent's life, with real processes: it is one, it comes back with what it knew, it ends in order, and neither
// a damaged file nor a client that misbehaves ends it.
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { lockState } from "../../base/node/lock.ts";
import { limits } from "../../base/limits.ts";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { until } from "../support/claude/until.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { StandInWorld, type StandIn } from "../support/rollcall/standIn.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const deadlineMs = 20_000;

class Life {
  readonly standIns = new StandInWorld();
  readonly rollcall = new RollcallWorld({ configDirs: [this.standIns.configDir] });
  private readonly followers: Follower[] = [];
  private sessions = 0;

  constructor(t: TestContext) {
    t.after(async () => {
      for (const follower of this.followers) follower.close();
      try {
        await this.rollcall.close();
      } finally {
        await this.standIns.close();
      }
    });
  }

  get lastKnown(): string {
    return join(this.rollcall.dataDir, "last-known.json");
  }

  get lock(): string {
    return join(this.rollcall.dataDir, "agent.lock");
  }

  start(name: string): StandIn {
    this.sessions += 1;
    return this.standIns.start(`0000000${this.sessions}-0000-4000-8000-000000000000`, { status: "busy", name });
  }

  async follow(): Promise<Follower> {
    const follower = await Follower.connect(this.rollcall.socket, [this.standIns.configDir]);
    this.followers.push(follower);
    return follower;
  }

  client(): Promise<AgentClient> {
    const identity = { name: "test", version: "0", configDirs: [this.standIns.configDir] };
    return AgentClient.connect(this.rollcall.socket, identity, () => undefined);
  }

  /** Until what the agent leaves behind names all of these. */
  async isRemembered(...sessions: readonly StandIn[]): Promise<void> {
    await until(
      "they are written down",
      () => {
        if (!existsSync(this.lastKnown)) return false;
        const text = readFileSync(this.lastKnown, "utf8");
        return sessions.every(({ id }) => text.includes(id));
      },
      { deadlineMs },
    );
  }

  async rawSocket(): Promise<Socket> {
    const socket = connect(this.rollcall.socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  }
}

function rowOf(roster: Roster, { id }: StandIn): Session | undefined {
  return roster.sessions.find((row) => row.id === id);
}

const isLive =
  (...sessions: readonly StandIn[]) =>
  (roster: Roster): boolean =>
    sessions.every((session) => rowOf(roster, session)?.liveness.kind === "live");

const hasEnded =
  (session: StandIn) =>
  (roster: Roster): boolean =>
    rowOf(roster, session)?.liveness.kind === "ended";

/** Processes of this agent's program with this data folder, by their own environment. */
function agentsOf(dataDir: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent.cjs") &&
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(`ROLLCALL_DATA_DIR=${dataDir}\0`)
        );
      } catch {
        return false;
      }
    });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function frame(message: unknown): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe("the agent's beginning", { timeout: 120_000 }, () => {
  test("commands that start it at the same instant share one agent", async (t) => {
    const life = new Life(t);
    const session = life.start("shared");
    const rosters = await Promise.all([1, 2, 3].map(() => life.rollcall.roster()));
    for (const roster of rosters) assert.ok(rowOf(roster, session) !== undefined);
    const { dataDir } = life.rollcall;
    await until("one is left", () => agentsOf(dataDir).length === 1, { deadlineMs, seen: () => agentsOf(dataDir) });
    assert.deepEqual(lockState(life.lock), { kind: "held", pid: agentsOf(dataDir)[0] });
  });

  test("one that is started beside another one says who runs, and leaves it alone", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    const second = await life.rollcall.run(["agent", "run"]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`held by process ${agent.pid}`));
    (await life.client()).dispose();
  });

  test("its socket is for this user only, in a folder of this user only", async (t) => {
    const life = new Life(t);
    await life.rollcall.startAgent();
    const { socket, dataDir } = life.rollcall;
    assert.ok(lstatSync(socket).isSocket());
    assert.equal(lstatSync(socket).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(socket)).mode & 0o777, 0o700);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });

  for (const mode of [0o755, 0o770, 0o701]) {
    test(`a socket's folder of mode ${mode.toString(8)} is refused, and its log says so`, async (t) => {
      const life = new Life(t);
      const folder = dirname(life.rollcall.socket);
      mkdirSync(folder);
      chmodSync(folder, mode);
      const { code, stderr } = await life.rollcall.run(["agent", "run"]);
      assert.equal(code, 1);
      assert.match(stderr, /is not a folder of this user alone; remove it or set ROLLCALL_SOCKET/);
      assert.match(life.rollcall.log(), /is not a folder of this user alone/);
      assert.deepEqual([existsSync(life.rollcall.socket), lockState(life.lock).kind], [false, "free"]);
    });
  }

  test("a socket that a killed agent left is taken over", async (t) => {
    const life = new Life(t);
    await life.rollcall.stopAgent(await life.rollcall.startAgent(), "SIGKILL");
    assert.ok(existsSync(life.rollcall.socket));
    await assert.rejects(life.client(), { kind: "agent-not-running" });
    await life.rollcall.startAgent();
    (await life.client()).dispose();
  });
});

describe("an agent that was killed", { timeout: 120_000 }, () => {
  test("is followed by one with the same rows; a session killed meanwhile has ended, one of meanwhile lives", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    const stays = life.start("stays");
    const killed = life.start("killed");
    const follower = await life.follow();
    await follower.waitFor("both live", isLive(stays, killed), deadlineMs);
    await life.isRemembered(stays, killed);
    const before = follower.roster.sessions.map(({ key, title }) => [key, title]).sort();

    await life.rollcall.stopAgent(agent, "SIGKILL");
    await killed.kill();
    const late = life.start("late");
    const roster = await life.rollcall.roster();
    const kept = roster.sessions.filter(({ id }) => id !== late.id).map(({ key, title }) => [key, title]);
    assert.deepEqual(kept.sort(), before);
    const next = await life.follow();
    await next.waitFor("the killed one ended", hasEnded(killed), deadlineMs);
    assert.equal(rowOf(next.roster, killed)?.liveness.how, "killed");
    await next.waitFor("the others live", isLive(stays, late), deadlineMs);
  });
});

describe("the agent's end", { timeout: 120_000 }, () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`${signal} ends it in order: nothing is left but what it knew`, async (t) => {
      const life = new Life(t);
      const agent = await life.rollcall.startAgent();
      const session = life.start("remembered");
      const follower = await life.follow();
      await follower.waitFor("it lives", isLive(session), deadlineMs);
      await life.rollcall.stopAgent(agent, signal);
      assert.deepEqual([agent.exitCode, agent.signalCode], [0, null]);
      assert.deepEqual([existsSync(life.rollcall.socket), lockState(life.lock).kind], [false, "free"]);
      assert.ok(readFileSync(life.lastKnown, "utf8").includes(session.id));
      assert.deepEqual(readdirSync(life.rollcall.dataDir).sort(), ["last-known.json", "logs"]);
      assert.match(life.rollcall.log(), new RegExp(`agent ends: ${signal}[^]*agent ended`));
    });
  }

  test("by a client leaves its answer time to arrive", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    const exit = once(agent, "exit");
    const { code, stdout } = await life.rollcall.run(["agent", "stop"]);
    assert.deepEqual([code, stdout], [0, "the agent has ended\n"]);
    assert.deepEqual(await exit, [0, null]);
  });
});

describe("what the last agent left, damaged", { timeout: 120_000 }, () => {
  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ["torn", (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ["garbage", (path) => writeFileSync(path, Buffer.alloc(5_000, 0xfe))],
    ["huge", (path) => truncateSync(path, limits.lastKnownBytes * 4)],
    ["of a later version", (path) => writeFileSync(path, '{"version":99}')],
    [
      "a folder",
      (path) => {
        renameSync(path, `${path}.aside`);
        mkdirSync(path);
      },
    ],
  ];
  for (const [what, damage] of damages) {
    test(`${what}: the agent starts, says so in its log, and has the rows from its sources`, async (t) => {
      const life = new Life(t);
      const session = life.start("from its record");
      const agent = await life.rollcall.startAgent();
      await (await life.follow()).waitFor("it lives", isLive(session), deadlineMs);
      await life.rollcall.stopAgent(agent);
      damage(life.lastKnown);
      await life.rollcall.startAgent();
      await (await life.follow()).waitFor("it lives again", isLive(session), deadlineMs);
      assert.match(life.rollcall.log(), /warn what an earlier agent knew could not be read: /);
      assert.ok(existsSync(`${life.lastKnown}.unread`), "a later version finds it again");
    });
  }
});

describe("sources that do not answer after a restart", { timeout: 120_000 }, () => {
  const withTranscript = (life: Life, session: StandIn): void => {
    const folder = join(life.standIns.configDir, "projects", "-app");
    mkdirSync(folder, { recursive: true });
    const line = { type: "user", timestamp: new Date().toISOString(), cwd: "/app", message: { content: "do it" } };
    writeFileSync(join(folder, `${session.id}.jsonl`), `${JSON.stringify(line)}\n`);
  };
  const hide: readonly (readonly [string, (configDir: string) => void])[] = [
    ["a config folder that is gone", (configDir) => renameSync(configDir, `${configDir}.away`)],
    [
      "a config folder with a file in the place of each source",
      (configDir) => {
        for (const name of ["sessions", "projects"]) {
          renameSync(join(configDir, name), join(configDir, `${name}.away`));
          writeFileSync(join(configDir, name), "");
        }
      },
    ],
  ];
  for (const [what, conceal] of hide) {
    test(`${what}: the remembered rows stay, and the source is shown as it is`, async (t) => {
      const life = new Life(t);
      const live = life.start("lives on");
      const ended = life.start("had ended");
      for (const session of [live, ended]) withTranscript(life, session);
      const agent = await life.rollcall.startAgent();
      const follower = await life.follow();
      await follower.waitFor("both live", isLive(live, ended), deadlineMs);
      await ended.kill();
      await follower.waitFor("one ended", hasEnded(ended), deadlineMs);
      await life.rollcall.stopAgent(agent);

      conceal(life.standIns.configDir);
      await life.rollcall.startAgent();
      const next = await life.follow();
      await next.waitFor("the process is seen", isLive(live), deadlineMs);
      assert.equal(rowOf(next.roster, live)?.title, "lives on");
      const row = rowOf(next.roster, ended);
      assert.ok(row !== undefined, "the row of the ended one stays");
      assert.equal(row.liveness.kind, "ended");
      const { code, stdout } = await life.rollcall.run(["why", ended.id]);
      assert.equal(code, 0);
      assert.match(stdout, /Evidence/);
    });
  }
});

describe("clients that misbehave", { timeout: 120_000 }, () => {
  const sent: readonly (readonly [string, string | Buffer])[] = [
    ["garbage", Buffer.alloc(100_000, 0xfe)],
    ["HTTP", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["an oversized frame", `Content-Length: ${limits.rpcMessageBytes + 1}\r\n\r\n`],
    ["a frame that is no JSON", "Content-Length: 5\r\n\r\n{torn"],
  ];

  test("are cut off, each alone: the others hear on", async (t) => {
    const life = new Life(t);
    await life.rollcall.startAgent();
    const follower = await life.follow();
    for (const [what, bytes] of sent) {
      const socket = await life.rawSocket();
      const gone = closed(socket);
      socket.write(bytes);
      socket.resume();
      await gone;
      const session = life.start(what);
      await follower.waitFor(`a session after ${what}`, isLive(session), deadlineMs);
    }
  });

  test("with calls beside the contract are refused each, and go on", async (t) => {
    const life = new Life(t);
    await life.rollcall.startAgent();
    const socket = await life.rawSocket();
    let heard = "";
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    socket.write(frame({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "one" } }));
    socket.write(frame({ jsonrpc: "2.0", id: 2, method: "roster/get", params: { all: "yes" } }));
    socket.write(frame({ jsonrpc: "2.0", id: 3, method: "roster/burn", params: {} }));
    socket.write(frame({ jsonrpc: "2.0", id: 4, method: "agent/health", params: {} }));
    await until("the last answer", () => heard.includes('"uptimeMs"'), { deadlineMs, seen: () => heard });
    for (const id of [1, 2, 3]) assert.match(heard, new RegExp(`"id":${id},"error"`));
    socket.destroy();
  });

  test("of another protocol version are refused with this one's, and may still end the agent to take its place", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    const exit = once(agent, "exit");
    const socket = await life.rawSocket();
    let heard = "";
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    const params = { protocolVersion: 99, client: { name: "later", version: "9" }, configDirs: [] };
    socket.write(frame({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    await until("the answer", () => heard.includes('"id":1'), { deadlineMs, seen: () => heard });
    assert.match(heard, /"error":.*this agent speaks protocol 1, the client 99; .*rollcall agent stop/);
    socket.write(frame({ jsonrpc: "2.0", id: 2, method: "agent/stop", params: {} }));
    assert.deepEqual(await exit, [0, null]);
  });
});

describe("an agent that hangs", { timeout: 120_000 }, () => {
  test("fails a call by its deadline, with a sentence, and answers again when it goes on", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    const client = await life.client();
    agent.kill("SIGSTOP");
    try {
      await assert.rejects(client.request("agent/health", {}, 300), {
        kind: "rpc-deadline",
        message: "agent/health got no answer within 300 ms",
      });
    } finally {
      agent.kill("SIGCONT");
    }
    assert.ok((await client.request("agent/health", {})).uptimeMs > 0);
    client.dispose();
  });

  test("costs a command its deadline, not for ever, and the command says what hangs", async (t) => {
    const life = new Life(t);
    const agent = await life.rollcall.startAgent();
    agent.kill("SIGSTOP");
    try {
      const { code, stdout, stderr } = await life.rollcall.run(["ls"]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^rollcall ls: the agent at .* did not answer within 10000 ms; .*\n$/);
    } finally {
      agent.kill("SIGCONT");
    }
    assert.equal((await life.rollcall.run(["ls"])).code, 0);
  });
});
