// A real session, seen and explained by the agent and the terminal's commands: at each step of its life the
// roster says what is so within a second, and so do `ls --json` and `why`.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { scenario, Stage, type Expectation } from "../support/claude/scenario.ts";
import { createClaudeWorld } from "../support/claude/world.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const withinMs = 1_000;
/** Fewer steps than this and the test has lost its subject. */
const stepsAtLeast = 12;

describe("a real session from its start to its end", { timeout: 240_000 }, () => {
  let stage: Stage;
  let rollcall: RollcallWorld;
  let follower: Follower;
  let stepsRun = 0;
  const told: string[] = [];

  before(async () => {
    stage = new Stage(await createClaudeWorld());
    rollcall = new RollcallWorld({ configDirs: [stage.world.configDir] });
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [stage.world.configDir]);
  });

  after(async () => {
    follower.close();
    await Promise.all([rollcall.close(), stage.close()]);
    process.stdout.write(`${told.join("\n")}\n`);
  });

  for (const step of scenario) {
    test(step.name, async () => {
      assert.equal(stepsRun, scenario.indexOf(step), "an earlier step failed");
      await step.act(stage);
      const ms = await follower.waitWithin(
        step.name,
        (roster) => mismatch(roster, stage, step.expect) === undefined,
        withinMs,
      );
      const roster = await rollcall.roster();
      assert.equal(mismatch(roster, stage, step.expect), undefined, "rollcall ls --json");
      await whySays(rollcall, rowOf(roster, stage), step.expect);
      stepsRun += 1;
      told.push(`# ${step.name}: in the roster after ${Math.round(ms)} ms`);
    });
  }

  test("all steps ran", () => {
    assert.equal(stepsRun, scenario.length);
    assert.ok(stepsRun >= stepsAtLeast, `only ${stepsRun} steps`);
  });
});

function rowOf(roster: Roster, stage: Stage): Session {
  const rows = roster.sessions.filter((session) => session.id === stage.session.sessionId());
  assert.equal(rows.length, 1, "one row for the session");
  return rows[0] as Session;
}

/** Undefined where the roster says what is expected. */
function mismatch(roster: Roster, stage: Stage, expected: Expectation): string | undefined {
  const rows = roster.sessions.filter((session) => session.id === stage.session.sessionId());
  const [row] = rows;
  if (row === undefined || rows.length > 1) return `${rows.length} rows`;
  const open = row.openTurns.filter((turn) => !turn.abandoned).map((turn) => turn.tool);
  const facts: readonly [string, unknown, boolean][] = [
    ["liveness", row.liveness.kind, row.liveness.kind === expected.liveness],
    ["how", row.liveness.how, row.liveness.how === expected.how],
    ["stale", row.liveness.stale, !row.liveness.stale],
    ["status", row.status.kind, expected.status.includes(row.status.kind)],
    ["why", row.status.why, row.status.why === expected.why],
    ["open", open, expected.open === undefined || open.join() === expected.open.join()],
    [
      "background",
      row.background.length,
      expected.background === undefined || row.background.length === expected.background,
    ],
    [
      "abandoned",
      row.openTurns,
      expected.abandoned === undefined || row.openTurns.filter((turn) => turn.abandoned).length === expected.abandoned,
    ],
    ["one live row a process", row.pid, expected.liveness === "ended" || row.pid === stage.session.pid],
  ];
  const wrong = facts.find(([, , right]) => !right);
  return wrong === undefined ? undefined : `${wrong[0]} is ${JSON.stringify(wrong[1])}`;
}

async function whySays(rollcall: RollcallWorld, row: Session, expected: Expectation): Promise<void> {
  const { code, stdout } = await rollcall.run(["why", row.id]);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`liveness +${expected.liveness}`));
  assert.match(stdout, new RegExp(`by rule ${row.status.rule}`));
  assert.match(stdout, /Evidence\n(.*\n)*.*says: /);
}
