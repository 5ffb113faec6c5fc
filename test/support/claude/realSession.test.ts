// A walk through the life of real sessions. It proves that the support code drives them, and pins the facts
// about their files that the agent's readers build on. With ROLLCALL_CLAUDE_RECORD=<folder> it also leaves
// what it saw there.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type RealSession, startSession, type TranscriptLine } from "./realSession.ts";
import { COMMAND_END_FILE, SHELL_END_FILE } from "./script.ts";
import { recordTimeline, type Timeline } from "./timeline.ts";
import { type ClaudeWorld, createClaudeWorld } from "./world.ts";

const WALK_MS = 180_000;

describe(
  "a real claude session",
  { timeout: WALK_MS, skip: process.platform !== "linux" && "walked on Linux only" },
  () => {
    let world: ClaudeWorld;
    let timeline: Timeline;
    let session: RealSession;
    /** One step builds on the other. */
    let broken = false;
    const running = new Set<RealSession>();

    const launch = async (start?: Parameters<typeof startSession>[1]): Promise<RealSession> => {
      session = await startSession(world, start);
      running.add(session);
      void session.terminal.exited.then(() => running.delete(session));
      return session;
    };
    const step = (name: string, run: () => Promise<void>): void => {
      test(name, async (context) => {
        if (broken) return context.skip("an earlier step failed");
        broken = true;
        timeline.mark(name);
        await run();
        broken = false;
      });
    };

    before(async () => {
      world = await createClaudeWorld();
      timeline = recordTimeline(world.configDir);
    });
    after(async () => {
      timeline.stop();
      const folder = process.env["ROLLCALL_CLAUDE_RECORD"];
      if (folder) writeRecording(folder, timeline, world.home);
      for (const one of running) await one.kill9();
      await world.close();
    });

    step("start, then idle", async () => {
      await launch();
      const record = session.record();
      assert.equal(record?.pid, session.pid);
      assert.equal(record["kind"], "interactive");
      assert.equal(record.procStart, startTicks(session.pid));
      assert.equal(existsSync(session.transcriptPath()), false, "no transcript before the first prompt");
    });

    step("busy while the answer streams, idle at the turn's end", async () => {
      await session.prompt("stream-held");
      await world.api.waitForHeld("stream-held");
      assert.equal(session.record()?.status, "busy");
      world.api.release("stream-held");
      await session.turnEnded();
    });

    step("permission asked and given", async () => {
      await session.prompt("run-bash");
      await session.waitForStatus("waiting", "permission prompt");
      await session.approve();
      await session.turnEnded();
      assert.ok(existsSync(join(world.projectDir, "made-by-bash")));
    });

    step("permission asked and denied", async () => {
      await session.prompt("run-bash again");
      await session.waitForStatus("waiting", "permission prompt");
      await session.deny();
      await session.turnEnded();
      await session.waitForLine("denial", (line) => line["toolDenialKind"] === "user-rejected");
    });

    step("two permissions asked by one answer", async () => {
      await session.prompt("run-two");
      await session.waitForStatus("waiting", "permission prompt");
      await session.approve();
      await session.waitForStatus("waiting", "permission prompt");
      await session.approve();
      await session.turnEnded();
    });

    step("question asked and answered", async () => {
      await session.prompt("ask-question");
      await session.waitForStatus("waiting", "input needed");
      await session.answerQuestion();
      await session.turnEnded();
    });

    step("Escape in the middle of an answer", async () => {
      await session.prompt("stream-held");
      await world.api.waitForHeld("stream-held");
      await session.terminal.waitForScreen(/❯ stream-held(?![\s\S]*❯ stream-held)[\s\S]*The first line/);
      await session.escape();
      await session.waitForLine("interrupt marker", (line) => "interruptedMessageId" in line);
    });

    step("Escape before any output", async () => {
      await session.prompt("silent-held");
      await world.api.waitForHeld("silent-held");
      await session.escape();
      timeline.mark("idle after Escape before any output");
      session.terminal.press("ctrl-c");
    });

    step("Escape while a command runs", async () => {
      await session.prompt("foreground-bash");
      await session.waitForLine("the open call", (line) => JSON.stringify(line).includes(COMMAND_END_FILE));
      assert.equal(session.record()?.status, "busy");
      await session.escape();
      await session.waitForLine("interrupt marker", (line) =>
        JSON.stringify(line).includes("interrupted by user for tool use"),
      );
    });

    step("API errors end the turn", async () => {
      for (const keyword of ["fail-401", "fail-429", "fail-500", "fail-400"]) {
        await session.prompt(keyword);
        await session.turnEnded();
        await session.waitForLine(
          `the error of ${keyword}`,
          (line) => line["isApiErrorMessage"] === true && line["apiErrorStatus"] === Number(keyword.slice(-3)),
        );
      }
    });

    step("background shell", async () => {
      // The loop only reads and waits, so nobody is asked.
      await session.prompt("background-bash");
      await session.waitForStatus("shell");
      timeline.mark("the background shell ends");
      writeFileSync(join(world.projectDir, SHELL_END_FILE), "");
      await session.waitForLine("its notification", isNotificationOf("Stand-in command"));
      await session.turnEnded();
    });

    step("background subagent", async () => {
      await session.prompt("background-agent");
      await world.api.waitForHeld("subagent-held");
      await session.waitForLine(
        "turn_duration with a pending agent",
        (line) => line["pendingBackgroundAgentCount"] === 1,
      );
      assert.equal(session.record()?.status, "busy", "a running subagent keeps the record busy after the turn");
      timeline.mark("the turn ended, the subagent runs");
      world.api.release("subagent-held");
      await session.waitForLine("its notification", isNotificationOf("Held subagent"));
      await session.turnEnded();
    });

    step("background subagent that asks for a permission", async () => {
      await session.prompt("asking-agent");
      await session.waitForStatus("waiting");
      timeline.mark("the subagent waits");
      await session.approve();
      await session.waitForLine("its notification", isNotificationOf("Asking subagent"));
      await session.turnEnded();
    });

    step("/clear replaces the session in place", async () => {
      const old = session.sessionId();
      const fresh = await session.clear();
      assert.notEqual(fresh, old);
      await session.prompt("say-hello");
      await session.turnEnded();
    });

    step("clean exit removes the record", async () => {
      const exit = await session.exit();
      assert.equal(exit.exitCode, 0);
      assert.equal(existsSync(session.pidRecordPath), false);
    });

    step("plan asked and approved", async () => {
      await launch({ permissionMode: "plan" });
      await session.prompt("make-plan");
      await session.waitForStatus("waiting");
      timeline.mark("the plan waits");
      await session.approve();
      await session.turnEnded();
    });

    step("kill -9 leaves the record, resume goes on in the same file", async () => {
      await session.prompt("stream-held");
      await world.api.waitForHeld("stream-held");
      const id = session.sessionId();
      const exit = await session.kill9();
      assert.equal(exit.signal, 9);
      assert.throws(() => process.kill(session.pid, 0), { code: "ESRCH" });
      assert.equal(session.record()?.status, "busy");
      const killed = session;
      await launch({ resume: id });
      assert.equal(session.sessionId(), id);
      assert.equal(session.transcriptPath(), killed.transcriptPath());
      assert.ok(existsSync(killed.pidRecordPath), "the next launch does not sweep");
      await session.prompt("say-hello");
      await session.turnEnded();
      await session.exit();
    });
  },
);

function isNotificationOf(description: string): (line: TranscriptLine) => boolean {
  return (line) => {
    const text = JSON.stringify(line);
    return line["type"] === "user" && text.includes("<task-notification>") && text.includes(description);
  };
}

/** Field 22 of /proc/<pid>/stat: the command in field 2 may hold spaces and brackets. */
function startTicks(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function writeRecording(folder: string, timeline: Timeline, home: string): void {
  mkdirSync(folder, { recursive: true });
  const lines = timeline.entries.map((entry) => JSON.stringify(entry).replaceAll(home, "/home/dev"));
  writeFileSync(join(folder, "timeline.jsonl"), `${lines.join("\n")}\n`);
}
