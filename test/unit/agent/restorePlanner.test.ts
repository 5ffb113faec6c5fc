// Who is handed a session to start: nobody else until that one has started it, or given up.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { RestorePlanner } from "../../../agent/restorePlanner.ts";
import { roster, session } from "../extension/core/rosters.ts";

describe("a claim on a restore", () => {
  let configDir: string;
  let now = 1_000_000;
  before(() => {
    configDir = mkdtempSync(join(tmpdir(), "rollcall-claims-"));
    mkdirSync(join(configDir, "projects", "-app"), { recursive: true });
    writeFileSync(join(configDir, "projects", "-app", "a.jsonl"), "{}\n");
  });
  after(() => rmSync(configDir, { recursive: true, force: true }));

  function planner(): RestorePlanner {
    const row = session("a", {
      sandbox: "box",
      startCwd: configDir,
      liveness: { kind: "ended", source: "proc", asOf: new Date(0).toISOString(), stale: false },
      registry: { recorded: true },
    });
    return new RestorePlanner({
      source: {
        refresh: () => Promise.resolve(),
        rosterOfAll: () => Promise.resolve(roster([row])),
        namedConfigDirs: [configDir],
      },
      scheduler: { now: () => now, after: () => ({ cancel: () => undefined }) },
      defaultConfigDir: () => undefined,
      ownSandbox: undefined,
    });
  }

  async function asked(plans: RestorePlanner, by: object, claim = true): Promise<string> {
    const [item] = (await plans.plan({ all: true, claim }, by)).sessions;
    return item?.outcome.kind === "refused" ? item.outcome.why : (item?.outcome.kind ?? "none");
  }

  const [one, two] = [{}, {}];

  it("is given once, also to those who ask at the same time, and to the same one twice", async () => {
    const plans = planner();
    assert.deepEqual((await Promise.all([asked(plans, one), asked(plans, two)])).sort(), ["being-restored", "resume"]);
    assert.equal(await asked(plans, one), "being-restored");
  });

  it("is not made by who only looks", async () => {
    const plans = planner();
    assert.equal(await asked(plans, one, false), "resume");
    assert.equal(await asked(plans, two), "resume");
  });

  it("ends when its holder says so or is gone, and after a while", async () => {
    const plans = planner();
    await asked(plans, one);
    plans.release(two, ["a"]);
    assert.equal(await asked(plans, two), "being-restored");
    plans.release(one, ["a"]);
    assert.equal(await asked(plans, two), "resume");
    plans.release(two);
    assert.equal(await asked(plans, one), "resume");
    now += 61_000;
    assert.equal(await asked(plans, two), "resume");
  });
});
