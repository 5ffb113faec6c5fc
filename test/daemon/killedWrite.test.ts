// A process that is killed at the nth call to the file system while it writes the registry, for every n until one is
// let through: the file is the old one or the new one, no kept intent is lost, the journal can be read, and whoever
// comes next goes on. Counted are the calls that change something: before any other one the disk is as it was before the
// next of these. In the soak all calls are.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, it, type TestContext } from "node:test";
import { toldEntry } from "../../agent/core/registryEntry.ts";
import { RegistryStore } from "../../agent/record/registryStore.ts";
import { rollcallPaths } from "../../base/node/paths.ts";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { repositoryRoot } from "../support/rollcall/world.ts";

const preload = pathToFileURL(join(repositoryRoot, "test", "support", "rollcall", "killAtCall.mjs")).href;
const cli = join(repositoryRoot, "dist", "rollcall.cjs");
const atOnce = 4;
/** More calls than any write makes. */
const mostCalls = 600;
const isSoak = process.env["ROLLCALL_SOAK"] !== undefined;

interface Killed {
  readonly n: number;
  readonly dataDir: string;
  readonly outcome: "killed" | "done" | "failed";
}

function storeIn(dataDir: string): RegistryStore {
  const paths = rollcallPaths({ HOME: dataDir, ROLLCALL_DATA_DIR: dataDir });
  return new RegistryStore({ paths, now: () => Date.now() });
}

function runKilled(dataDir: string, n: number, args: readonly string[]): Promise<Killed> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: dataDir,
    ROLLCALL_KILL_AT: String(n),
    ROLLCALL_KILL_BELOW: dataDir,
    ...(isSoak ? { ROLLCALL_KILL_READS: "yes" } : {}),
    ROLLCALL_DATA_DIR: dataDir,
    ROLLCALL_SOCKET: join(dataDir, "no.sock"),
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--import", preload, cli, "registry", ...args], { env, timeout: 60_000 }, (error) => {
      if (error?.signal === "SIGKILL") resolve({ n, dataDir, outcome: "killed" });
      else if (error !== null && typeof error.code !== "number") reject(new Error(error.message, { cause: error }));
      else resolve({ n, dataDir, outcome: error === null ? "done" : "failed" });
    });
  });
}

/** Each n in a world of its own, as `prepare` makes it, until one is not killed any more. */
async function forEveryCall(
  t: TestContext,
  prepared: string,
  args: readonly string[],
  check: (killed: Killed) => Promise<void>,
): Promise<number> {
  let letThrough = 0;
  const folder = scratchFolder(t);
  for (let first = 1; letThrough === 0 && first < mostCalls; first += atOnce) {
    const numbers = Array.from({ length: atOnce }, (_, index) => first + index);
    await Promise.all(
      numbers.map(async (n) => {
        const dataDir = join(folder, `n${n}`, "data");
        cpSync(prepared, dataDir, { recursive: true });
        // A journal is of the file that its folder is named after.
        renameSync(onlyIn(join(dataDir, "journal")), storeIn(dataDir).journal.folder);
        const killed = await runKilled(dataDir, n, args);
        await check(killed);
        if (killed.outcome !== "killed" && (letThrough === 0 || n < letThrough)) letThrough = n;
        rmSync(join(folder, `n${n}`), { recursive: true });
      }),
    );
  }
  assert.ok(letThrough > 0, "never let through");
  return letThrough;
}

function onlyIn(folder: string): string {
  return join(folder, readdirSync(folder)[0] ?? "none");
}

const entry = (id: string) => toldEntry([{ key: "session_id", value: JSON.stringify(id) }]);
const fileIn = (dataDir: string): string => join(dataDir, "sandbox-sessions.json");

async function twoRecorded(t: TestContext): Promise<string> {
  const dataDir = join(scratchFolder(t), "data");
  mkdirSync(dataDir);
  await storeIn(dataDir).put("a", entry("s-1"));
  await storeIn(dataDir).put("b", entry("s-2"));
  return dataDir;
}

async function idsIn(store: RegistryStore): Promise<readonly string[]> {
  const load = await store.tryLoad();
  assert.ok(load.kind === "read", JSON.stringify(load));
  return [...load.value.slices.values()].flatMap(({ entries }) => entries.map(({ fields }) => fields.session_id));
}

describe("a process that is killed at every call of a write", { timeout: 600_000 }, () => {
  it("put: the old file or the new one, nothing dropped, and the next write goes through", async (t) => {
    const prepared = await twoRecorded(t);
    const old = readFileSync(fileIn(prepared), "utf8");
    const calls = await forEveryCall(t, prepared, ["put", "a", "--session", "s-3"], async ({ n, dataDir, outcome }) => {
      const text = readFileSync(fileIn(dataDir), "utf8");
      const store = storeIn(dataDir);
      if (text !== old) assert.deepEqual([...(await idsIn(store))].sort(), ["s-1", "s-2", "s-3"], `n = ${n}`);
      if (outcome === "done") assert.notEqual(text, old, `n = ${n}`);
      await idsIn(store);
      assert.deepEqual([...store.journal.state.dropped.keys()], [], `n = ${n}`);
      assert.equal(store.journal.damagedLines, 0, `n = ${n}`);
      await storeIn(dataDir).put("a", entry("s-4"));
      const ids = await idsIn(storeIn(dataDir));
      for (const id of ["s-1", "s-2", "s-4"]) assert.ok(ids.includes(id), `n = ${n}: ${id}`);
    });
    t.diagnostic(`${calls} calls`);
    assert.ok(calls > 20, `${calls} calls`);
  });

  it("forget: what was forgotten is never taken for dropped", async (t) => {
    const prepared = await twoRecorded(t);
    await forEveryCall(t, prepared, ["forget", "s-2"], async ({ n, dataDir }) => {
      const store = storeIn(dataDir);
      await idsIn(store);
      assert.deepEqual([...store.journal.state.dropped.keys()], [], `n = ${n}`);
    });
  });

  it("a put that is kept: it waits, or it was never promised; applied, it is there once", async (t) => {
    const prepared = await twoRecorded(t);
    const whole = readFileSync(fileIn(prepared));
    writeFileSync(fileIn(prepared), "torn");
    await assert.rejects(storeIn(prepared).put("a", entry("s-kept")), /kept as intent #1/);
    await forEveryCall(t, prepared, ["put", "a", "--session", "s-3"], async ({ n, dataDir }) => {
      assert.equal(readFileSync(fileIn(dataDir), "utf8"), "torn", `n = ${n}`);
      writeFileSync(fileIn(dataDir), whole);
      await storeIn(dataDir).applyKept();
      assert.ok((await idsIn(storeIn(dataDir))).includes("s-kept"), `n = ${n}`);
    });
    writeFileSync(fileIn(prepared), whole);
    await forEveryCall(t, prepared, ["put", "a", "--session", "s-1"], async ({ n, dataDir }) => {
      await storeIn(dataDir).applyKept();
      const ids = await idsIn(storeIn(dataDir));
      assert.deepEqual([...ids].sort(), ["s-1", "s-2", "s-kept"], `n = ${n}`);
      assert.deepEqual((await storeIn(dataDir).journal.read()).intents, [], `n = ${n}`);
    });
  });

  it("a restore over what cannot be read: its bytes are there, or aside", async (t) => {
    const prepared = await twoRecorded(t);
    writeFileSync(fileIn(prepared), "torn");
    await forEveryCall(t, prepared, ["restore", "--yes"], async ({ n, dataDir }) => {
      const standing = existsSync(fileIn(dataDir)) ? readFileSync(fileIn(dataDir), "utf8") : "nothing";
      if (standing !== "torn") assert.match(standing, /"s-1"[^]*"s-2"/, `n = ${n}`);
      await storeIn(dataDir).restore({});
      assert.deepEqual([...(await idsIn(storeIn(dataDir)))].sort(), ["s-1", "s-2"], `n = ${n}`);
    });
  });
});
