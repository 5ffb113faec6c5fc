// Other shapes of the cases of turns and of processes, each seen at a user's own hands: what the cases' first inputs do
// not hold.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { caseHome, hour, minute, sessionId, skippedAt } from "../support/rollcall/caseHome.ts";
import { checkShapes, since, type Shape } from "../support/rollcall/shapes.ts";

const options = { concurrency: 4 };

describe("turns", options, () => {
  test("B027 S31 an interrupt in the row of a result, behind a blank line, or told by the cut message alone", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const text = "[Request interrupted by user for tool use]";
    const row = (content: unknown): Readonly<Record<string, unknown>> => ({ message: { role: "user", content } });
    const result = { type: "tool_result", tool_use_id: "t1", content: "", is_error: true };
    const shapes: readonly Omit<Shape, "record" | "says">[] = [
      {
        name: "behind a result",
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Bash", "t1")
            .record("user", row([result, { type: "text", text }])),
      },
      {
        name: "behind a blank line",
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .record("user", row(`\n${text}`)),
      },
      {
        name: "the message only",
        lines: (lines) => lines.at(begun).prompt().says("a par", null, { isAbortedMidStream: true }),
      },
    ];
    const noStatus = since(begun, undefined);
    await checkShapes(
      home,
      shapes.map((shape) => ({ ...shape, record: noStatus, says: "live, waiting" })),
    );
  });

  test("S16 S31 a record that is busy with a turn that ended or was interrupted since is not believed", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const busy = since(begun, "busy");
    await checkShapes(home, [
      {
        name: "interrupted",
        record: busy,
        lines: (lines) => lines.at(begun).prompt().says("a par", null).interrupted(),
        says: "live, waiting",
      },
      {
        name: "ended",
        record: busy,
        lines: (lines) => lines.at(begun).prompt().says().turnEnds(),
        says: "live, waiting",
      },
      {
        name: "ended, and the next one runs",
        record: busy,
        lines: (lines) => lines.at(begun).prompt().says().turnEnds().prompt(),
        says: "live, working",
      },
    ]);
  });

  test("S03 S08 a line that was written twice says nothing new, wherever it comes again", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const again = [0, 1, 2, 3, 4].map((index): Shape => ({
      name: `line ${index}`,
      record: since(home.ago(4 * minute), "idle"),
      lines: (lines) => {
        lines.at(begun).prompt().calls("AskUserQuestion", "t1").answers("t1").says().turnEnds();
        return lines.raw(lines.lines[index] ?? "");
      },
      says: "live, waiting",
    }));
    await checkShapes(home, again);
  });

  test("B034 B042 a record that waits in words nobody knows, or in none, needs you", async (t) => {
    const home = caseHome(t);
    const asked = home.ago(4 * minute);
    await checkShapes(
      home,
      ["elicitation", "Permission Prompt", undefined].map((waitingFor) => ({
        name: waitingFor ?? "no words",
        record: since(asked, "waiting", waitingFor),
        lines: (lines) =>
          lines
            .at(home.ago(5 * minute))
            .prompt()
            .calls("mcp__forms__ask", "t1"),
        says: "live, needs-you: question",
      })),
    );
  });
});

describe("processes", options, () => {
  test("B001 S12 L28 of two processes of one conversation the living one's record speaks, and of two living ones the one that asks", async (t) => {
    const home = caseHome(t);
    const asks = since(home.ago(minute), "waiting", "permission prompt");
    const rests = since(home.ago(3 * minute), "idle");
    const held = async (id: string, first: object, second: object | undefined, killed: boolean): Promise<void> => {
      const other = home.start();
      home.record(other, id, { ...first });
      const process = home.start({ args: ["--resume", id] });
      if (second !== undefined) home.record(process, id, { ...second });
      home.transcript(id, (lines) =>
        lines
          .at(home.ago(4 * minute))
          .prompt()
          .calls("Bash", `${id}-t1`),
      );
      if (killed) await other.kill();
    };
    await held(sessionId(1), asks, rests, true);
    await held(sessionId(2), asks, undefined, true);
    await held(sessionId(3), asks, rests, false);
    await held(sessionId(4), rests, asks, false);
    const roster = await home.ls();
    assert.notEqual(roster.row(sessionId(1)).status.kind, "needs-you");
    assert.notEqual(roster.row(sessionId(2)).status.kind, "needs-you");
    assert.equal(roster.says(sessionId(3)), "live, needs-you: permission");
    assert.equal(roster.says(sessionId(4)), "live, needs-you: permission");
  });

  test("B009 B010 B011 B013 T08 a session however its program is started, and nothing else of the same program", async (t) => {
    const home = caseHome(t, { aheadMs: hour });
    const script = "/opt/My Tools/node_modules/@anthropic-ai/claude-code/cli.js";
    const hosted = "/srv/app/node_modules/@anthropic-ai/claude-agent-sdk/cli.js";
    const sessions = [
      { program: "bin/node22", args: [script] },
      { program: "bin/nodejs", args: ["--env-file", "/etc/env", script, `--resume=${sessionId(1)}`] },
      { program: "bin/bun", args: ["--bun", "run", script, "--session-id", sessionId(2)] },
      { program: "Program Files/node", args: ["--", hosted, "--output-format", "stream-json", "-r", sessionId(3)] },
      { args: ["-p", "--", "--resume", sessionId(4)] },
    ].map((look) => home.start(look).pid);
    for (const look of [
      { argv0: "rg", args: ["--files"] },
      { program: "bin/nodemon", args: [script] },
      { program: "bin/node", args: ["/srv/node_modules/@anthropic-ai/claude-code/vendor/server.js"] },
      { program: "bin/node", args: ["run", "/srv/app.js", script] },
    ])
      home.start(look);
    const roster = await home.ls();
    assert.deepEqual(roster.sessions.map(({ pid }) => pid ?? 0).sort(), [...sessions].sort());
    for (const number of [1, 2, 3]) assert.equal(roster.row(sessionId(number)).liveness.kind, "live");
    assert.ok(!roster.ids.includes(sessionId(4)));
  });

  test("B001 T09 a record that tells its times in seconds has no date of 1970, and is not of a session before the boot", async (t) => {
    const home = caseHome(t);
    const living = home.start();
    const seconds = Math.floor(home.now / 1_000);
    const path = home.record(living, sessionId(1), { status: "idle", startedAt: seconds, updatedAt: seconds });
    const elsewhere = home.recordFile(4_000_000, {
      pid: 4_000_000,
      sessionId: sessionId(2),
      cwd: home.cwd,
      startedAt: seconds,
      status: "busy",
      statusUpdatedAt: 1,
    });
    const roster = await home.ls();
    assert.equal(roster.row(sessionId(1)).liveness.kind, "live");
    assert.equal(roster.row(sessionId(2)).liveness.kind, "unknown");
    assert.doesNotMatch(JSON.stringify(roster.whole), /"1970/);
    assert.deepEqual(skippedAt(roster, path), [
      "1: its startedAt is no time in milliseconds",
      "1: its updatedAt is no time in milliseconds",
    ]);
    assert.deepEqual(skippedAt(roster, elsewhere), [
      "1: its startedAt is no time in milliseconds",
      "1: its statusUpdatedAt is no time in milliseconds",
    ]);
  });
});
