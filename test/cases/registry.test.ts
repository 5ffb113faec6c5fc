// Cases of the history of one monitor, "registry, sessions lost, restore": what a file that cannot be read may never do
// to what is recorded, by each way in which it is written.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { caseHome, hour, minute, sessionId, type CaseHome } from "../support/rollcall/caseHome.ts";
import { since } from "../support/rollcall/shapes.ts";

const options = { concurrency: 3 };
const [inA, inB] = [sessionId(1), sessionId(2)];

function registry(home: CaseHome): string {
  mkdirSync(home.world.dataDir, { recursive: true, mode: 0o700 });
  return join(home.world.dataDir, "sandbox-sessions.json");
}

function entry(home: CaseHome, id: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const transcript = join(home.configDir, "projects", "-app", `${id}.jsonl`);
  return { session_id: id, cwd: "/home/u/app", transcript, started_at_ms: home.ago(hour), ...more };
}

/** Two sandboxes with a session each, and what nobody of us knows. */
function record(home: CaseHome, more: Readonly<Record<string, unknown>> = {}): string {
  const path = registry(home);
  const sandboxes = {
    "linera-agent": [entry(home, inA, { name: "first", "odd key": 12_345 })],
    "linera-agent-3f9c": [entry(home, inB)],
  };
  writeFileSync(path, `${JSON.stringify({ version: 1, sandboxes, ...more }, null, 2)}\n`);
  return path;
}

const writes = (home: CaseHome): readonly (readonly string[])[] => {
  const slice = join(home.root, "slice.json");
  writeFileSync(slice, JSON.stringify([{ session_id: sessionId(7), cwd: "/x" }]));
  return [
    ["put", "linera-agent", "--session", sessionId(7), "--cwd", "/x"],
    ["replace", "linera-agent", "--from", slice],
    ["forget", inA],
    ["depart", inA],
  ];
};

describe("a registry that cannot be read", options, () => {
  const faults: Readonly<Record<string, (path: string) => void>> = {
    "cut to half its bytes": (path) => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2)),
    "without a byte": (path) => writeFileSync(path, ""),
    "full of NUL bytes": (path) => writeFileSync(path, Buffer.alloc(500)),
    "of another shape": (path) => writeFileSync(path, '{"version":1,"sandboxes":[]}\n'),
    "of a newer version": (path) =>
      writeFileSync(path, readFileSync(path, "utf8").replace('"version": 1', '"version": 2')),
  };
  for (const [fault, damage] of Object.entries(faults))
    test(`R01 R02 R06 R18 R24 stays byte for byte what it was under every write, ${fault}`, async (t) => {
      const home = caseHome(t);
      const path = record(home);
      const whole = readFileSync(path);
      assert.equal((await home.world.run(["registry", "show", "--json"])).code, 0);
      damage(path);
      const damaged = readFileSync(path);
      for (const args of writes(home)) {
        const { code, stderr } = await home.world.run(["registry", ...args]);
        assert.equal(code, 1, args.join(" "));
        assert.match(stderr, /registry/);
        assert.deepEqual(readFileSync(path), damaged, args.join(" "));
      }
      writeFileSync(path, whole);
      const roster = await home.world.roster("--once");
      assert.equal(roster.sessions.find(({ id }) => id === inB)?.sandbox, "linera-agent-3f9c");
    });

  test("R01 R03 that is another thing, or gone after it was seen, is not written; one never written takes its first write", async (t) => {
    const home = caseHome(t);
    const path = registry(home);
    const first = await home.world.run(["registry", "put", "linera-agent", "--session", inA, "--cwd", "/x"]);
    assert.equal(first.code, 0, first.stderr);
    assert.equal((await home.world.roster("--once")).sessions[0]?.sandbox, "linera-agent");
    rmSync(path);
    for (const args of writes(home))
      assert.equal((await home.world.run(["registry", ...args])).code, 1, args.join(" "));
    mkdirSync(path);
    assert.equal((await home.world.run(["registry", "put", "a", "--session", inB])).code, 1);
    rmSync(path, { recursive: true });
    symlinkSync(join(home.root, "elsewhere.json"), path);
    assert.equal((await home.world.run(["registry", "put", "a", "--session", inB])).code, 1);
    assert.ok(!readdirSync(home.root).includes("elsewhere.json"));
  });
});

describe("a write", options, () => {
  test("R02 R05 L20 merges into its own sandbox: a blank takes nothing away, a like name is another sandbox", async (t) => {
    const home = caseHome(t);
    const path = record(home, { "of another tool": { kept: true } });
    const put = await home.world.run(["registry", "put", "linera-agent", "--session", inA]);
    assert.equal(put.code, 0, put.stderr);
    const slice = join(home.root, "slice.json");
    writeFileSync(
      slice,
      JSON.stringify([
        { session_id: sessionId(7), cwd: "/x" },
        { session_id: inA, cwd: "", name: "" },
      ]),
    );
    const replaced = await home.world.run(["registry", "replace", "linera-agent", "--from", slice]);
    assert.equal(replaced.code, 0, replaced.stderr);
    const now = JSON.parse(readFileSync(path, "utf8")) as {
      sandboxes: Record<string, Record<string, unknown>[]>;
      "of another tool": unknown;
    };
    const kept = now.sandboxes["linera-agent"]?.find((each) => each["session_id"] === inA);
    assert.equal(kept?.["cwd"], "/home/u/app");
    assert.equal(kept["name"], "first");
    assert.equal(kept["odd key"], 12_345);
    assert.deepEqual(
      now.sandboxes["linera-agent-3f9c"]?.map((each) => each["session_id"]),
      [inB],
    );
    assert.deepEqual(now["of another tool"], { kept: true });
  });

  test("R03 of an empty slice is refused, and one that lacks a session marks it departed", async (t) => {
    const home = caseHome(t);
    const path = record(home);
    const before = readFileSync(path);
    const slice = join(home.root, "slice.json");
    writeFileSync(slice, "[]");
    assert.equal((await home.world.run(["registry", "replace", "linera-agent", "--from", slice])).code, 1);
    assert.deepEqual(readFileSync(path), before);
    writeFileSync(slice, JSON.stringify([{ session_id: sessionId(7), cwd: "/x" }]));
    assert.equal((await home.world.run(["registry", "replace", "linera-agent", "--from", slice])).code, 0);
    const stored = JSON.parse(readFileSync(path, "utf8")) as { sandboxes: Record<string, Record<string, unknown>[]> };
    const left = stored.sandboxes["linera-agent"]?.find((each) => each["session_id"] === inA);
    assert.equal(typeof left?.["departed_at_ms"], "number");
  });

  test("R07 R08 of a departure keeps the record: the row has ended, departed, and comes to life only with a sign", async (t) => {
    const home = caseHome(t);
    const path = record(home);
    assert.equal((await home.world.run(["registry", "depart", inA])).code, 0);
    const stamp = (): unknown =>
      (JSON.parse(readFileSync(path, "utf8")) as { sandboxes: Record<string, Record<string, unknown>[]> }).sandboxes[
        "linera-agent"
      ]?.[0]?.["departed_at_ms"];
    const first = stamp();
    assert.equal((await home.world.run(["registry", "depart", inA])).code, 0);
    assert.equal(stamp(), first);
    const row = (await home.world.roster("--once")).sessions.find(({ id }) => id === inA);
    assert.equal(row?.liveness.how, "departed");
    assert.equal(row.registry.recorded, true);
    assert.ok(row.registry.departedAt !== undefined);
    assert.equal((await home.world.run(["registry", "forget", inA])).code, 0);
    assert.equal(
      (await home.world.roster("--once")).sessions.find(({ id }) => id === inA),
      undefined,
    );
  });

  test("R19 R20 R22 at the same time as others loses none of them and leaves nothing behind", async (t) => {
    const home = caseHome(t);
    const path = record(home);
    const ids = Array.from({ length: 6 }, (_, index) => sessionId(100 + index));
    const done = await Promise.all(
      ids.map((id) => home.world.run(["registry", "put", "linera-agent", "--session", id, "--cwd", "/x"])),
    );
    for (const { code, stderr } of done) assert.equal(code, 0, stderr);
    const { sandboxes } = JSON.parse(readFileSync(path, "utf8")) as {
      sandboxes: Record<string, { session_id: string }[]>;
    };
    const recorded = sandboxes["linera-agent"]?.map(({ session_id: id }) => id) ?? [];
    assert.deepEqual([...recorded].sort(), [inA, ...ids].sort());
    assert.deepEqual(
      readdirSync(home.world.dataDir).filter((name) => /\.tmp|~$/.test(name)),
      [],
    );
  });

  test("R15 of an id that is none is refused, and none is ever run", async (t) => {
    const home = caseHome(t);
    const path = record(home);
    const before = readFileSync(path);
    const marker = join(home.root, "ran");
    for (const id of [`a; touch ${marker}`, `$(touch ${marker})`, "../../x", "a b", "", "x".repeat(300)])
      assert.notEqual((await home.world.run(["registry", "put", "linera-agent", "--session", id])).code, 0, id);
    assert.deepEqual(readFileSync(path), before);
    assert.ok(!readdirSync(home.root).includes("ran"));
  });
});

describe("what is recorded", options, () => {
  test("R13 R17 is one row with what the other sources tell: the newest title, a transcript not yet there", async (t) => {
    const home = caseHome(t);
    record(home);
    home.session(inA, since(home.ago(minute), "busy"), (lines) =>
      lines.prompt().raw({ type: "custom-title", customTitle: "renamed" }),
    );
    const roster = await home.ls();
    assert.equal(roster.says(inA), "live, working");
    assert.equal(roster.row(inA).title, "renamed");
    assert.equal(roster.row(inA).registry.recorded, true);
    const unwritten = roster.row(inB);
    assert.equal(unwritten.liveness.kind, "unknown");
    assert.equal(unwritten.registry.recorded, true);
    assert.equal(unwritten.sandbox, "linera-agent-3f9c");
  });
});
