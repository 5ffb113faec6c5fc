// Cases of the history of one monitor, "status": which evidence decides, and which never may.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { caseHome, hour, minute, second, sessionId } from "../support/rollcall/caseHome.ts";
import { checkShapes, since, type Shape } from "../support/rollcall/shapes.ts";

const options = { concurrency: 4 };

describe("a prompt", options, () => {
  test("S01 S10 is told by the record that waits, a subagent's and a sandbox's too", async (t) => {
    const home = caseHome(t);
    const asked = home.ago(3 * minute);
    const shapes: Shape[] = [];
    for (const waitingFor of ["permission prompt", "sandbox request", "worker request"])
      for (const tool of ["Bash", "Read", "mcp__files__write"])
        shapes.push({
          name: `${waitingFor} for ${tool}`,
          record: since(asked, "waiting", waitingFor),
          lines: (lines) =>
            lines
              .at(asked - second)
              .prompt()
              .calls(tool, "t1"),
          says: "live, needs-you: permission",
        });
    shapes.push({
      name: "a subagent's, its parent's turn over",
      record: since(asked + minute, "waiting", "worker request"),
      lines: (lines) =>
        lines
          .at(asked)
          .prompt()
          .calls("Agent", "t1")
          .answers("t1", { toolUseResult: { status: "async_launched", agentId: "a1" } })
          .says()
          .at(asked + 2 * minute)
          .turnEnds(),
      says: "live, needs-you: permission",
    });
    shapes.push({
      name: "before the call is written",
      record: since(asked, "waiting", "permission prompt"),
      lines: (lines) => lines.at(asked - second).prompt(),
      says: "live, needs-you: permission",
    });
    await checkShapes(home, shapes);
  });

  test("S12 has no age: it needs you until something answers it", async (t) => {
    const home = caseHome(t, { aheadMs: 30 * hour });
    const ages = [29 * minute, 31 * minute, 1_819 * second, 20 * hour];
    await checkShapes(
      home,
      ages.map((age) => ({
        name: `${age} ms`,
        record: since(home.ago(age), "waiting", "permission prompt"),
        lines: (lines) =>
          lines
            .at(home.ago(age + 2 * second))
            .prompt()
            .calls("Bash", "t1"),
        says: "live, needs-you: permission",
      })),
    );
  });

  test("S02 S13 is over once newer evidence says so: a later turn, a later status", async (t) => {
    const home = caseHome(t);
    const asked = home.ago(10 * minute);
    await checkShapes(home, [
      {
        name: "a later turn runs",
        record: since(asked, "waiting", "permission prompt"),
        lines: (lines) => lines.at(asked).prompt().calls("Bash", "t1").answers("t1").at(home.ago(minute)).prompt(),
        says: "live, working",
      },
      {
        name: "a later turn has ended",
        record: since(asked, "waiting", "input needed"),
        lines: (lines) => lines.at(home.ago(minute)).prompt().says().turnEnds(),
        says: "live, waiting",
      },
      {
        name: "it was interrupted",
        record: since(asked, "waiting", "permission prompt"),
        lines: (lines) => lines.at(asked).prompt().calls("Bash", "t1").at(home.ago(minute)).rejected("t1"),
        says: "live, waiting",
      },
      {
        name: "the record went busy, the call runs",
        record: since(home.ago(minute), "busy"),
        lines: (lines) => lines.at(asked).prompt().calls("Bash", "t1"),
        says: "live, working",
      },
      {
        name: "an error before the record went busy",
        record: since(home.ago(minute), "busy"),
        lines: (lines) => lines.at(asked).prompt().failed("server_error", 500),
        says: "live, working",
      },
    ]);
  });

  test("S09 of an earlier process of a resumed conversation is not one of this process", async (t) => {
    const home = caseHome(t);
    const before = home.ago(3 * hour);
    const shapes = ["AskUserQuestion", "ExitPlanMode", "Bash"].flatMap((tool) =>
      ["idle", undefined].map((status): Shape => {
        return {
          name: `${tool}, ${status}`,
          record: since(home.ago(50 * minute), status),
          lines: (lines) => lines.at(before).prompt().calls(tool, "t1"),
          says: status === "idle" ? "live, idle" : "live, starting",
        };
      }),
    );
    const roster = await checkShapes(home, shapes);
    for (const index of shapes.keys())
      assert.deepEqual(
        roster.row(sessionId(index)).openTurns.map(({ abandoned }) => abandoned),
        [true],
      );
  });

  test("S19 in another pid namespace reaches its row", async (t) => {
    const home = caseHome(t);
    const inside = await home.startInNamespace();
    home.record(inside, sessionId(1), since(home.ago(minute), "waiting", "permission prompt"));
    home.transcript(sessionId(1), (lines) =>
      lines
        .at(home.ago(2 * minute))
        .prompt()
        .calls("Bash", "t1"),
    );
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "live, needs-you: permission");
  });

  test("S03 S05 stands while nothing more is read, and shows within a moment", async (t) => {
    const home = caseHome(t);
    const [asking, other] = [sessionId(1), sessionId(2)];
    home.session(asking, since(home.ago(minute), "idle"), (lines) => lines.prompt().calls("AskUserQuestion", "t1"));
    const second = home.session(other, since(home.ago(minute), "busy"), (lines) => lines.prompt());
    const follower = await home.follow();
    const row = (id: string): unknown => follower.roster.sessions.find((session) => session.id === id)?.status;
    const kind = (id: string): string | undefined => (row(id) as { kind: string } | undefined)?.kind;
    await follower.waitFor("the question", () => kind(asking) === "needs-you", 10_000);
    const before = row(asking);
    home.record(second, other, since(home.now, "waiting", "permission prompt"));
    await follower.waitWithin("the prompt", () => kind(other) === "needs-you", 1_000);
    assert.deepEqual(row(asking), before);
    assert.deepEqual((await home.ls()).row(asking).status, before);
  });
});

describe("an open call", options, () => {
  test("S04 S20 S30 keeps its turn open: without a stop reason, however long, whichever others were answered", async (t) => {
    const home = caseHome(t, { aheadMs: 9 * hour });
    const ages = [minute, 11 * minute, 5 * hour];
    const shapes = ages.flatMap((age): Shape[] => {
      const at = home.ago(age);
      return [
        {
          name: `no stop reason, ${age} ms`,
          record: since(at, undefined),
          lines: (lines) => lines.at(at).prompt().calls("Bash", "t1", null),
          says: "live, working",
        },
        {
          name: `one of two answered, ${age} ms`,
          record: since(at, undefined),
          lines: (lines) => lines.at(at).prompt().calls("Bash", "t1").calls("WebFetch", "t2").answers("t2"),
          says: "live, working",
        },
        {
          name: `the record said idle before, ${age} ms`,
          record: since(at - second, "idle"),
          lines: (lines) => lines.at(at).prompt().calls("Read", "t1"),
          says: "live, working",
        },
        {
          name: `a question without a stop reason, ${age} ms`,
          record: since(at, undefined),
          lines: (lines) => lines.at(at).prompt().calls("AskUserQuestion", "t1", null),
          says: "live, needs-you: question",
        },
      ];
    });
    await checkShapes(home, shapes);
  });

  test("S08 is closed by its own result only, in whatever order they come", async (t) => {
    const home = caseHome(t);
    const at = home.ago(5 * minute);
    const shapes: Shape[] = [
      {
        name: "one of three",
        record: since(at, "busy"),
        lines: (lines) =>
          lines.at(at).prompt().calls("Read", "t1").calls("Read", "t2").calls("Read", "t3").answers("t2"),
        says: "live, working",
      },
      {
        name: "the result stands before its call",
        record: since(at, "busy"),
        lines: (lines) => lines.at(at).prompt().answers("t1").calls("AskUserQuestion", "t1").calls("Read", "t2"),
        says: "live, working",
      },
      {
        name: "a result of nobody",
        record: since(at, "busy"),
        lines: (lines) => lines.at(at).prompt().calls("AskUserQuestion", "t1").answers("t9"),
        says: "live, needs-you: question",
      },
      {
        name: "several in one record",
        record: since(at, "busy"),
        lines: (lines) =>
          lines
            .at(at)
            .prompt()
            .assistant(
              ["t1", "t2"].map((id) => ({ type: "tool_use", id, name: "Read", input: {} })),
              "tool_use",
            )
            .answers("t1"),
        says: "live, working",
      },
    ];
    const roster = await checkShapes(home, shapes);
    const open = [["t1", "t3"], ["t2"], ["t1"], ["t2"]];
    for (const [index, ids] of open.entries())
      assert.deepEqual(
        roster.row(sessionId(index)).openTurns.map(({ toolUseId }) => toolUseId),
        ids,
      );
  });

  test("S15 S22 is never taken for a prompt by one look alone, where nothing is known of children", async (t) => {
    const home = caseHome(t);
    const at = home.ago(20 * minute);
    await checkShapes(
      home,
      ["Bash", "Read", "Write", "mcp__x__y"].map((tool) => ({
        name: tool,
        record: since(at, undefined),
        lines: (lines) => lines.at(at).prompt().calls(tool, "t1"),
        says: "live, working",
      })),
    );
  });
});

describe("an end", options, () => {
  test("S06 S07 is told by every final stop reason, waits ten minutes and is idle then", async (t) => {
    const home = caseHome(t, { aheadMs: 9 * hour });
    const shapes = ["end_turn", "stop_sequence", "refusal"].flatMap((reason) =>
      [minute, 9 * minute, 11 * minute, 5 * hour].map((age): Shape => {
        return {
          name: `${reason}, ${age} ms`,
          record: since(home.ago(age + minute), undefined),
          lines: (lines) =>
            lines
              .at(home.ago(age + second))
              .prompt()
              .says("done", reason),
          says: age < 10 * minute ? "live, waiting" : "live, idle",
        };
      }),
    );
    await checkShapes(home, shapes);
  });

  test("S11 a compaction ends too, and hides no question", async (t) => {
    const home = caseHome(t);
    const at = home.ago(5 * minute);
    const compacted = { isCompactSummary: true, isVisibleInTranscriptOnly: true };
    const boundary = { subtype: "compact_boundary", compactMetadata: { trigger: "manual", preTokens: 9_000 } };
    await checkShapes(home, [
      {
        name: "by hand, after a turn",
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          lines.at(at).prompt().says().turnEnds().record("system", boundary).prompt("a summary", compacted),
        says: "live, waiting",
      },
      {
        name: "no record status",
        record: since(at, undefined),
        lines: (lines) =>
          lines.at(at).prompt().says().turnEnds().record("system", boundary).prompt("a summary", compacted),
        says: "live, waiting",
      },
      {
        name: "within a turn that asks then",
        record: since(home.ago(minute), "busy"),
        lines: (lines) =>
          lines
            .at(at)
            .prompt()
            .record("system", boundary)
            .prompt("a summary", compacted)
            .calls("AskUserQuestion", "t1"),
        says: "live, needs-you: question",
      },
    ]);
  });

  test("S29 of the process outranks whatever its record and its transcript say, at every look", async (t) => {
    const home = caseHome(t);
    const records = [
      since(home.now, "busy"),
      since(home.now, "waiting", "permission prompt"),
      since(home.now, "idle"),
      since(home.now, "shell"),
      since(home.now, undefined),
    ];
    for (const [index, record] of records.entries())
      await home.session(sessionId(index), record, (lines) => lines.prompt().calls("AskUserQuestion", "t1")).kill();
    for (let look = 0; look < 2; look += 1) {
      const roster = await home.ls();
      for (const index of records.keys()) assert.equal(roster.says(sessionId(index)), "ended: killed, ended");
    }
  });
});

describe("what was not told", options, () => {
  test("S26 S34 is unknown, never idle: no transcript, no status", async (t) => {
    const home = caseHome(t);
    const shapes = [
      ["a host's session that tells no status", { status: undefined, entrypoint: "sdk-ts" }],
      ["a status that nobody knows", { status: "pondering" }],
      ["a status of another type", { status: { kind: "idle" } }],
    ] as const;
    for (const [index, [, record]] of shapes.entries()) home.record(home.start(), sessionId(index), record);
    home.start({ args: ["--session-id", sessionId(90)] });
    const roster = await home.ls();
    for (const [index, [name]] of shapes.entries()) {
      assert.ok(["unknown", "starting"].includes(roster.row(sessionId(index)).status.kind), name);
      assert.equal(roster.row(sessionId(index)).transcript, undefined);
      assert.equal(roster.row(sessionId(index)).usage, undefined);
    }
    assert.equal(roster.says(sessionId(90)), "live, unknown");
  });

  test("S28 names are data: nothing in them is run", async (t) => {
    const home = caseHome(t);
    const marker = join(home.root, "run-by-a-name");
    const name = `a'"; touch ${marker}; $(touch ${marker}) \`touch ${marker}\``;
    const cwd = join(home.root, name.replaceAll("/", "_"));
    mkdirSync(cwd);
    const process = home.start({ cwd });
    home.record(process, sessionId(1), { cwd, name, ...since(home.now, "busy") });
    home.transcript(sessionId(1), (lines) => lines.prompt(name), { cwd, project: name.replaceAll("/", "_") });
    const roster = await home.ls();
    assert.equal(roster.row(sessionId(1)).cwd, cwd);
    await home.world.run(["ls", "--once"]);
    assert.ok(!existsSync(marker));
  });
});
