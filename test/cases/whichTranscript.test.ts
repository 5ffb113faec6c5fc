// Cases of the history of one monitor, "which transcript", and of counting where they speak of reading a file: a row
// is bound to its transcript by id, never by a guess.
import assert from "node:assert/strict";
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { caseHome, hour, minute, projectFolder, sessionId } from "../support/rollcall/caseHome.ts";
import { since } from "../support/rollcall/shapes.ts";

const options = { concurrency: 4 };

describe("a row's transcript", options, () => {
  test("T01 T04 is the one of its id, not the newest of its folder, also where two sessions share one", async (t) => {
    const home = caseHome(t);
    const [first, second] = [sessionId(1), sessionId(2)];
    const bystanders = [sessionId(3), sessionId(4)];
    const begun = home.ago(10 * minute);
    home.session(first, since(begun, undefined), (lines) => lines.at(begun).prompt().calls("AskUserQuestion", "t1"));
    home.session(second, since(begun, undefined), (lines) =>
      lines
        .at(begun + minute)
        .prompt()
        .says()
        .turnEnds(),
    );
    for (const id of bystanders) home.transcript(id, (lines) => lines.prompt());
    // Its conversation may be either of those two.
    home.start();
    const roster = await home.ls();
    assert.equal(roster.says(first), "live, needs-you: question");
    assert.equal(roster.says(second), "live, waiting");
    assert.match(roster.row(first).transcript ?? "", new RegExp(first));
    for (const id of bystanders) assert.equal(roster.row(id).liveness.kind, "unknown");
    assert.equal(roster.bare.length, 1);
  });

  test("T02 is found though its folder is written in another way", async (t) => {
    const home = caseHome(t);
    for (const [index, cwd] of [`${home.cwd}/`, `${home.root}/./app`, `${home.root}//app`].entries()) {
      const id = sessionId(index);
      home.record(home.start(), id, { cwd, ...since(home.ago(minute), undefined) });
      home.transcript(id, (lines) =>
        lines
          .at(home.ago(2 * minute))
          .prompt()
          .calls("ExitPlanMode", "t1"),
      );
    }
    const roster = await home.ls();
    for (const index of [0, 1, 2]) assert.equal(roster.says(sessionId(index)), "live, needs-you: plan");
  });

  test("T03 is bound anew when the process goes on with another conversation", async (t) => {
    const home = caseHome(t);
    const [old, next] = [sessionId(1), sessionId(2)];
    const process = home.session(old, since(home.ago(3 * minute), "idle"), (lines) =>
      lines
        .at(home.ago(9 * minute))
        .prompt("old")
        .says()
        .turnEnds(),
    );
    home.record(process, next, since(home.ago(minute), "busy"));
    home.transcript(next, (lines) => lines.at(home.ago(minute)).prompt("new"));
    const roster = await home.ls();
    assert.equal(roster.says(next), "live, working");
    assert.equal(roster.row(next).title, "new");
    assert.notEqual(roster.row(old).liveness.kind, "live");
  });

  test("T07 R14 is the one that grew last where a conversation moved to another folder", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const moved = { cwd: "/home/u/app/.claude/worktrees/w1" };
    home.transcript(
      id,
      (lines) =>
        lines
          .at(home.ago(9 * minute))
          .prompt()
          .says()
          .turnEnds(),
      { cwd: "/home/u/app" },
    );
    home.transcript(id, (lines) => lines.at(home.ago(minute)).prompt().calls("AskUserQuestion", "t1"), moved);
    home.record(home.start(), id, since(home.ago(20 * minute), undefined));
    const roster = await home.ls();
    assert.equal(roster.says(id), "live, needs-you: question");
    assert.match(roster.row(id).transcript ?? "", new RegExp(projectFolder(moved.cwd)));
    assert.equal(roster.sessions.length, 1);
  });

  test("T08 is named by every form of the arguments that names a conversation", async (t) => {
    const home = caseHome(t);
    const forms = [
      (id: string) => ["--resume", id],
      (id: string) => [`--resume=${id}`],
      (id: string) => ["-r", id],
      (id: string) => [`-r${id}`],
      (id: string) => ["--session-id", id],
      (id: string) => [`--session-id=${id}`],
      (id: string) => ["--verbose", "-r", id.toUpperCase(), "go on"],
      (id: string) => ["--resume", sessionId(99), "--fork-session", "--session-id", id],
    ];
    const ids = forms.map((_, index) => `0000000${index}-abcd-4000-8000-000000000000`);
    for (const [index, form] of forms.entries()) home.start({ args: form(ids[index] ?? "") });
    for (const args of [["--resume"], ["-r"], ["--continue"], ["--resume", "the one of yesterday"]])
      home.start({ args });
    const roster = await home.ls();
    assert.deepEqual(
      roster.ids.filter((id) => !id.startsWith("proc:")),
      ids,
    );
    assert.equal(roster.bare.length, 4);
  });

  test("T12 may not be written yet: the row says what its record says", async (t) => {
    const home = caseHome(t);
    const shapes = [
      [since(home.ago(minute), "busy"), "live, working"],
      [since(home.ago(minute), "waiting", "permission prompt"), "live, needs-you: permission"],
      [since(home.ago(minute), "shell"), "live, background"],
      [since(home.ago(minute), "idle"), "live, idle"],
    ] as const;
    for (const [index, [record]] of shapes.entries()) home.record(home.start(), sessionId(index), record);
    const roster = await home.ls();
    for (const [index, [, says]] of shapes.entries()) {
      assert.equal(roster.says(sessionId(index)), says);
      assert.equal(roster.row(sessionId(index)).transcript, undefined);
    }
  });
});

describe("what a transcript tells", options, () => {
  test("T09 its times are RFC 3339 whole: offsets, fractions, leap days", async (t) => {
    const home = caseHome(t);
    const at = Math.floor(home.ago(4 * minute) / 1000) * 1000;
    const east = (ms: number): string => new Date(ms + 2 * hour).toISOString().replace("Z", "+02:00");
    const west = (ms: number): string => new Date(ms - 9.5 * hour).toISOString().replace("Z", "-09:30");
    const forms = [
      (ms: number) => new Date(ms).toISOString(),
      east,
      west,
      (ms: number) => new Date(ms).toISOString().replace(".000", ""),
      (ms: number) => new Date(ms).toISOString().replace("Z", "123456Z"),
    ];
    for (const [index, form] of forms.entries()) {
      const id = sessionId(index);
      home.record(home.start(), id, since(home.ago(20 * minute), undefined));
      const line = { type: "user", timestamp: form(at), cwd: home.cwd, message: { role: "user", content: "x" } };
      home.transcriptFile(id, `${JSON.stringify(line)}\n`);
    }
    const leap = sessionId(90);
    const leapDay = { type: "user", timestamp: "2024-02-29T23:59:59+02:00", message: { role: "user", content: "x" } };
    home.transcriptFile(
      leap,
      `${JSON.stringify(leapDay)}\n${JSON.stringify({ type: "system", subtype: "turn_duration", timestamp: "2024-02-29T22:00:00Z" })}\n`,
    );
    const roster = await home.ls();
    for (const index of forms.keys()) {
      assert.equal(roster.says(sessionId(index)), "live, working");
      assert.equal(roster.row(sessionId(index)).status.since, new Date(at).toISOString());
    }
    assert.ok(roster.row(leap).evidence.some(({ asOf }) => asOf === "2024-02-29T22:00:00.000Z"));
  });

  test("T10 long text is cut between characters, never in one", async (t) => {
    const home = caseHome(t);
    for (let shift = 0; shift < 4; shift += 1)
      home.transcript(sessionId(shift), (lines) => lines.prompt("x".repeat(shift) + "👩‍🚀".repeat(100)));
    const roster = await home.ls();
    for (let shift = 0; shift < 4; shift += 1) {
      const { title } = roster.row(sessionId(shift));
      assert.ok(title.length > 0);
      // Half a character does not survive this.
      assert.equal(Buffer.from(title, "utf8").toString("utf8"), title);
    }
  });

  test("C14 bytes that are no UTF-8 cost their line at most, and what follows is read", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const [prompt = "", call = "", answer = ""] = home
      .lines(id)
      .prompt("first")
      .calls("AskUserQuestion", "t1")
      .answers("t1").lines;
    const path = home.transcriptFile(
      id,
      Buffer.concat([
        Buffer.from(`${prompt}\n`),
        Buffer.from([0x22, 0xff, 0xfe, 0xc3, 0x0a]),
        Buffer.from(call.replace('"input":{}', '"input":{"a":"')),
        Buffer.from([0xc3, 0x28, 0xf0, 0x9f]),
        Buffer.from('"}\n'),
        Buffer.from(`${call}\n`),
      ]),
    );
    home.record(home.start(), id, since(home.ago(30 * minute), undefined));
    assert.equal((await home.ls()).says(id), "live, needs-you: question");
    appendFileSync(path, `${answer}\n`);
    assert.equal((await home.ls()).says(id), "live, working");
  });

  test("C15 is forgotten with the file it was read from: one that was cut or replaced leaves no open call", async (t) => {
    const home = caseHome(t);
    const [cut, replaced] = [sessionId(1), sessionId(2)];
    const at = home.ago(20 * minute);
    const paths = [cut, replaced].map((id) => {
      home.record(home.start(), id, since(at, undefined));
      return home.transcript(id, (lines) => lines.prompt("a prompt of some length").calls("AskUserQuestion", "t1"));
    });
    const follower = await home.follow();
    const says = (id: string): string | undefined =>
      follower.roster.sessions.find((session) => session.id === id)?.status.kind;
    for (const id of [cut, replaced]) await follower.waitFor("the question", () => says(id) === "needs-you", 10_000);
    truncateSync(paths[0] ?? "", 0);
    appendFileSync(paths[0] ?? "", home.lines(cut).prompt("anew").says().turnEnds().text);
    const other = `${paths[1]}.new`;
    writeFileSync(
      other,
      home.lines(replaced).prompt("another file, as long as the one before or longer").says().turnEnds().text.repeat(3),
    );
    renameSync(other, paths[1] ?? "");
    for (const id of [cut, replaced]) await follower.waitFor("the end", () => says(id) === "waiting", 10_000);
    for (const { openTurns } of follower.roster.sessions) assert.deepEqual(openTurns, []);
  });
});
