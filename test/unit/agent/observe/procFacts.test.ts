// Whether a process sees our mounts: what stands at a path there says nothing of that path here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { ProcessFacts } from "../../../../agent/core/processes.ts";
import { readProcFacts } from "../../../../agent/observe/procFacts.ts";
import { readProcStat } from "../../../../agent/observe/procStat.ts";
import { until } from "../../../support/claude/until.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const folders = { find: () => Promise.resolve("/somewhere") };

async function factsOf(t: TestContext, wrapper: readonly string[]): Promise<ProcessFacts> {
  const root = scratchFolder(t);
  const program = join(root, "claude");
  copyFileSync("/bin/sleep", program);
  const [command, ...args] = [...wrapper, program];
  const child = spawn(command, [...args, "600"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  const read = async (): Promise<ProcessFacts> =>
    readProcFacts(child.pid ?? 0, readProcStat(child.pid ?? 0), { bootedAt: undefined, folders });
  // The wrapper becomes the program in its own time.
  return until(
    "the program",
    async () => {
      const facts = await read();
      return facts.role.kind === "session" ? facts : undefined;
    },
    { deadlineMs: 20_000 },
  );
}

describe("the mounts of a process", { skip: process.platform !== "linux" }, () => {
  it("are ours unless it has its own", async (t) => {
    assert.equal((await factsOf(t, [])).hasOtherMounts, undefined);
    assert.equal((await factsOf(t, ["unshare", "--user", "--map-root-user", "--mount"])).hasOtherMounts, true);
  });
});
