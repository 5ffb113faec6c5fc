// The process table: only a whole one that came in time, and that knows us and whom the kernel shows alive, is one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { ProcessTable } from "../../../../agent/core/monitorEvent.ts";
import { readProcessTable } from "../../../../agent/observe/processTable.ts";
import { readPsListTable } from "../../../../agent/observe/psListTable.ts";
import { readPsTable } from "../../../../agent/observe/psTable.ts";
import type { TableRows } from "../../../../agent/observe/tableRows.ts";
import type { Observation } from "../../../../protocol/observation.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { StandInWorld } from "../../../support/rollcall/standIn.ts";
import { repositoryRoot } from "../../../support/rollcall/world.ts";

interface Asked {
  readonly knownAlive?: readonly number[];
  readonly kernelAnswers?: boolean;
}

function ask(
  childScript: string,
  { knownAlive = [], kernelAnswers = true }: Asked = {},
): Promise<Observation<ProcessTable>> {
  const read = (): Promise<TableRows> => readPsListTable(childScript);
  return readProcessTable({ read, now: () => 1_000, kernelAnswers, knownAlive: () => knownAlive });
}

function script(t: TestContext, body: string): string {
  const path = join(scratchFolder(t), "table.mjs");
  writeFileSync(path, body);
  return path;
}

const printing = (table: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(table))})`;
const own = { pid: process.pid, ppid: 1, name: "node", cmd: "node", path: "/usr/bin/node", startedAt: 5 };

describe("a process table that is none", () => {
  for (const [what, body, cause] of [
    ["fails", "process.stderr.write('broken'); process.exitCode = 3", /^ps: exit code 3: broken$/],
    ["is killed", "process.kill(process.pid, 'SIGKILL')", /^ps: ended by SIGKILL$/],
    ["says nothing", "", /unreadable table/],
    ["is cut off", 'process.stdout.write(\'{"version":1,"rows":[\')', /unreadable table/],
    ["is of another version", printing({ version: 2, rows: [own] }), /unreadable table/],
    ["holds other rows", printing({ version: 1, rows: [{ pid: "1" }] }), /unreadable table/],
    ["is empty", printing({ version: 1, rows: [] }), /empty table/],
    ["lacks ourselves", printing({ version: 1, rows: [{ ...own, pid: 1 }] }), /short table/],
  ] as const) {
    it(`since it ${what} is unobserved, with its cause`, async (t) => {
      const table = await ask(script(t, body));
      assert.ok(table.kind === "unobserved", JSON.stringify(table));
      assert.match(table.cause, cause);
      assert.equal(table.at, 1_000);
    });
  }

  it("since it lacks one whom the kernel shows alive is unobserved", async (t) => {
    const path = script(t, printing({ version: 1, rows: [own] }));
    assert.equal((await ask(path, { knownAlive: [own.pid] })).kind, "observed");
    const table = await ask(path, { knownAlive: [own.pid, 77] });
    assert.ok(table.kind === "unobserved");
    assert.match(table.cause, /short table/);
  });

  it("since its program is missing is unobserved", async (t) => {
    const table = await ask(join(scratchFolder(t), "missing.mjs"));
    assert.equal(table.kind, "unobserved");
  });
});

describe("a whole process table", () => {
  const claude = { ...own, pid: 7, ppid: 3, name: "claude", cmd: "/opt/claude --resume x", path: "/opt/claude" };

  it("holds who may be an agent, and every parent", async (t) => {
    const table = await ask(script(t, printing({ version: 1, rows: [own, claude] })));
    assert.ok(table.kind === "observed");
    assert.deepEqual([...table.value.rows.keys()], [7]);
    assert.deepEqual([...table.value.parents].sort(), [1, 3]);
    assert.equal(table.value.rows.get(7)?.facts, undefined, "the kernel tells who it is");
  });

  it("tells who they are where the kernel cannot be asked", async (t) => {
    const table = await ask(script(t, printing({ version: 1, rows: [own, { ...claude, startedAt: 12_345 }] })), {
      kernelAnswers: false,
    });
    assert.ok(table.kind === "observed");
    const facts = table.value.rows.get(7)?.facts;
    assert.deepEqual([facts?.role.kind, facts?.startToken, facts?.ppid], ["session", "12", 3]);
  });

  const psList = join(repositoryRoot, "agent", "observe", "processTableChild.ts");
  for (const [what, read] of [
    ["ps-list", () => readPsListTable(psList)],
    ["ps", readPsTable],
  ] as const) {
    it(`is what ${what} says of this host`, async (t) => {
      const standIns = new StandInWorld();
      t.after(() => standIns.close());
      const session = standIns.start("", undefined);
      const table = await readProcessTable({ read, now: () => 1_000, kernelAnswers: true, knownAlive: () => [] });
      assert.ok(table.kind === "observed", JSON.stringify(table));
      const row = table.value.rows.get(session.pid);
      assert.ok(row?.startedAt !== undefined && Math.abs(row.startedAt - Date.now()) < 10_000);
      assert.ok(table.value.parents.has(process.pid));
    });
  }
});
