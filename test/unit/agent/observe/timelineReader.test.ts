// A transcript read for its timeline: from its end, then along with its writer.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { TimelineReader, type TimelineRead } from "../../../../agent/observe/timelineReader.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const line = (record: object): string => `${JSON.stringify(record)}\n`;
const prompt = (text: string): string => line({ type: "user", uuid: text, message: { content: text } });
const filler = line({ type: "attachment", text: "x".repeat(64 * 1024) });

class Followed {
  readonly path: string;
  private readonly reader: TimelineReader;

  constructor(t: TestContext, content: string) {
    this.path = join(scratchFolder(t), "session.jsonl");
    writeFileSync(this.path, content);
    this.reader = new TimelineReader(this.path, "transcripts:/config");
  }

  observe(): ReturnType<TimelineReader["read"]> {
    return this.reader.read(1_000);
  }

  async read(): Promise<TimelineRead> {
    const read = await this.observe();
    assert.ok(read.kind === "observed", JSON.stringify(read));
    return read.value;
  }

  async prompts(): Promise<(string | undefined)[]> {
    return (await this.read()).fold.items.map((item) => (item.kind === "turn" ? item.prompt : item.what));
  }
}

describe("a transcript that is read for its timeline", () => {
  it("is read whole where it is small, and then what was appended", async (t) => {
    const file = new Followed(t, prompt("a") + prompt("b"));
    assert.deepEqual(await file.prompts(), ["a", "b"]);
    appendFileSync(file.path, prompt("c"));
    assert.deepEqual(await file.prompts(), ["a", "b", "c"]);
    assert.equal((await file.read()).bytesNotRead, 0);
  });

  it("waits for the rest of a line that is half written", async (t) => {
    const whole = prompt("b");
    const file = new Followed(t, prompt("a") + whole.slice(0, 20));
    assert.deepEqual(await file.prompts(), ["a"]);
    appendFileSync(file.path, whole.slice(20));
    assert.deepEqual(await file.prompts(), ["a", "b"]);
  });

  it("counts a last line that only lacks its newline, once, as its row does", async (t) => {
    const file = new Followed(t, prompt("a") + prompt("b").trimEnd());
    assert.deepEqual(await file.prompts(), ["a", "b"]);
    assert.deepEqual(await file.prompts(), ["a", "b"]);
    appendFileSync(file.path, `\n${prompt("c")}`);
    assert.deepEqual(await file.prompts(), ["a", "b", "c"]);
  });

  it("tells of an end that can never become a line, and of a line over the limit while it grows", async (t) => {
    const torn = new Followed(t, `${prompt("a")}\u0000\u0000`);
    assert.deepEqual([...(await torn.read()).fold.skipped.keys()], ["the end holds NUL bytes"]);
    const long = new Followed(t, prompt("a") + "x".repeat(limits.transcriptLineBytes + 1));
    for (let again = 0; again < 2; again += 1)
      assert.deepEqual([...(await long.read()).fold.skipped.keys()], ["line too long, and not at its end yet"]);
  });

  it("tells the record behind half a one on its line, as its row does", async (t) => {
    const second = line({ type: "user", uuid: "c", sessionId: "s1", message: { content: "c" } });
    const file = new Followed(t, prompt("a") + prompt("b").slice(0, 20) + second);
    assert.deepEqual(await file.prompts(), ["a", "c"]);
  });

  it("is read from its end where it is large, and says how much was not read", async (t) => {
    const turns = Array.from({ length: limits.timelineItems + 1 }, (_, index) => prompt(`p${index}`)).join("");
    const file = new Followed(t, filler.repeat(100) + turns);
    const { fold, bytesNotRead } = await file.read();
    assert.equal(fold.items.length, limits.timelineItems);
    assert.ok(bytesNotRead > 0 && bytesNotRead < filler.length * 100, `${bytesNotRead}`);
    assert.equal(fold.skipped.size, 0, "the line that the window cuts is no bad one");
  });

  it("is read back to the cap and no further", async (t) => {
    const file = new Followed(t, prompt("old") + filler.repeat(200) + prompt("new"));
    assert.deepEqual(await file.prompts(), ["new"]);
    const { bytesNotRead } = await file.read();
    assert.ok(bytesNotRead > filler.length * 200 - limits.timelineTailCapBytes - filler.length);
  });

  it("is read anew when another file stands in its place, or when it was cut", async (t) => {
    const file = new Followed(t, prompt("a") + prompt("b"));
    await file.read();
    writeFileSync(`${file.path}.new`, prompt("x") + prompt("y") + prompt("z"));
    renameSync(`${file.path}.new`, file.path);
    assert.deepEqual(await file.prompts(), ["x", "y", "z"]);
    writeFileSync(file.path, prompt("x"));
    assert.deepEqual(await file.prompts(), ["x"]);
  });

  it("is read anew when another stands in the same file", async (t) => {
    const file = new Followed(t, prompt("a") + prompt("b"));
    await file.read();
    writeFileSync(file.path, prompt("x") + prompt("y") + prompt("z"));
    assert.deepEqual(await file.prompts(), ["x", "y", "z"]);
  });

  it("is unobserved when something else stands in its place, and absent when it is gone", async (t) => {
    const file = new Followed(t, prompt("a"));
    await file.read();
    rmSync(file.path);
    assert.equal((await file.observe()).kind, "absent");
    mkdirSync(file.path);
    assert.equal((await file.observe()).kind, "unobserved");
    rmSync(file.path, { recursive: true });
    symlinkSync("/etc/hostname", file.path);
    assert.equal((await file.observe()).kind, "unobserved");
  });
});
