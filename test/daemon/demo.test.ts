// The demo as a newcomer gets it, at a faster pace: its stand-ins are real processes that the product takes for what
// they look like, each promised row says what it should at some time of the story, and ending it leaves nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { beats } from "../../scripts/demo/narration.ts";
import { sweepDemoFolders } from "../../scripts/demo/demoFolder.ts";
import { DemoWorld } from "../../scripts/demo/demoWorld.ts";
import { titles } from "../../scripts/demo/story.ts";
import { until } from "../support/claude/until.ts";
import { repositoryRoot, RollcallWorld } from "../support/rollcall/world.ts";

const pace = 0.25;
const storyDeadlineMs = 90_000;

interface Promise_ {
  readonly row: string;
  readonly shows: (session: Session) => boolean;
}

/** What the README says one sees. */
const promised: readonly Promise_[] = [
  { row: titles.working, shows: ({ status, openTurns }) => status.kind === "working" && openTurns[0]?.tool === "Bash" },
  { row: titles.permission, shows: ({ status }) => status.kind === "needs-you" && status.why === "permission" },
  { row: titles.question, shows: ({ status }) => status.kind === "needs-you" && status.why === "question" },
  { row: titles.plan, shows: ({ status }) => status.kind === "needs-you" && status.why === "plan" },
  {
    row: titles.subagents,
    shows: ({ background }) => background.filter(({ kind }) => kind === "subagent").length > 1,
  },
  { row: titles.background, shows: ({ status }) => status.kind === "background" },
  { row: titles.error, shows: ({ status }) => status.kind === "error" && status.why === "limit" },
  {
    row: titles.killed,
    shows: ({ liveness, openTurns }) => liveness.how === "killed" && openTurns.some(({ abandoned }) => abandoned),
  },
  { row: titles.cleared, shows: ({ liveness }) => liveness.how === "rotated" },
  { row: titles.afterClear, shows: ({ status }) => status.kind === "working" },
  { row: titles.interrupted, shows: ({ status }) => status.kind === "waiting" },
  { row: titles.waiting, shows: ({ status }) => status.kind === "waiting" },
  { row: titles.idle, shows: ({ status }) => status.kind === "idle" },
];
const sandboxed: readonly Promise_[] = [titles.blue, titles.green].map((row) => ({
  row,
  shows: ({ sandbox, status, pid }) => sandbox !== null && status.kind === "working" && pid !== undefined,
}));
/** Answers end what asked. */
const settled: readonly Promise_[] = [titles.permission, titles.question, titles.plan].map((row) => ({
  row,
  shows: ({ status }) => status.kind === "waiting",
}));

describe("the demo", () => {
  test("shows every promised row at some time, then leaves no process and no folder", async (t) => {
    const world = new DemoWorld({ pace });
    const rollcall = new RollcallWorld({ configDirs: [world.folder.configDir], env: world.env });
    t.after(async () => {
      await rollcall.close();
      await world.close();
    });

    const missing = new Set([...promised, ...(world.sandboxTool.kind === "none" ? [] : sandboxed)]);
    // Whole again is only what was torn before.
    const isTold = (id: string): boolean => id !== "healed" || ![...untold].some((each) => each.id === "torn");
    const settling = new Set(settled);
    const untold = new Set(beats.filter(({ id }) => id !== "sandboxes" || world.sandboxTool.kind !== "none"));
    let last: Roster | undefined;
    await until(
      "every promised row, and all that the terminal tells",
      async () => {
        last = await rollcall.roster();
        for (const each of missing) if (shows(last, each)) missing.delete(each);
        for (const each of untold) if (isTold(each.id) && each.holds(last)) untold.delete(each);
        if (missing.size + untold.size > 0) return false;
        for (const each of settling) if (shows(last, each)) settling.delete(each);
        return settling.size === 0;
      },
      {
        deadlineMs: storyDeadlineMs,
        everyMs: 100,
        seen: () => ({
          missing: [...missing, ...settling].map(({ row }) => row),
          untold: [...untold].map(({ id }) => id),
          rows: last?.sessions.map(({ title, status, liveness }) => [title, status.kind, liveness.how]),
        }),
      },
    );
    assert.deepEqual(
      last?.sessions.filter(({ cwd }) => cwd?.startsWith(world.folder.root) !== true).map(({ title }) => title),
      [],
    );

    await world.close();
    assert.equal(existsSync(world.folder.root), false);
    assert.deepEqual(processesNaming(basename(world.folder.root)), []);
  });

  test("ends when whoever started it is gone, by kill too; the next start removes what that left", async () => {
    const program = join(repositoryRoot, "scripts", "demo", "demoWorld.ts");
    const text = `import { DemoWorld } from ${JSON.stringify(program)};
      process.stdout.write(new DemoWorld({ pace: 1 }).folder.root);
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module-typescript", "--eval", text], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const root = await new Promise<string>((resolve) => {
      holder.stdout.setEncoding("utf8").once("data", resolve);
    });
    const records = join(root, "home", ".claude", "sessions");
    await until("their records", () => readdirSync(records).length > 5, { deadlineMs: 20_000 });
    holder.kill("SIGKILL");
    await until("their end", () => processesNaming(basename(root)).length === 0, {
      deadlineMs: 20_000,
      seen: () => processesNaming(basename(root)),
    });
    assert.equal(existsSync(root), true);
    sweepDemoFolders();
    assert.equal(existsSync(root), false);
  });

  test("leaves a folder alone whose owner lives or is not told", () => {
    const silent = mkdtempSync(join(realpathSync(tmpdir()), "rollcall-demo-"));
    const alive = mkdtempSync(join(realpathSync(tmpdir()), "rollcall-demo-"));
    const start = /^\d+ \(.*\) (.*)$/s.exec(readFileSync("/proc/self/stat", "latin1"))?.[1]?.split(" ")[19];
    writeFileSync(join(alive, "owner.json"), JSON.stringify({ pid: process.pid, start }));
    sweepDemoFolders();
    assert.deepEqual([existsSync(silent), existsSync(alive)], [true, true]);
    writeFileSync(join(silent, "owner.json"), JSON.stringify({ pid: process.pid, start: "1" }));
    writeFileSync(join(alive, "owner.json"), JSON.stringify({ pid: process.pid, start: "1" }));
    sweepDemoFolders();
    assert.deepEqual([existsSync(silent), existsSync(alive)], [false, false]);
  });
});

function shows(roster: Roster, { row, shows: holds }: Promise_): boolean {
  return roster.sessions.some((session) => session.title === row && holds(session));
}

/** Of every process of the host, since the demo's are in groups and namespaces of their own. */
function processesNaming(name: string): readonly string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        const said = [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].map((path) => readFileSync(path, "latin1"));
        return said.join("\0").includes(name) ? [`${pid} ${String(said[0]).replaceAll("\0", " ")}`] : [];
      } catch {
        // It ended meanwhile, or is another user's.
        return [];
      }
    });
}
