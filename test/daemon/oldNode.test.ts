// The oldest Node that the manifest allows runs the product: nothing that came later is asked for.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";

const oldNode = join(repositoryRoot, "test", "support", "rollcall", "oldNode.cjs");

function oldWorld(t: TestContext): RollcallWorld {
  const rollcall = new RollcallWorld({
    configDirs: [join(scratchFolder(t), ".claude")],
    env: { NODE_OPTIONS: `--require=${oldNode}` },
  });
  t.after(() => rollcall.close());
  return rollcall;
}

test("the command and the agent run on the oldest Node that the manifest allows", { timeout: 60_000 }, async (t) => {
  const rollcall = oldWorld(t);
  for (const args of [
    ["--help"],
    ["ls", "--once", "--json"],
    ["ls", "--json"],
    ["registry", "put", "sandbox", "--session", "s1"],
    ["why", "s1"],
    ["doctor"],
  ]) {
    const { code, stderr } = await rollcall.run(args);
    assert.equal(stderr, "", args.join(" "));
    assert.equal(code, 0, args.join(" "));
  }
});
