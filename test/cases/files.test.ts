// Cases of "files": torn lines, encodings and sizes. One bad line costs that line, one bad file that file, and memory
// is bounded by a window.
import assert from "node:assert/strict";
import { appendFileSync, closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { describe, test } from "node:test";
import { caseHome, minute, sessionId, skippedAt, type CaseHome } from "../support/rollcall/caseHome.ts";
import type { TranscriptLines } from "../support/rollcall/transcriptLines.ts";

const options = { concurrency: 3 };
const newline = "\n";

/** A live session whose transcript is exactly this. */
function session(home: CaseHome, id: string, content: string | Buffer): string {
  const process = home.start();
  const at = home.ago(10 * minute);
  home.record(process, id, { status: undefined, updatedAt: at, statusUpdatedAt: at });
  return home.transcriptFile(id, content);
}

function turn(home: CaseHome, id: string): TranscriptLines {
  return home.lines(id, { from: home.ago(5 * minute) });
}

describe("a line", options, () => {
  test("B049 C12 half written is not lost: it counts once, when the rest of it has come", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const lines = turn(home, id)
      .prompt()
      .calls("AskUserQuestion", "t1")
      .answers("t1")
      .lines.map((line) => Buffer.from(line + newline));
    const [prompt, call, answer] = lines as [Buffer, Buffer, Buffer];
    const path = session(home, id, Buffer.concat([prompt, call.subarray(0, 150)]));
    assert.equal((await home.ls()).says(id), "live, working");
    const follower = await home.follow();
    const row = (): string => follower.roster.sessions.find((each) => each.id === id)?.status.kind ?? "none";
    await follower.waitFor("the turn", () => row() === "working", 10_000);
    appendFileSync(path, call.subarray(150));
    await follower.waitFor("the question", () => row() === "needs-you", 10_000);
    // Torn within a newline and a character too.
    appendFileSync(path, answer.subarray(0, answer.length - 1));
    appendFileSync(path, answer.subarray(answer.length - 1));
    await follower.waitFor("the answer", () => row() === "working", 10_000);
    assert.deepEqual(follower.roster.skipped, []);
  });

  test("B051 whole at the end of its file counts, though its newline is missing", async (t) => {
    const home = caseHome(t);
    const unended = (index: number, lines: TranscriptLines): string =>
      session(home, sessionId(index), lines.text.trimEnd()) && sessionId(index);
    const ended = unended(1, turn(home, sessionId(1)).prompt().says("x", null).turnEnds());
    const asks = unended(2, turn(home, sessionId(2)).prompt().calls("AskUserQuestion", "t1"));
    const roster = await home.ls();
    assert.equal(roster.says(ended), "live, waiting");
    assert.equal(roster.says(asks), "live, needs-you: question");
  });

  test("B051 is read whole over the edges of what is read at once: characters, CRLF", async (t) => {
    const home = caseHome(t);
    for (const [index, shift] of [0, 1, 2, 3].entries()) {
      const id = sessionId(index);
      const edge = turn(home, id)
        .prompt("x".repeat(shift) + "😀".repeat(200_000))
        .calls("ExitPlanMode", "t1");
      session(home, id, edge.text);
    }
    const crlf = sessionId(50);
    session(home, crlf, turn(home, crlf).prompt().says().turnEnds().text.replaceAll("\n", "\r\n"));
    const roster = await home.ls();
    for (const index of [0, 1, 2, 3]) assert.equal(roster.says(sessionId(index)), "live, needs-you: plan");
    assert.equal(roster.says(crlf), "live, waiting");
    assert.deepEqual(skippedAt(roster), []);
    assert.doesNotMatch(roster.row(sessionId(1)).title, /\uFFFD/);
  });

  test("B052 a start with a half line at the end reads it once, when it is whole", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const whole = Buffer.from(turn(home, id).prompt("ünïcödé first").says("ünïcödé", null).turnEnds().text);
    const path = session(home, id, whole.subarray(0, whole.length - 40));
    assert.equal((await home.ls()).says(id), "live, working");
    appendFileSync(path, whole.subarray(whole.length - 40));
    const roster = await home.ls();
    assert.equal(roster.says(id), "live, waiting");
    assert.equal(roster.row(id).title, "ünïcödé first");
  });

  test("B054 torn by a full disk is told as a gap, and what follows it counts", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const [prompt, call, answer] = turn(home, id).prompt().calls("AskUserQuestion", "t1").answers("t1").lines as [
      string,
      string,
      string,
    ];
    const path = session(home, id, `${prompt}\n${call}\n{"type":"a","te${answer}\n`);
    const roster = await home.ls();
    assert.equal(skippedAt(roster, path).length, 1);
  });

  test("B055 with raw separators of other alphabets is one line, and one bad line is only that line", async (t) => {
    const home = caseHome(t);
    const separators = ["\u2028", "\u2029", "\u0085", "\u001c"];
    for (const [index, separator] of separators.entries()) {
      const lines = turn(home, sessionId(index));
      // JSON writes U+2028 raw; a control character below a space makes the line no JSON.
      lines.prompt("before").raw({ type: "ai-title", aiTitle: "the title" });
      lines.raw(lines.lines[0]?.replace("before", `one${separator}two`) ?? "");
      session(home, sessionId(index), lines.says().turnEnds().text);
    }
    const bad = sessionId(90);
    const path = session(
      home,
      bad,
      turn(home, bad).prompt("kept").raw("{{{ not json").raw("[1,2]").raw("null").raw('"x"').says().turnEnds().text,
    );
    const roster = await home.ls();
    for (const index of separators.keys()) assert.equal(roster.says(sessionId(index)), "live, waiting");
    assert.equal(roster.row(sessionId(0)).title, "the title");
    assert.equal(roster.says(bad), "live, waiting");
    assert.equal(roster.row(bad).title, "kept");
    assert.deepEqual(
      skippedAt(roster, path).reduce((sum, words) => sum + Number(words.split(":")[0]), 0),
      4,
    );
  });

  test("B056 behind a byte order mark is kept", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    session(home, id, `\uFEFF${turn(home, id).prompt("the first record").says().turnEnds().text}`);
    const roster = await home.ls();
    assert.equal(roster.row(id).title, "the first record");
    assert.deepEqual(skippedAt(roster), []);
  });

  test("B062 with spaces behind its colons is read as any other", async (t) => {
    const home = caseHome(t);
    const id = sessionId(1);
    const spaced = turn(home, id)
      .prompt("spaced")
      .says("done")
      .turnEnds()
      .lines.map((line) => JSON.stringify(JSON.parse(line), null, 1).replaceAll("\n", " "));
    session(home, id, spaced.map((line) => `${line}\n`).join(""));
    const roster = await home.ls();
    assert.equal(roster.says(id), "live, waiting");
    assert.equal(roster.row(id).title, "spaced");
  });
});

describe("a file", options, () => {
  test("B058 B061 of any size is listed from its end in bounded memory", async (t) => {
    const home = caseHome(t);
    const snapshots = sessionId(1);
    const path = session(home, snapshots, "");
    const snapshot = `${JSON.stringify({ type: "file-history-snapshot", messageId: "m", snapshot: { trackedFileBackups: "x".repeat(60_000) } })}\n`;
    const file = openSync(path, "w");
    for (let written = 0; written < 60 * 2 ** 20; written += snapshot.length * 16) writeSync(file, snapshot.repeat(16));
    closeSync(file);
    const huge = sessionId(2);
    sparse(
      session(home, huge, ""),
      4 * 2 ** 30,
      `\n${turn(home, huge).prompt("in the end").calls("AskUserQuestion", "t1").text}`,
    );
    const oneLine = sessionId(3);
    sparse(session(home, oneLine, ""), 600 * 2 ** 20, "");
    home.world.env["NODE_OPTIONS"] = `${home.world.env["NODE_OPTIONS"] ?? ""} --max-old-space-size=48`;
    const roster = await home.ls();
    assert.equal(roster.row(snapshots).liveness.kind, "live");
    assert.equal(roster.says(huge), "live, needs-you: question");
    assert.equal(roster.row(oneLine).liveness.kind, "live");
  });

  test("B059 many of middle size are listed with little memory", async (t) => {
    const home = caseHome(t);
    const filler = `${JSON.stringify({ type: "attachment", attachment: { type: "file", content: "y".repeat(100_000) } })}\n`;
    for (let index = 0; index < 40; index += 1) {
      const id = sessionId(index);
      const text = turn(home, id).prompt(`prompt ${index}`).says().turnEnds().text;
      const [first = "", ...rest] = text.split("\n");
      home.transcriptFile(id, `${first}\n${filler.repeat(20)}${rest.join("\n")}`);
    }
    home.world.env["NODE_OPTIONS"] = `${home.world.env["NODE_OPTIONS"] ?? ""} --max-old-space-size=48`;
    const roster = await home.ls();
    assert.equal(roster.sessions.length, 40);
    for (let index = 0; index < 40; index += 1) {
      assert.equal(roster.says(sessionId(index)), "unknown, waiting");
      assert.equal(roster.row(sessionId(index)).title, `prompt ${index}`);
    }
  });

  test("B064 full of NUL bytes is told as damaged, and the other rows stand", async (t) => {
    const home = caseHome(t);
    const good = sessionId(1);
    session(home, good, turn(home, good).prompt().says().turnEnds().text);
    const dead = home.start();
    const record = home.record(dead, sessionId(2));
    writeFileSync(record, Buffer.alloc(600));
    session(home, sessionId(3), Buffer.alloc(5_000));
    const lines = sessionId(4);
    const inside = session(
      home,
      lines,
      Buffer.concat([
        Buffer.from(turn(home, lines).prompt().text),
        Buffer.alloc(300),
        Buffer.from(`\n${turn(home, lines).says().turnEnds().text}`),
      ]),
    );
    const roster = await home.ls();
    assert.equal(roster.says(good), "live, waiting");
    assert.equal(skippedAt(roster, record).length, 1);
    assert.equal(roster.row(sessionId(3)).liveness.kind, "live");
    assert.equal(roster.says(lines), "live, waiting");
    assert.deepEqual(skippedAt(roster, inside), ["1: line holds NUL bytes"]);
  });
});

/** A file of this size that takes no room, with text at its end. */
function sparse(path: string, bytes: number, end: string): void {
  const file = openSync(path, "w");
  ftruncateSync(file, bytes);
  writeSync(file, end, bytes);
  closeSync(file);
}
