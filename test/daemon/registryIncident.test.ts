// The incident that must be impossible: an unreadable registry taken for an empty one, and written over. Two sandboxes
// are recorded, the file is damaged in every way that is known, a write for one of them fails and leaves every byte,
// and the other one is there once the file can be read. With the command a user runs, with and without an agent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { registryIntentsJsonSchema } from "../../protocol/registryJson.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { repositoryRoot, RollcallWorld, type CommandResult } from "../support/rollcall/world.ts";

const cli = join(repositoryRoot, "dist", "rollcall.cjs");
const deadlineMs = 20_000;
const idA = "aaaaaaaa-0000-4000-8000-000000000000";
const idB = "bbbbbbbb-0000-4000-8000-000000000000";
const idNew = "cccccccc-0000-4000-8000-000000000000";

class Recorded {
  readonly rollcall: RollcallWorld;
  readonly registry: string;
  private readonly followers: Follower[] = [];

  constructor(t: TestContext) {
    this.rollcall = new RollcallWorld({ configDirs: [], env: { ROLLCALL_CONFIG_DIRS: "/nonexistent/rollcall" } });
    this.registry = join(this.rollcall.dataDir, "sandbox-sessions.json");
    t.after(async () => {
      for (const follower of this.followers) follower.close();
      await this.rollcall.close();
    });
  }

  run(...args: readonly string[]): Promise<CommandResult> {
    return this.rollcall.run(["registry", ...args]);
  }

  async two(): Promise<void> {
    for (const [sandbox, id] of [
      ["a", idA],
      ["b", idB],
    ] as const)
      assert.equal((await this.run("put", sandbox, "--session", id, "--cwd", `/work-of-${sandbox}`)).code, 0);
  }

  async follow(): Promise<Follower> {
    await this.rollcall.startAgent();
    const follower = await Follower.connect(this.rollcall.socket, []);
    this.followers.push(follower);
    return follower;
  }

  /** Ids by sandbox, as `registry show` has them. */
  async shown(): Promise<Readonly<Record<string, readonly string[]>>> {
    const { code, stdout, stderr } = await this.run("show", "--json");
    assert.equal(code, 0, stderr);
    const { sandboxes } = JSON.parse(stdout) as { sandboxes: { name: string; sessions: { id: string }[] }[] };
    return Object.fromEntries(sandboxes.map(({ name, sessions }) => [name, sessions.map(({ id }) => id)]));
  }
}

const writes: readonly (readonly [string, readonly string[]])[] = [
  ["put", ["put", "a", "--session", idNew]],
  ["replace", ["replace", "a", "--from", "-"]],
  ["replace --empty", ["replace", "a", "--from", "-", "--empty"]],
  ["forget", ["forget", idA]],
  ["depart", ["depart", idA]],
];

/** With entries on its standard input. */
async function runWithInput(world: RollcallWorld, args: readonly string[], input: string): Promise<CommandResult> {
  const child = spawn(process.execPath, [cli, "registry", ...args], { env: world.env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

interface Damage {
  readonly name: string;
  readonly cause: RegExp;
  readonly apply: (file: string) => void;
}

/** Each further one is tried on the store itself, in its unit test. */
const damages: readonly Damage[] = [
  {
    name: "cut to half its bytes",
    cause: /torn/,
    apply: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  },
  { name: "zero bytes", cause: /zero bytes/, apply: (file) => truncateSync(file, 0) },
  { name: "vanished after it was seen", cause: /gone after having been seen/, apply: (file) => rmSync(file) },
];

/** What stands at a path, to its last byte. */
function standing(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "nothing";
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  return stats.isFile() ? readFileSync(file, "latin1") : `mode ${stats.mode}`;
}

describe("a registry that cannot be read", { timeout: 600_000 }, () => {
  for (const { name, cause, apply } of damages) {
    test(`${name}: no write touches it, and the other sandbox is there afterwards`, async (t) => {
      const world = new Recorded(t);
      await world.two();
      const kept = `${world.registry}.kept`;
      copyFileSync(world.registry, kept);
      apply(world.registry);
      const damaged = standing(world.registry);
      for (const [write, args] of writes.slice(0, name.startsWith("cut to half") ? undefined : 1)) {
        const input = write === "replace" ? JSON.stringify([{ session_id: idNew }]) : "[]";
        const { code, stdout, stderr } = await runWithInput(world.rollcall, args, input);
        assert.deepEqual([code, stdout], [1, ""], write);
        assert.match(stderr, /^rollcall registry: the registry .* cannot be read .*\n$/, write);
        assert.match(stderr, cause, write);
        assert.equal(standing(world.registry), damaged, write);
      }
      const { sources, sessions, sandboxes } = await world.rollcall.roster("--once");
      const rows = sessions.map(({ id, sandbox, registry, liveness }) => [
        id,
        sandbox,
        registry.recorded,
        liveness.stale,
      ]);
      assert.deepEqual(rows.sort(), [
        [idA, "a", true, true],
        [idB, "b", true, true],
      ]);
      for (const { evidence } of sessions)
        assert.ok(
          evidence.some(({ source, says }) => source === "registry" && cause.test(says)),
          JSON.stringify(evidence),
        );
      assert.deepEqual(
        // The host may have others.
        sandboxes.filter(({ name }) => ["a", "b"].includes(name)).map(({ name, stale }) => [name, stale]),
        [
          ["a", true],
          ["b", true],
        ],
      );
      const source = sources.find(({ id }) => id === "registry");
      assert.equal(source?.state, "unobserved");
      assert.match(source.cause ?? "", cause);
      assert.equal((await world.run("show")).code, 1);
      assert.equal((await world.run("verify")).code, 1);

      rmSync(world.registry, { recursive: true, force: true });
      copyFileSync(kept, world.registry);
      assert.deepEqual(await world.shown(), { a: [idA], b: [idB] });
      const { waiting } = registryIntentsJsonSchema.parse(JSON.parse((await world.run("intents", "--json")).stdout));
      assert.ok(waiting.length > 0);
      for (const { intent } of waiting) assert.equal((await world.run("cancel-intent", `${intent}`)).code, 0);
      assert.equal((await world.run("put", "a", "--session", idNew)).code, 0);
      assert.deepEqual(await world.shown(), { a: [idA, idNew], b: [idB] });
    });
  }

  test("its rows are those of the newest kept generation where its journal is gone", async (t) => {
    const world = new Recorded(t);
    await world.two();
    rmSync(join(world.rollcall.dataDir, "journal"), { recursive: true });
    truncateSync(world.registry, Math.floor(statSync(world.registry).size / 2));
    const { sessions } = await world.rollcall.roster("--once");
    // It is the one that the second write replaced.
    assert.deepEqual(
      sessions.map(({ id, liveness }) => [id, liveness.stale]),
      [[idA, true]],
    );
  });

  test("EIO: no write touches it", async (t) => {
    const world = new Recorded(t);
    await world.two();
    const before = standing(world.registry);
    // The memory of a process is a regular file whose first byte cannot be read.
    const script = `mount --bind /proc/$$/mem "$1" && shift && exec "$@"`;
    const put = [process.execPath, cli, "registry", "put", "a", "--session", idNew];
    const child = spawn(
      "unshare",
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", world.registry, ...put],
      {
        env: world.rollcall.env,
      },
    );
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 1);
    assert.match(stderr, /cannot be read \(.*EIO/);
    assert.equal(standing(world.registry), before);
    assert.deepEqual(await world.shown(), { a: [idA], b: [idB] });
  });

  test("a mount point of its own: every write fails, and keeps no content for nothing", async (t) => {
    const world = new Recorded(t);
    await world.two();
    const before = standing(world.registry);
    const generations = (): readonly string[] => readdirSync(`${world.registry}.generations`);
    const keptBefore = generations();
    const script = 'mount --bind "$1" "$1" && shift && for n in 1 2 3; do "$@"; done';
    const put = [process.execPath, cli, "registry", "put", "a", "--session", idNew];
    const child = spawn(
      "unshare",
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", world.registry, ...put],
      { env: world.rollcall.env },
    );
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 1);
    assert.match(stderr, /could not be written \(EBUSY: .*\); it stays as it is/);
    assert.equal(standing(world.registry), before);
    assert.deepEqual(generations(), keptBefore);
    assert.deepEqual(
      readdirSync(world.rollcall.dataDir).filter((name) => /\.(tmp|lock)/.test(name)),
      [],
    );
  });

  test("of another user's, or in a folder that may not be read: no write touches it", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("needs root, to become another user");
    const world = new Recorded(t);
    await world.two();
    const nobody = 65_534;
    const { root, dataDir, env } = world.rollcall;
    chmodSync(root, 0o755);
    const putAsNobody = async (): Promise<CommandResult> => {
      const child = spawn(process.execPath, [cli, "registry", "put", "a", "--session", idNew], {
        env,
        uid: nobody,
        gid: nobody,
      });
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const [code] = (await once(child, "close")) as [number];
      return { code, stdout: "", stderr };
    };
    const before = standing(world.registry);
    const everything = [
      dataDir,
      ...readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name))),
    ];
    for (const path of everything) chownSync(path, nobody, nobody);
    chownSync(world.registry, 0, 0);
    chmodSync(world.registry, 0o600);
    const file = await putAsNobody();
    assert.equal(file.code, 1);
    assert.match(file.stderr, /cannot be read \(.*EACCES/);
    chmodSync(dataDir, 0o300);
    rmSync(join(dataDir, "seen"), { recursive: true });
    rmSync(`${world.registry}.generations`, { recursive: true });
    renameSync(world.registry, `${world.registry}.away`);
    const folder = await putAsNobody();
    assert.equal(folder.code, 1);
    assert.match(folder.stderr, /its folder cannot be read/);
    assert.equal(standing(world.registry), "nothing");
    renameSync(`${world.registry}.away`, world.registry);
    assert.equal(standing(world.registry), before);
  });

  test("of a newer version is read and shown, and never written", async (t) => {
    const world = new Recorded(t);
    await world.two();
    writeFileSync(world.registry, readFileSync(world.registry, "utf8").replace('"version": 1', '"version": 2'));
    const before = standing(world.registry);
    for (const [write, args] of writes) {
      const { code, stderr } = await runWithInput(world.rollcall, args, '[{"session_id":"x"}]');
      assert.equal(code, 1, write);
      assert.match(stderr, /has version 2, of which only 1 can be written/, write);
    }
    assert.equal(standing(world.registry), before);
    assert.deepEqual(await world.shown(), { a: [idA], b: [idB] });
    const { sessions } = await world.rollcall.roster("--once");
    assert.deepEqual(sessions.map(({ id }) => id).sort(), [idA, idB]);
  });

  test("while an agent runs: the write fails through it, and the rows stay, stale, over its restart too", async (t) => {
    const world = new Recorded(t);
    await world.two();
    const follower = await world.follow();
    const rowB = (roster: Follower["roster"]) => roster.sessions.find(({ id }) => id === idB);
    await follower.waitFor("b's session", (roster) => rowB(roster)?.registry.recorded === true, deadlineMs);
    const whole = readFileSync(world.registry);
    truncateSync(world.registry, Math.floor(whole.length / 2));
    const damaged = standing(world.registry);
    const { code, stderr } = await world.run("put", "a", "--session", idNew);
    assert.equal(code, 1);
    assert.match(stderr, /^rollcall registry: the registry .* cannot be read \(torn.*\n$/);
    assert.equal(standing(world.registry), damaged);
    const isStale = (roster: Follower["roster"]): boolean =>
      rowB(roster)?.liveness.stale === true && roster.sandboxes.find(({ name }) => name === "b")?.stale === true;
    await follower.waitFor("b's row, stale", isStale, deadlineMs);

    follower.close();
    await world.run("show");
    await world.rollcall.run(["agent", "stop"]);
    const next = await world.follow();
    await next.waitFor("b's row of the earlier agent", (roster) => rowB(roster)?.liveness.stale === true, deadlineMs);
    writeFileSync(world.registry, whole);
    await next.waitFor("b's row, read again", (roster) => rowB(roster)?.liveness.stale === false, deadlineMs);
  });
});

describe("a registry that was never written", { timeout: 120_000 }, () => {
  test("is honestly empty, and its first write succeeds", async (t) => {
    const world = new Recorded(t);
    const { stdout, code } = await world.run("show");
    assert.equal(code, 0);
    assert.match(stdout, /never written/);
    const { sources, sessions } = await world.rollcall.roster("--once");
    assert.equal(sources.find(({ id }) => id === "registry")?.state, "absent");
    assert.deepEqual(sessions, []);
    assert.equal(existsSync(world.registry), false);
    assert.equal((await world.run("put", "a", "--session", idA)).code, 0);
    assert.deepEqual(await world.shown(), { a: [idA] });
  });

  test("in a folder that somebody named and that is not there is unreadable: a share may be gone", async (t) => {
    const world = new Recorded(t);
    const env = { ROLLCALL_REGISTRY: join(world.rollcall.root, "share", "sandbox-sessions.json") };
    const put = ["registry", "put", "a", "--session", idA];
    const { code, stderr } = await world.rollcall.run(put, env);
    assert.equal(code, 1);
    assert.match(stderr, /its folder cannot be read/);
    mkdirSync(join(world.rollcall.root, "share"));
    assert.equal((await world.rollcall.run(put, env)).code, 0);
  });
});

describe("writers at the same time", { timeout: 300_000 }, () => {
  test("many commands lose nothing", async (t) => {
    const world = new Recorded(t);
    await world.two();
    const ids = Array.from({ length: 6 }, (_, index) => `many-${index}`);
    const results = await Promise.all(ids.map((id, index) => world.run("put", `s${index % 3}`, "--session", id)));
    for (const { code, stderr } of results) assert.equal(code, 0, stderr);
    const shown = await world.shown();
    assert.deepEqual(Object.values(shown).flat().sort(), [idA, idB, ...ids].sort());
    assert.deepEqual(
      readdirSync(world.rollcall.dataDir).filter((name) => /\.(tmp|lock)/.test(name)),
      [],
    );
  });

  test("one that is killed at any moment leaves the old content or the new one", async (t) => {
    const world = new Recorded(t);
    await world.two();
    for (let round = 0; round < 6; round += 1) {
      const before = await world.shown();
      const id = `killed-${round}`;
      const child = spawn(process.execPath, [cli, "registry", "put", "a", "--session", id], {
        env: world.rollcall.env,
      });
      const closed = once(child, "close");
      const timer = setTimeout(() => child.kill("SIGKILL"), 120 + round * 60);
      await closed;
      clearTimeout(timer);
      const after = await world.shown();
      const whole = { ...before, a: [...(before["a"] ?? []), id] };
      assert.ok(
        [before, whole].some((each) => JSON.stringify(each) === JSON.stringify(after)),
        JSON.stringify(after),
      );
    }
    assert.equal((await world.run("put", "a", "--session", "last")).code, 0);
  });
});
