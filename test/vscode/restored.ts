// Real sessions that were killed, brought back in real terminals of VS Code: the same conversations live again, their
// rows are right, and a second wave starts nothing.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureClaude } from "../support/claude/install.ts";
import { startSession } from "../support/claude/realSession.ts";
import { createClaudeWorld, type ClaudeWorld } from "../support/claude/world.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";
import type { PageApi } from "./page/pageApi.ts";
import { eventually } from "./page/pageClient.ts";
import { choose, dialogAsks, notified, runInPlainWindow } from "./plainWindow.ts";
import type { SuiteResult } from "./runSuite.ts";

const liveWithinMs = 60_000;

export async function runRestored(): Promise<SuiteResult> {
  const world = await createClaudeWorld();
  const rollcall = new RollcallWorld({ configDirs: [world.configDir], env: { HOME: world.home } });
  try {
    const ids = [await killedSession(world), await killedSession(world)];
    const gone = world.addProject("gone");
    const homeless = await killedSession(world, gone);
    rmSync(gone, { recursive: true });
    assert.equal((await rollcall.run(["registry", "put", "lost", "--session", homeless, "--cwd", gone])).code, 0);
    for (const id of ids)
      assert.equal(
        (await rollcall.run(["registry", "put", "box", "--session", id, "--cwd", world.projectDir])).code,
        0,
      );
    return await runInPlainWindow({
      folder: world.projectDir,
      env: { ...world.env, ...rollcall.env },
      settings: { "rollcall.claudePath": ensureClaude() },
      steps: stepsOn({ world, rollcall, ids, homeless }),
    });
  } finally {
    await rollcall.close();
    await world.close();
  }
}

/** One that had a turn, and died in the middle of nothing. */
async function killedSession(world: ClaudeWorld, cwd = world.projectDir): Promise<string> {
  const session = await startSession(world, { cwd });
  await session.prompt("hello");
  await session.turnEnded();
  const id = session.sessionId();
  await session.kill9();
  return id;
}

interface Stage {
  readonly world: ClaudeWorld;
  readonly rollcall: RollcallWorld;
  readonly ids: readonly string[];
  /** One whose folder is gone. */
  readonly homeless: string;
}

function stepsOn({
  world,
  rollcall,
  ids,
  homeless,
}: Stage): readonly (readonly [string, (page: PageApi) => Promise<void>])[] {
  const says = async (): Promise<Record<string, string>> => {
    const { sessions } = await rollcall.roster();
    const rows = sessions.filter(({ id }) => ids.includes(id));
    return Object.fromEntries(
      rows.map(({ id, sandbox, liveness }) => [id, `${liveness.kind} in ${sandbox ?? "no sandbox"}`]),
    );
  };
  const all = (words: string): Record<string, string> => Object.fromEntries(ids.map((id) => [id, words]));
  /** A record is rewritten in place, and may be seen empty. */
  const both = (): Promise<readonly Resumed[]> =>
    eventually(
      () => Promise.resolve(resumed(world)),
      (found) => found.length === 2,
    );
  let first: readonly Resumed[] = [];
  return [
    [
      "both were killed",
      async () => {
        await eventually(says, all("ended in box"), 30_000);
      },
    ],
    [
      "a wave of their sandbox brings both back, each in a terminal, after it was asked for",
      async (page) => {
        await choose(page, "Rollcall: Restore Sessions of Sandbox...", "box");
        await dialogAsks(page, /Restore 2 sessions\?[\s\S]*outside of the sandbox/);
        await page.screenshot("restore-asked.png");
        await page.click({ role: "button", name: "Restore" });
        await eventually(says, all("live in box"), liveWithinMs);
        await notified(page, /Sessions: 2 restored\./, liveWithinMs);
        await page.screenshot("restore-done.png");
      },
    ],
    [
      "they are the same conversations, in the folder that they began in, with their config folder",
      async () => {
        first = await both();
        assert.deepEqual(first.map(({ id }) => id).sort(), [...ids].sort());
        for (const { cwd, configDir, record } of first) {
          assert.equal(cwd, world.projectDir);
          assert.equal(configDir, world.configDir);
          assert.ok(ids.includes(record), record);
        }
        const names = readdirSync(join(world.configDir, "projects", world.projectDir.replace(/[^A-Za-z0-9]/g, "-")));
        assert.deepEqual(names.filter((name) => name.endsWith(".jsonl")).sort(), ids.map((id) => `${id}.jsonl`).sort());
      },
    ],
    [
      "a second wave starts nothing, and says why",
      async (page) => {
        await page.command("Notifications: Clear All Notifications");
        await page.command("Rollcall: Restore All...");
        await notified(page, /Sessions: 2 with nothing to restore, 1 refused\./, 30_000);
        await page.screenshot("restore-again.png");
        assert.deepEqual(await both(), first);
        assert.equal((await rollcall.run(["restore", "--all"])).stdout, "");
      },
    ],
    [
      "one that is killed again comes back alone",
      async (page) => {
        const [killed, other] = first;
        assert.ok(killed !== undefined && other !== undefined);
        process.kill(killed.pid, "SIGKILL");
        await eventually(async () => (await says())[killed.id], "ended in box", 30_000);
        await page.command("Notifications: Clear All Notifications");
        await choose(page, "Rollcall: Restore Session", "box");
        await dialogAsks(page, /outside of the sandbox/);
        await page.click({ role: "button", name: "Restore" });
        await eventually(says, all("live in box"), liveWithinMs);
        const now = await both();
        assert.deepEqual(
          now.find(({ pid }) => pid === other.pid),
          other,
        );
      },
    ],
    [
      "one whose folder is gone asks for another one, and goes on there",
      async (page) => {
        await page.command("Notifications: Clear All Notifications");
        await choose(page, "Rollcall: Restore Session", "");
        await notified(page, /the folder it began in is gone/, 20_000);
        await page.screenshot("restore-folder-gone.png");
        await page.click({ role: "button", name: "Choose Folder..." });
        await eventually(
          () => page.quickInput(),
          (input) => input?.value === `${world.home}/`,
        );
        await page.type("app");
        await page.screenshot("restore-folder-chosen.png");
        // An Enter may come too early to count, or only go into the folder; one too many would answer what is asked next.
        for (let input = await page.quickInput(); input !== undefined; input = await page.quickInput()) {
          const { value } = input;
          await page.press("Enter");
          const counted = eventually(
            () => page.quickInput(),
            (now) => now?.value !== value,
            2_000,
          );
          await counted.catch(() => undefined);
        }
        await dialogAsks(page, /outside of the sandbox/);
        await page.click({ role: "button", name: "Restore" });
        await eventually(
          async () => (await rollcall.roster()).sessions.find(({ id }) => id === homeless)?.liveness.kind,
          "live",
          liveWithinMs,
        );
        await eventually(
          () => Promise.resolve(resumed(world).find(({ id }) => id === homeless)?.cwd),
          world.projectDir,
        );
      },
    ],
  ];
}

interface Resumed {
  readonly pid: number;
  readonly id: string;
  readonly cwd: string;
  readonly configDir: string | undefined;
  /** The conversation that its own record names. */
  readonly record: string;
}

/** The agent's processes of this world that were started with a conversation to resume. */
function resumed(world: ClaudeWorld): readonly Resumed[] {
  const program = dirname(ensureClaude());
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid): readonly Resumed[] => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        const id = args[args.indexOf("--resume") + 1];
        const cwd = readlinkSync(`/proc/${pid}/cwd`);
        if (!args[0]?.startsWith(program) || !args.includes("--resume") || id === undefined) return [];
        if (!cwd.startsWith(world.root)) return [];
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        const configDir = environment.find((each) => each.startsWith("CLAUDE_CONFIG_DIR="))?.slice(18);
        const record = JSON.parse(readFileSync(join(world.configDir, "sessions", `${pid}.json`), "utf8")) as {
          readonly sessionId: string;
        };
        return [{ pid: Number(pid), id, cwd, configDir, record: record.sessionId }];
      } catch {
        // It ended while it was looked at, or is another user's.
        return [];
      }
    });
}
