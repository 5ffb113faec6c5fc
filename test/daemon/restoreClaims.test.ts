// Two windows on one agent: what one of them is about to start, the other is not handed, until the first says what became
// of it or is gone.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AgentClient } from "../../protocol/node/agentClient.ts";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import { until } from "../support/claude/until.ts";

test("two windows never start one session", { timeout: 60_000 }, async (t) => {
  const folder = scratchFolder(t);
  const configDir = join(folder, ".claude");
  mkdirSync(join(configDir, "projects", "-app"), { recursive: true });
  writeFileSync(join(configDir, "projects", "-app", "s1.jsonl"), "{}\n");
  const rollcall = new RollcallWorld({ configDirs: [configDir] });
  t.after(() => rollcall.close());
  await rollcall.startAgent();
  await rollcall.run(["registry", "put", "box", "--session", "s1", "--cwd", folder]);
  const window = (): Promise<AgentClient> =>
    AgentClient.connect(rollcall.socket, { name: "test", version: "1", configDirs: [configDir] }, () => undefined);
  const asks = async (client: AgentClient): Promise<string> => {
    const { sessions } = await client.request("restore/plan", { all: true, claim: true });
    const outcome = sessions[0]?.outcome;
    return outcome?.kind === "refused" ? outcome.why : (outcome?.kind ?? "nothing");
  };
  const [one, two] = [await window(), await window()];
  t.after(() => two.dispose());
  assert.deepEqual((await Promise.all([asks(one), asks(two)])).sort(), ["being-restored", "resume"]);
  for (const client of [one, two]) await client.request("restore/release", { ids: ["s1"] });
  assert.equal(await asks(one), "resume");
  assert.equal(await asks(two), "being-restored");
  one.dispose();
  await until("the claim to end with its window", async () => (await asks(two)) === "resume", { deadlineMs: 10_000 });
});
