// Cases of "turn state": busy, waiting, needs you, error. What a turn's records, its session's record and time alone
// may say.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { describe, test } from "node:test";
import { caseHome, hour, minute, second, sessionId } from "../support/rollcall/caseHome.ts";
import { checkShapes, since, type Shape } from "../support/rollcall/shapes.ts";
import type { TranscriptLines } from "../support/rollcall/transcriptLines.ts";

const options = { concurrency: 4 };

describe("a turn that runs", options, () => {
  test("B026 stays working through gaps without a record, until its end is told", async (t) => {
    const home = caseHome(t, { aheadMs: 5 * hour });
    const begun = home.ago(5 * minute);
    await checkShapes(home, [
      {
        name: "thinking for 40 s",
        record: since(begun, "busy"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .at(home.ago(40 * second))
            .thinks(),
        says: "live, working",
      },
      {
        name: "no record status, 12 s after a result",
        record: since(begun, undefined),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Bash", "t1")
            .at(home.ago(12 * second))
            .answers("t1"),
        says: "live, working",
      },
      {
        name: "no record status, five minutes after the prompt",
        record: since(begun, undefined),
        lines: (lines) => lines.at(begun).prompt(),
        says: "live, working",
      },
      {
        name: "waits for the service and tries again",
        record: since(begun, "busy"),
        lines: (lines) => lines.at(begun).prompt().record("system", { subtype: "api_error", retryInMs: 15_000 }),
        says: "live, working",
      },
      {
        name: "a long tool for four hours",
        record: since(home.ago(4 * hour), "busy"),
        lines: (lines) =>
          lines
            .at(home.ago(4 * hour))
            .prompt()
            .calls("Bash", "t2"),
        says: "live, working",
      },
    ]);
  });

  test("B042 B046 records and wordings that nobody knows never change what a turn says", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const noise = (lines: TranscriptLines): TranscriptLines =>
      lines
        .record("toolResult", { role: "toolResult", content: "?" })
        .record("system", { subtype: "a-new-subtype" })
        .record("attachment", { attachment: { type: "a_new_attachment" } })
        .raw({ type: "mode", mode: "normal" })
        .raw({ type: "a-type-of-next-month", status: "idle", stop_reason: "end_turn" })
        .raw({ type: "permission-mode", permissionMode: "auto" });
    await checkShapes(home, [
      {
        name: "a turn goes on",
        record: since(begun, undefined),
        lines: (lines) => noise(lines.at(begun).prompt().calls("Bash", "t1").answers("t1")),
        says: "live, working",
      },
      {
        name: "a call stays open",
        record: since(begun, "busy"),
        lines: (lines) => noise(lines.at(begun).prompt().calls("Bash", "t2")),
        says: "live, working",
      },
      {
        name: "an end stays an end",
        record: since(home.ago(4 * minute), "idle"),
        lines: (lines) => noise(lines.at(begun).prompt().says().turnEnds()),
        says: "live, waiting",
      },
      {
        name: "the agent quotes the interrupt's words",
        record: since(begun, undefined),
        lines: (lines) => lines.at(begun).prompt().says("[Request interrupted by user] is what it writes", null),
        says: "live, working",
      },
      {
        name: "a person types them",
        record: since(begun, undefined),
        lines: (lines) => lines.at(begun).prompt("[Request interrupted by user] what does it mean?"),
        says: "live, working",
      },
      {
        name: "text about how to interrupt",
        record: since(home.ago(4 * minute), "idle"),
        lines: (lines) => lines.at(begun).prompt().says("press esc to interrupt").turnEnds(),
        says: "live, waiting",
      },
    ]);
  });

  test("B038 B039 a turn that ended while subagents or tasks run is background until they finish", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const launched = (agentId: string): Readonly<Record<string, unknown>> => ({
      toolUseResult: { status: "async_launched", agentId, outputFile: "/tmp/out" },
    });
    const roster = await checkShapes(home, [
      {
        name: "a subagent runs",
        record: since(begun, "busy"),
        lines: (lines) =>
          lines.at(begun).prompt().calls("Agent", "t1").answers("t1", launched("a0001")).says().turnEnds(),
        says: "live, background",
      },
      {
        name: "one of two finished",
        record: since(begun, "busy"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Agent", "t1")
            .answers("t1", launched("a0002"))
            .calls("Agent", "t2")
            .answers("t2", launched("a0003"))
            .taskEnded("a0002")
            .says()
            .turnEnds(),
        says: "live, background",
      },
      {
        name: "all finished",
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Agent", "t1")
            .answers("t1", launched("a0004"))
            .says()
            .turnEnds()
            .taskEnded("a0004")
            .says()
            .turnEnds(),
        says: "live, waiting",
      },
      {
        name: "an older version's subagent, within its call",
        record: since(begun, "busy"),
        lines: (lines) => lines.at(begun).prompt().calls("Task", "t1"),
        says: "live, working",
      },
      {
        name: "a shell in the background",
        record: since(home.ago(4 * minute), "shell"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Bash", "t1")
            .answers("t1", { toolUseResult: { backgroundTaskId: "b0001" } })
            .says()
            .turnEnds(),
        says: "live, background",
      },
      {
        name: "a short turn that the shell's news woke has ended",
        record: since(home.ago(minute), "shell"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .calls("Bash", "t1")
            .answers("t1", { toolUseResult: { backgroundTaskId: "b0002" } })
            .says()
            .turnEnds()
            .prompt("<task-notification>\n<task-id>b0002</task-id>\n<summary>a line</summary>\n</task-notification>", {
              origin: { kind: "task-notification" },
            })
            .says()
            .turnEnds(),
        says: "live, background",
      },
    ]);
    assert.deepEqual(
      roster.row(sessionId(1)).subagents.map(({ id }) => id),
      ["a0003"],
    );
  });

  test("B040 B044 B045 its row moves without anybody selecting it, and every surface says the same", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    home.session(id, since(home.ago(minute), "busy"), (lines) => lines.at(home.ago(minute)).prompt());
    const follower = await home.follow();
    const row = (): string => follower.roster.sessions.find((session) => session.id === id)?.status.kind ?? "none";
    await follower.waitFor("the turn", () => row() === "working", 10_000);
    const path = follower.roster.sessions.find((session) => session.id === id)?.transcript ?? "";
    const next = home.lines(id, { from: home.ago(10 * second) }).calls("AskUserQuestion", "t1");
    appendFileSync(path, next.text);
    await follower.waitFor("the question", () => row() === "needs-you", 10_000);
    const once = (await home.ls()).row(id).status;
    const fromAgent = (await home.world.roster()).sessions.find((session) => session.id === id)?.status;
    const why = JSON.parse((await home.world.run(["why", id, "--json"])).stdout) as { session: { status: unknown } };
    const table = (await home.world.run(["ls"])).stdout;
    assert.deepEqual(fromAgent, once);
    assert.deepEqual(why.session.status, once);
    assert.match(table, /question/);
  });
});

describe("a turn that is over without saying so", options, () => {
  test("B027 S31 S35 Esc: after output its mark ends the turn, before any output the record does, or silence", async (t) => {
    const home = caseHome(t, { aheadMs: 5 * hour });
    const begun = home.ago(5 * minute);
    await checkShapes(home, [
      {
        name: "after output",
        record: since(home.ago(4 * minute), "idle"),
        lines: (lines) => lines.at(begun).prompt().says("a part", null, { isAbortedMidStream: true }).interrupted(),
        says: "live, waiting",
      },
      {
        name: "after output, the record tells no status",
        record: since(begun, undefined),
        lines: (lines) => lines.at(begun).prompt().says("a part", null).interrupted(),
        says: "live, waiting",
      },
      {
        name: "in a tool",
        record: since(begun, undefined),
        lines: (lines) =>
          lines.at(begun).prompt().calls("Bash", "t1").interrupted("[Request interrupted by user for tool use]"),
        says: "live, waiting",
      },
      {
        name: "a call that was refused",
        record: since(begun, undefined),
        lines: (lines) => lines.at(begun).prompt().calls("Bash", "t1").rejected("t1"),
        says: "live, waiting",
      },
      {
        name: "the mark has an earlier time than what it follows",
        record: since(begun, undefined),
        lines: (lines) => lines.at(home.ago(minute)).prompt().says("a part", null).at(begun).interrupted(),
        says: "live, waiting",
      },
      {
        name: "before any output, the record went idle",
        record: since(home.ago(4 * minute), "idle"),
        lines: (lines) => lines.at(begun).prompt(),
        says: "live, waiting",
      },
      {
        name: "before any output, nobody says anything for 16 min",
        record: since(home.ago(16 * minute), undefined),
        lines: (lines) => lines.at(home.ago(16 * minute)).prompt(),
        says: "live, waiting",
      },
    ]);
  });

  test("B028 B029 S16 a turn that fell silent is over after a bounded wait, where the process reports idle", async (t) => {
    const home = caseHome(t, { aheadMs: 5 * hour });
    const silent = (age: number, record: Readonly<Record<string, unknown>>, says: string, name: string): Shape => ({
      name,
      record,
      lines: (lines) => lines.at(home.ago(age)).prompt().calls("Read", "t1").answers("t1"),
      says,
    });
    const roster = await checkShapes(home, [
      silent(16 * minute, since(home.ago(16 * minute + second), "idle"), "live, waiting", "idle from before, 16 min"),
      silent(2 * hour, since(home.ago(2 * hour - minute), "idle"), "live, waiting", "idle since, 2 h"),
      silent(2 * hour, since(home.ago(2 * hour), undefined), "live, waiting", "no status, 2 h"),
      silent(2 * hour, since(home.ago(2 * hour), "busy"), "live, working", "busy, 2 h"),
      silent(minute, since(home.ago(2 * minute), "idle"), "live, working", "idle from before, one minute"),
    ]);
    assert.equal(roster.row(sessionId(0)).status.rule, "silent-stop");
  });

  test("B047 text typed and not sent leaves no trace that could pin a session", async (t) => {
    const home = caseHome(t);
    await checkShapes(home, [
      {
        name: "turn over",
        record: since(home.ago(3 * minute), "idle"),
        lines: (lines) =>
          lines
            .at(home.ago(5 * minute))
            .prompt()
            .says()
            .turnEnds()
            .raw({ type: "last-prompt", lastPrompt: "not sent" }),
        says: "live, waiting",
      },
    ]);
  });
});

describe("a turn that failed", options, () => {
  test("B030 an expired login is an error that says so, however often Enter is pressed", async (t) => {
    const home = caseHome(t);
    const begun = home.ago(5 * minute);
    const failures = [
      ["authentication_failed", undefined],
      ["authentication_failed", 401],
      ["oauth_org_not_allowed", 403],
      ["unknown", 401],
    ] as const;
    await checkShapes(
      home,
      failures.map(([error, status]) => ({
        name: `${error} ${status}`,
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          lines
            .at(begun)
            .prompt()
            .failed(error, status)
            .prompt("again")
            .failed(error, status)
            .prompt("and again")
            .failed(error, status),
        says: "live, error: login",
      })),
    );
  });

  test("B031 B032 S36 a failed call of the service is an error, also with an end behind it, until a new turn", async (t) => {
    const home = caseHome(t, { aheadMs: 9 * hour });
    const begun = home.ago(8 * hour);
    const failed = (lines: TranscriptLines): TranscriptLines => lines.at(begun).prompt().failed("server_error", 529);
    const shapes: readonly Shape[] = [
      { name: "as the end", record: {}, lines: failed, says: "live, error: server" },
      { name: "an end behind it", record: {}, lines: (lines) => failed(lines).turnEnds(), says: "live, error: server" },
      {
        name: "marks of other hooks behind it",
        record: {},
        lines: (lines) => failed(lines).record("system", { subtype: "stop_hook_summary" }).turnEnds(),
        says: "live, error: server",
      },
      {
        name: "a new turn runs",
        record: since(home.ago(minute), "busy"),
        lines: (lines) => failed(lines).at(home.ago(minute)).prompt("again"),
        says: "live, working",
      },
      {
        name: "a new turn has ended",
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          failed(lines)
            .at(home.ago(2 * minute))
            .prompt("again")
            .says()
            .turnEnds(),
        says: "live, waiting",
      },
    ];
    await checkShapes(
      home,
      shapes.map((shape) => ({ ...shape, record: { ...since(begun + minute, "idle"), ...shape.record } })),
    );
  });

  test("B033 a turn refused by a limit says so", async (t) => {
    const home = caseHome(t);
    await checkShapes(home, [
      {
        name: "by its code",
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          lines
            .at(home.ago(2 * minute))
            .prompt()
            .failed("rate_limit", 429, "You've hit your session limit · resets 3pm (UTC)")
            .turnEnds(),
        says: "live, error: limit",
      },
      {
        name: "by its number",
        record: since(home.ago(minute), "idle"),
        lines: (lines) =>
          lines
            .at(home.ago(2 * minute))
            .prompt()
            .failed("unknown", 429, "Too many requests"),
        says: "live, error: limit",
      },
    ]);
  });
});

describe("a dialog", options, () => {
  test("B034 B035 S21 S33 an open question or plan needs you at once and for as long as it is open, whatever the record says", async (t) => {
    const home = caseHome(t, { aheadMs: 5 * hour });
    const shapes: Shape[] = [];
    for (const [tool, why] of [
      ["AskUserQuestion", "question"],
      ["ExitPlanMode", "plan"],
    ] as const)
      for (const age of [second, 30 * minute, 4 * hour])
        for (const status of ["idle", "busy", undefined])
          shapes.push({
            name: `${tool}, ${status}, ${age} ms`,
            record: since(home.ago(age), status),
            lines: (lines) =>
              lines
                .at(home.ago(age + 2 * second))
                .prompt()
                .says("I ask.", "tool_use")
                .calls(tool, "t1"),
            says: `live, needs-you: ${why}`,
          });
    shapes.push({
      name: "asked beside another call that was answered",
      record: since(home.ago(minute), "busy"),
      lines: (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt()
          .calls("Read", "t1")
          .calls("AskUserQuestion", "t2")
          .answers("t1"),
      says: "live, needs-you: question",
    });
    shapes.push({
      name: "answered",
      record: since(home.ago(minute), "busy"),
      lines: (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt()
          .calls("AskUserQuestion", "t1")
          .answers("t1"),
      says: "live, working",
    });
    await checkShapes(home, shapes);
  });

  test("B036 what waited before the turn's end cannot open it again", async (t) => {
    const home = caseHome(t);
    for (const waitingFor of ["permission prompt", "input needed"])
      await checkShapes(home, [
        {
          name: waitingFor,
          record: since(home.ago(3 * minute), "waiting", waitingFor),
          lines: (lines) =>
            lines
              .at(home.ago(4 * minute))
              .prompt()
              .says()
              .at(home.ago(2 * minute))
              .turnEnds(),
          says: "live, waiting",
        },
      ]);
  });
});

describe("where a state comes from", options, () => {
  test("B041 every state is found again by a start that knows nothing", async (t) => {
    const home = caseHome(t, { aheadMs: 20 * hour });
    const night = home.ago(14 * hour);
    await checkShapes(home, [
      {
        name: "the turn ended in the night",
        record: since(night + minute, "idle"),
        lines: (lines) => lines.at(night).prompt().calls("Bash", "t1").answers("t1").says().turnEnds(),
        says: "live, idle",
      },
      {
        name: "a question since then",
        record: since(night + minute, "idle"),
        lines: (lines) => lines.at(night).prompt().calls("AskUserQuestion", "t1"),
        says: "live, needs-you: question",
      },
    ]);
  });

  test("B048 a session that another tool resumed follows the same rules", async (t) => {
    const home = caseHome(t);
    const [recorded, bare] = [sessionId(1), sessionId(2)];
    const resumed = home.start({ args: ["--resume", recorded] });
    home.record(resumed, recorded, since(home.ago(minute), "idle"));
    home.start({ args: ["--resume", bare] });
    for (const id of [recorded, bare])
      home.transcript(id, (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt()
          .says()
          .turnEnds(),
      );
    const roster = await home.ls();
    assert.equal(roster.says(recorded), "live, waiting");
    assert.equal(roster.says(bare), "live, waiting");
  });

  test("B033 a limit says until when", async (t) => {
    const home = caseHome(t);
    const reset = Math.floor((home.now + 2 * hour) / 1000);
    const texts = [
      `Claude AI usage limit reached|${reset}`,
      "You've hit your session limit · resets 3pm (UTC)",
      "You've hit your weekly limit · resets Dec 4, 3:30pm (UTC)",
    ];
    for (const [index, text] of texts.entries())
      home.session(sessionId(index), { status: "idle" }, (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt()
          .failed("rate_limit", 429, text)
          .turnEnds(),
      );
    const roster = await home.ls();
    for (const [index, text] of texts.entries()) {
      assert.equal(roster.says(sessionId(index)), "live, error: limit");
      assert.ok(roster.row(sessionId(index)).status.until !== undefined, text);
    }
  });

  test("B027 Esc while a tool's permission was asked: refused, idle record", async (t) => {
    const home = caseHome(t);
    home.session(sessionId(1), { status: "idle", statusUpdatedAt: home.ago(minute) }, (lines) =>
      lines
        .at(home.ago(2 * minute))
        .prompt()
        .calls("Bash", "t1")
        .calls("Bash", "t2")
        .rejected("t1"),
    );
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "live, waiting");
  });

  test("B038 C07 a subagent that works below its parent's call has a row below it with its open call", async (t) => {
    const home = caseHome(t);
    home.session(sessionId(1), { status: "busy", statusUpdatedAt: home.ago(2 * minute) }, (lines) =>
      lines
        .at(home.ago(2 * minute))
        .prompt()
        .calls("Agent", "t1")
        .answers("t1", { toolUseResult: { status: "async_launched", agentId: "a0001" } })
        .says()
        .turnEnds(),
    );
    const child = home
      .lines(sessionId(1))
      .prompt("sub", { isSidechain: true, agentId: "a0001" })
      .calls("Bash", "t9", "tool_use", { isSidechain: true, agentId: "a0001" });
    home.transcriptFile("agent-a0001", child.text, {
      project: `${home.cwd.replace(/[^a-zA-Z0-9]/g, "-")}/${sessionId(1)}/subagents`,
    });
    const roster = await home.ls();
    assert.equal(roster.says(sessionId(1)), "live, background");
    assert.deepEqual(
      roster.row(sessionId(1)).subagents.map(({ openTurns }) => openTurns.map(({ tool }) => tool)),
      [["Bash"]],
    );
  });
});
