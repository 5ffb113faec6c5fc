// The JSON contract: what each command prints with --json, run as a user runs it, against the schemas in
// protocol/ and against the literals written down here a second time, so that neither moves alone.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import {
  agentStatusJsonSchema,
  doctorJsonSchema,
  registryShowJsonSchema,
  registryVerifyJsonSchema,
  registryWrittenJsonSchema,
  restoreJsonSchema,
  whyJsonSchema,
} from "../../protocol/cliJson.ts";
import {
  registryCancelJsonSchema,
  registryDiffJsonSchema,
  registryHistoryJsonSchema,
  registryIntentsJsonSchema,
  registryRestoreJsonSchema,
} from "../../protocol/registryJson.ts";
import { rosterChangeSchema, rosterSchema } from "../../protocol/roster.ts";
import { StandInWorld, type StandIn } from "../support/rollcall/standIn.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";

const literals = {
  "source state": ["observed", "absent", "unobserved"],
  "sandbox state":
    "creating running paused suspending suspended restoring stopped quarantined failed deleting unknown".split(" "),
  liveness: ["live", "ended", "unknown"],
  how: ["exited", "killed", "departed", "rotated"],
  status: "needs-you error compacting working background waiting idle starting ended unknown".split(" "),
  why: "permission question plan likely login billing limit server other".split(" "),
} as const;

const rowFields = ["key", "id", "sandbox", "configDir", "cwd", "startCwd", "title", "agent", "liveness", "status"];
const rowLists = ["openTurns", "background", "subagents", "registry", "evidence"];

describe("the JSON contract", () => {
  let standIns: StandInWorld;
  let rollcall: RollcallWorld;
  let session: StandIn;
  const id = "00000001-0000-4000-8000-000000000000";

  before(() => {
    standIns = new StandInWorld();
    rollcall = new RollcallWorld({ configDirs: [standIns.configDir] });
    const folder = join(standIns.configDir, "projects", "-app");
    mkdirSync(folder);
    const at = new Date().toISOString();
    const lines = [
      { type: "user", timestamp: at, cwd: "/app", message: { content: "do it" } },
      {
        type: "assistant",
        timestamp: at,
        message: { content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: {} }] },
      },
    ];
    writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    session = standIns.start(id, { status: "busy", name: "contract" });
  });
  after(async () => {
    try {
      await rollcall.close();
    } finally {
      await standIns.close();
    }
  });

  for (const flags of [[], ["--all"], ["--once"], ["--once", "--all"]]) {
    test(`ls --json ${flags.join(" ")}`, async () => {
      const { code, stdout } = await rollcall.run(["ls", "--json", ...flags]);
      assert.equal(code, 0);
      const roster = JSON.parse(stdout) as Record<string, unknown> & { sessions: Record<string, unknown>[] };
      rosterSchema.parse(roster);
      assert.deepEqual(Object.keys(roster), [
        "version",
        "observedAt",
        "sources",
        "nodes",
        "sandboxes",
        "sessions",
        "skipped",
      ]);
      assert.equal(roster["version"], 1);
      const row = roster.sessions.find((each) => each["id"] === id);
      assert.ok(row !== undefined);
      for (const field of [...rowFields, ...rowLists]) assert.ok(field in row, field);
      assert.equal(row["agent"], "claude-code");
      assert.deepEqual(row["registry"], { recorded: false });
      assert.equal((row["openTurns"] as { tool: string; abandoned: boolean }[])[0]?.tool, "Bash");
    });
  }

  test("the literals of the roster", () => {
    const { shape } = rosterSchema;
    const row = shape.sessions.element.shape;
    assert.deepEqual(shape.sources.element.shape.state.options, literals["source state"]);
    assert.deepEqual(shape.sandboxes.element.shape.state.options, literals["sandbox state"]);
    assert.deepEqual(row.liveness.shape.kind.options, literals.liveness);
    assert.deepEqual(row.liveness.shape.how.unwrap().options, literals.how);
    assert.deepEqual(row.status.shape.kind.options, literals.status);
    assert.deepEqual(row.status.shape.why.unwrap().options, literals.why);
  });

  test("watch --json: the whole roster, then changes", async () => {
    const watch = spawn(process.execPath, [join(repositoryRoot, "dist", "rollcall.cjs"), "watch", "--json"], {
      env: rollcall.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const lines = createInterface({ input: watch.stdout })[Symbol.asyncIterator]();
      rosterSchema.parse(JSON.parse(String((await lines.next()).value)));
      session.says({ status: "waiting", waitingFor: "permission prompt", name: "contract" });
      for (;;) {
        const change = rosterChangeSchema.parse(JSON.parse(String((await lines.next()).value)));
        assert.ok(Array.isArray(change.upsert) && Array.isArray(change.remove) && Array.isArray(change.sources));
        if (change.upsert.some((row) => row.id === id && row.status.kind === "needs-you")) break;
      }
    } finally {
      watch.kill("SIGKILL");
    }
  });

  test("why --json, by id, by the beginning of one, by pid and by key", async () => {
    const byId = whyJsonSchema.parse(JSON.parse((await rollcall.run(["why", id, "--json"])).stdout));
    for (const name of [id.slice(0, 8), String(session.pid), byId.session.key]) {
      const found = whyJsonSchema.parse(JSON.parse((await rollcall.run(["why", name, "--json"])).stdout));
      assert.equal(found.session.key, byId.session.key);
    }
  });

  test("doctor --json and agent status --json", async () => {
    doctorJsonSchema.parse(JSON.parse((await rollcall.run(["doctor", "--json"])).stdout));
    const status = agentStatusJsonSchema.parse(JSON.parse((await rollcall.run(["agent", "status", "--json"])).stdout));
    assert.equal(status.running, true);
  });

  test("registry show, verify, put, replace, forget and depart --json", async () => {
    const json = async (...args: readonly string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await rollcall.run(["registry", ...args, "--json"]);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const recorded = "00000009-0000-4000-8000-000000000000";
    const empty = registryShowJsonSchema.parse(await json("show"));
    assert.deepEqual([empty.state, empty.sandboxes], ["absent", []]);
    const put = registryWrittenJsonSchema.parse(await json("put", "box", "--session", recorded, "--cwd", "/app"));
    assert.deepEqual([put.changed, put.added], [true, 1]);
    const slice = join(rollcall.root, "slice.json");
    writeFileSync(slice, JSON.stringify({ sessions: [{ session_id: recorded }, { session_id: "other" }] }));
    assert.equal(registryWrittenJsonSchema.parse(await json("replace", "box", "--from", slice)).added, 1);
    assert.equal(registryWrittenJsonSchema.parse(await json("depart", recorded)).departed, 1);
    assert.equal(registryWrittenJsonSchema.parse(await json("forget", "other")).removed, 1);
    const shown = registryShowJsonSchema.parse(await json("show"));
    assert.deepEqual(
      shown.sandboxes.map(({ name, sessions }) => [name, sessions.map((each) => [each.id, each.cwd])]),
      [["box", [[recorded, "/app"]]]],
    );
    assert.equal(registryVerifyJsonSchema.parse(await json("verify")).ok, true);
    const { sessions, sandboxes } = await rollcall.roster();
    const row = sessions.find((each) => each.id === recorded);
    assert.deepEqual([row?.sandbox, row?.registry.recorded, row?.liveness.how], ["box", true, "departed"]);
    assert.deepEqual(
      // The host may have others.
      sandboxes.filter(({ name }) => name === "box").map(({ name, adapter, state }) => [name, adapter, state]),
      [["box", "registry", "unknown"]],
    );
    const refusals: readonly (readonly [number, readonly string[]])[] = [
      [2, []],
      [2, ["nonsense"]],
      [2, ["put"]],
      [2, ["put", "box"]],
      [2, ["replace", "box"]],
      [1, ["put", "a/b", "--session", "s"]],
      [1, ["put", "box", "--session", "a b; rm"]],
      [1, ["replace", "box", "--from", join(rollcall.root, "none.json")]],
      [1, ["forget", "not-recorded"]],
    ];
    for (const [code, args] of refusals) {
      const result = await rollcall.run(["registry", ...args]);
      assert.deepEqual([result.code, result.stdout], [code, ""], args.join(" "));
      if (code === 1) assert.match(result.stderr, /^rollcall registry: [^\n]+\n$/, args.join(" "));
    }
    writeFileSync(slice, "[]");
    const refused = await rollcall.run(["registry", "replace", "box", "--from", slice]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /say --empty if that is meant/);
  });

  test("registry history, diff, restore, intents and cancel-intent --json", async () => {
    const world = new RollcallWorld({ configDirs: [standIns.configDir] });
    try {
      const run = (...args: readonly string[]) => world.run(["registry", ...args, "--json"]);
      const registry = join(world.dataDir, "sandbox-sessions.json");
      await run("put", "box", "--session", "s-1", "--cwd", "/app");
      await run("put", "box", "--session", "s-2");
      const two = readFileSync(registry, "utf8");
      writeFileSync(registry, '{"version":1,"sandboxes":{"box":[{"session_id":"s-2","big":12345678901234567890}]}}');
      const history = registryHistoryJsonSchema.parse(JSON.parse((await run("history")).stdout));
      assert.deepEqual(
        history.generations.map(({ generation, by, gone }) => [generation, by, gone.count]),
        [
          [3, "another", 1],
          [2, "rollcall", 0],
          [1, "rollcall", 0],
        ],
      );
      assert.equal(readFileSync(history.generations[1]?.file ?? "", "utf8"), two);
      assert.deepEqual(
        history.dropped.map(({ sandbox, id }) => [sandbox, id]),
        [["box", "s-1"]],
      );
      const diff = registryDiffJsonSchema.parse(JSON.parse((await run("diff", "2", "3")).stdout));
      assert.deepEqual(diff.gone, [{ sandbox: "box", id: "s-1" }]);
      assert.deepEqual(diff.changed[0]?.fields, [{ field: "big", after: "12345678901234567890" }]);
      const shown = await run("restore");
      assert.equal(shown.code, 1);
      assert.equal(registryRestoreJsonSchema.parse(JSON.parse(shown.stdout)).done, false);
      const restored = registryRestoreJsonSchema.parse(JSON.parse((await run("restore", "--yes")).stdout));
      assert.deepEqual([restored.how, restored.restored], ["merge", [{ sandbox: "box", id: "s-1" }]]);
      writeFileSync(registry, "torn");
      const kept = await run("depart", "s-1");
      assert.equal(kept.code, 1);
      assert.match(kept.stderr, /; kept as intent #1,/);
      const { waiting } = registryIntentsJsonSchema.parse(JSON.parse((await run("intents")).stdout));
      assert.deepEqual(
        waiting.map(({ intent, act }) => [intent, act]),
        [[1, "depart s-1"]],
      );
      assert.equal(registryCancelJsonSchema.parse(JSON.parse((await run("cancel-intent", "1")).stdout)).intent, 1);
      const { settled } = registryIntentsJsonSchema.parse(JSON.parse((await run("intents")).stdout));
      assert.deepEqual(
        settled.map(({ intent, how }) => [intent, how]),
        [[1, "cancelled"]],
      );
      const whole = registryRestoreJsonSchema.parse(JSON.parse((await run("restore", "--yes")).stdout));
      assert.equal(whole.how, "whole");
      assert.equal(readFileSync(whole.aside ?? "", "utf8"), "torn");
      for (const [code, args] of [
        [1, ["diff", "77"]],
        [2, ["diff", "x"]],
        [1, ["restore", "--generation", "77"]],
        [1, ["restore", "--session", "never-seen"]],
        [1, ["cancel-intent", "9"]],
        [2, ["cancel-intent", "x"]],
      ] as const) {
        const result = await world.run(["registry", ...args]);
        assert.deepEqual([result.code, result.stdout], [code, ""], args.join(" "));
      }
    } finally {
      await world.close();
    }
  });

  test("exit codes: 0 done, 1 refused or failed, 2 not understood; errors are one sentence on stderr", async () => {
    assert.equal((await rollcall.run(["ls"])).code, 0);
    const unknown = await rollcall.run(["why", "no-such-session"]);
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /^rollcall: no session matches no-such-session; .*\n$/);
    for (const args of [["ls", "--nonsense"], ["nonsense"], ["why"], []]) {
      const result = await rollcall.run(args);
      assert.deepEqual([result.code, result.stdout], [2, ""], args.join(" "));
    }
  });

  test("a title cannot steer the terminal", async () => {
    const file = join(standIns.configDir, "projects", "-app", `${id}.jsonl`);
    appendFileSync(file, `${JSON.stringify({ type: "custom-title", customTitle: "a\u001b[31mred\u0007\nline" })}\n`);
    session.says({ status: "idle" });
    const byTranscript = await rollcall.run(["ls", "--once"]);
    session.says({ status: "idle", name: "x\u001b]0;owned\u0007" });
    const byRecord = await rollcall.run(["ls", "--once"]);
    assert.match(byTranscript.stdout, /red/);
    assert.match(byRecord.stdout, /owned/);
    const printed = byTranscript.stdout + byRecord.stdout;
    const control = [...printed].filter((letter) => letter !== "\n" && /\p{Cc}/u.test(letter));
    assert.deepEqual(control, []);
  });

  test("restore --json, through the agent and without one", async () => {
    const killed = "00000002-0000-4000-8000-000000000000";
    writeFileSync(join(standIns.configDir, "projects", "-app", `${killed}.jsonl`), "{}\n");
    const cwd = rollcall.root;
    await rollcall.run(["registry", "put", "restorable", "--session", killed, "--cwd", cwd]);
    for (const flags of [[], ["--once"]]) {
      const { stdout, stderr } = await rollcall.run(["restore", "--json", "--sandbox", "restorable", ...flags]);
      const plan = restoreJsonSchema.parse(JSON.parse(stdout));
      const [item] = plan.sessions;
      assert.ok(item?.outcome.kind === "resume", `${stdout} ${stderr}`);
      assert.deepEqual(Object.keys(plan), ["version", "at", "sessions"]);
      assert.deepEqual(Object.keys(item), ["key", "id", "sandbox", "title", "outcome", "command"]);
      assert.deepEqual(Object.keys(item.outcome), ["kind", "argv", "cwd", "env", "inSandbox", "notes"]);
      const refused = restoreJsonSchema.parse(
        JSON.parse((await rollcall.run(["restore", id, "--json", ...flags])).stdout),
      );
      const [running] = refused.sessions;
      assert.ok(running?.outcome.kind === "refused");
      assert.deepEqual(Object.keys(running.outcome), ["kind", "why", "says", "next", "settled"]);
      assert.equal(running.outcome.why, "live");
    }
    await rollcall.run(["registry", "forget", killed]);
  });
});
