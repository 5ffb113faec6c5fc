// Two real sessions, each in a bubblewrap sandbox of its own, on one config folder and with the same pid inside: they
// overwrite each other's record, and their rows stay apart and right.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Roster, Session } from "../../protocol/roster.ts";
import { ensureClaude } from "../support/claude/install.ts";
import { startTerminal, type Terminal } from "../support/claude/terminal.ts";
import { until } from "../support/claude/until.ts";
import { createClaudeWorld, type ClaudeWorld } from "../support/claude/world.ts";
import { Follower } from "../support/rollcall/follower.ts";
import { RollcallWorld } from "../support/rollcall/world.ts";

const deadlineMs = 60_000;

interface Recorded {
  readonly pid: number;
  readonly sessionId: string;
  readonly pidDomain: string;
  readonly status?: string;
}

/** A real session in a sandbox, and the conversation that its record named when it had just started. */
interface Inside {
  readonly terminal: Terminal;
  readonly record: Recorded;
  readonly namespace: string;
}

describe("two real sessions in sandboxes that share a config folder", { timeout: 240_000 }, () => {
  let world: ClaudeWorld;
  let rollcall: RollcallWorld;
  let follower: Follower;
  const terminals: Terminal[] = [];

  before(async () => {
    world = await createClaudeWorld();
    rollcall = new RollcallWorld({ configDirs: [world.configDir] });
    await rollcall.startAgent();
    follower = await Follower.connect(rollcall.socket, [world.configDir]);
  });

  after(async () => {
    follower.close();
    for (const terminal of terminals) {
      terminal.kill("SIGKILL");
      await terminal.exited;
    }
    await rollcall.close();
    await world.close();
  });

  const start = async (): Promise<Inside> => {
    const known = new Set(records(world).map(({ pidDomain }) => pidDomain));
    const enter = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    const args = [...enter, "--chdir", world.projectDir, ensureClaude(), "--permission-mode", "default"];
    const terminal = startTerminal({ binary: "bwrap", args, env: world.env, cwd: world.projectDir });
    terminals.push(terminal);
    const record = await until(
      "its record",
      () => records(world).find(({ pidDomain, status }) => !known.has(pidDomain) && status === "idle"),
      { deadlineMs, seen: () => terminal.screen() },
    );
    await terminal.waitForScreen(/❯/, deadlineMs);
    return { terminal, record, namespace: /\[(\d+)\]/.exec(record.pidDomain)?.[1] ?? "" };
  };

  test("rows stay apart, for an agent that watched and for a look afterwards", async () => {
    const a = await start();
    const seen = (roster: Roster, id: string): Session | undefined =>
      roster.sessions.find((row) => row.id === id && row.liveness.kind === "live");
    await follower.waitFor("the first", (roster) => seen(roster, a.record.sessionId) !== undefined, deadlineMs);
    const b = await start();
    assert.equal(a.record.pid, b.record.pid, "the premise: one pid in two namespaces");
    assert.equal(records(world).length, 1, "the premise: one record");
    await follower.waitFor("the second", (roster) => seen(roster, b.record.sessionId) !== undefined, deadlineMs);
    a.terminal.type("hello");
    await a.terminal.waitForScreen(/❯.*hello/, deadlineMs);
    a.terminal.press("enter");
    const expected = (roster: Roster): readonly string[] =>
      [a, b].map(({ record, namespace }) => {
        const row = seen(roster, record.sessionId);
        const runs = row?.pid !== undefined && namespaceOf(row.pid) === namespace;
        return row !== undefined && row.sandbox === `pidns:${namespace}` && runs ? "right" : JSON.stringify(row);
      });
    await follower.waitFor(
      "the first one's turn, and its end",
      (roster) => ["waiting", "idle"].includes(seen(roster, a.record.sessionId)?.status.kind ?? ""),
      deadlineMs,
    );
    for (const roster of [follower.roster, await rollcall.roster(), await rollcall.roster("--once")]) {
      assert.deepEqual(expected(roster), ["right", "right"]);
      assert.equal(roster.sessions.length, 2);
    }

    a.terminal.type("/clear");
    a.terminal.press("enter");
    const next = await until(
      "the record with the first one's next conversation",
      () => records(world).find(({ sessionId }) => ![a, b].some(({ record }) => record.sessionId === sessionId)),
      { deadlineMs, seen: () => a.terminal.screen() },
    );
    assert.equal(next.pidDomain, b.record.pidDomain, "the premise: it is in the other one's record");
    const ownOrNobodys = (roster: Roster): boolean =>
      [undefined, `pidns:${a.namespace}`].includes(seen(roster, next.sessionId)?.sandbox ?? undefined);
    for (const roster of [follower.roster, await rollcall.roster(), await rollcall.roster("--once")])
      assert.ok(ownOrNobodys(roster), JSON.stringify(seen(roster, next.sessionId)));
    a.terminal.type("hello again");
    await a.terminal.waitForScreen(/❯.*hello again/, deadlineMs);
    a.terminal.press("enter");
    await follower.waitFor(
      "the new conversation in the first one's sandbox",
      (roster) => seen(roster, next.sessionId)?.sandbox === `pidns:${a.namespace}`,
      deadlineMs,
    );
    assert.equal(seen(follower.roster, b.record.sessionId)?.sandbox, `pidns:${b.namespace}`);
    assert.ok(ownOrNobodys(await rollcall.roster("--once")), "by a look afterwards");
  });
});

function records(world: ClaudeWorld): readonly Recorded[] {
  const folder = join(world.configDir, "sessions");
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Recorded);
  } catch {
    // Not there yet, or being rewritten: the next look tells.
    return [];
  }
}

function namespaceOf(pid: number): string | undefined {
  return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0];
}
