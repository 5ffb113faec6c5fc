// One transcript, read from its end and then along with its writer: what is told is what the file says, however
// its bytes arrive and whatever stands in its place.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import type { TranscriptFacts } from "../../../../agent/core/monitorEvent.ts";
import { TranscriptReader } from "../../../../agent/observe/transcriptReader.ts";
import { limits } from "../../../../base/limits.ts";
import type { Observation } from "../../../../protocol/observation.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const source = "transcripts:/config";
const at = 1_000;
const KiB = 1024;
const MiB = 1024 * KiB;

const line = (record: object): string => `${JSON.stringify(record)}\n`;
const prompt = (text: string): string =>
  line({ type: "user", cwd: "/app", timestamp: "2026-01-01T00:00:00Z", message: { content: text } });
const reply = (text: string): string => line({ type: "assistant", message: { content: [{ type: "text", text }] } });
const call = (id: string): string =>
  line({ type: "assistant", message: { content: [{ type: "tool_use", id, name: "Bash" }] } });
const title = (text: string): string => line({ type: "custom-title", customTitle: text });

/** Replies that hold no turn boundary, of about so many bytes. */
const filler = (bytes: number): string => {
  const one = reply("x".repeat(60 * KiB));
  return one.repeat(Math.ceil(bytes / one.length));
};

class Followed {
  readonly path: string;
  private readonly reader: TranscriptReader;

  constructor(t: TestContext, content: string | Buffer = "") {
    this.path = join(scratchFolder(t), "session.jsonl");
    writeFileSync(this.path, content);
    this.reader = new TranscriptReader(this.path, source);
  }

  read(): Promise<Observation<TranscriptFacts>> {
    return this.reader.read(at);
  }

  async facts(): Promise<TranscriptFacts> {
    return factsOf(await this.read());
  }

  /** What a reader says that never saw the file before. */
  async afresh(): Promise<TranscriptFacts> {
    return factsOf(await new TranscriptReader(this.path, source).read(at));
  }
}

function factsOf(observation: Observation<TranscriptFacts>): TranscriptFacts {
  assert.ok(observation.kind === "observed", JSON.stringify(observation));
  return observation.value;
}

const openCalls = ({ fold }: TranscriptFacts): readonly string[] => [...fold.turns.openCalls.keys()];

function assertUnobserved(observation: Observation<unknown>, cause: RegExp): void {
  assert.ok(observation.kind === "unobserved", JSON.stringify(observation));
  assert.match(observation.cause, cause);
}

describe("the first look at a transcript", () => {
  it("reads a small one whole", async (t) => {
    const facts = await new Followed(t, prompt("begin") + call("a") + title("mine")).facts();
    assert.deepEqual(openCalls(facts), ["a"]);
    assert.equal(facts.id, "session");
    assert.equal(facts.startCwd, "/app");
    assert.deepEqual([facts.fold.titles.custom, facts.fold.titles.prompt], ["mine", "begin"]);
    assert.equal(facts.firstRecordAt, Date.parse("2026-01-01T00:00:00Z"));
    assert.equal(facts.windowCapped, false);
  });

  it("is of an empty file: nothing, and that was observed", async (t) => {
    const facts = await new Followed(t).facts();
    assert.equal(facts.sizeBytes, 0);
    assert.equal(facts.fold.turns.phase.kind, "none");
  });

  it("begins at the end of a large one and tells folder, title and time from its head", async (t) => {
    const facts = await new Followed(
      t,
      prompt("the first") + call("old") + filler(MiB) + prompt("the last") + call("new"),
    ).facts();
    assert.deepEqual(openCalls(facts), ["new"]);
    assert.equal(facts.fold.titles.prompt, "the first");
    assert.equal(facts.startCwd, "/app");
    assert.equal(facts.windowCapped, false);
  });

  it("goes back, doubling, until it saw a turn's begin", async (t) => {
    const facts = await new Followed(
      t,
      filler(2 * MiB) + prompt("the turn") + call("far back") + filler(700 * KiB) + call("last"),
    ).facts();
    assert.deepEqual(openCalls(facts), ["far back", "last"]);
    assert.equal(facts.fold.boundarySeen, true);
    assert.equal(facts.windowCapped, false);
  });

  it("stops at the cap and says so", async (t) => {
    const facts = await new Followed(
      t,
      prompt("the first") + call("too far") + filler(limits.transcriptTailCapBytes) + call("near"),
    ).facts();
    assert.deepEqual(openCalls(facts), ["near"]);
    assert.equal(facts.windowCapped, true);
    assert.equal(facts.fold.titles.prompt, "the first");
  });

  it("passes over a line that fills the whole window, and goes on behind it", async (t) => {
    const followed = new Followed(t, prompt("before") + "x".repeat(limits.transcriptTailCapBytes + 1));
    const facts = await followed.facts();
    assert.equal(facts.windowCapped, true);
    assert.deepEqual(openCalls(facts), []);
    appendFileSync(followed.path, `x\n${call("behind")}`);
    const next = await followed.facts();
    assert.deepEqual(openCalls(next), ["behind"]);
    assert.equal(next.fold.skipped.get("line too long"), 1);
  });

  it("keeps a character whole that the edge of a chunk cuts in two", async (t) => {
    const titleLine = title("日本語".repeat(20));
    const inTitle = Buffer.byteLength(titleLine.slice(0, titleLine.indexOf("語"))) + 1;
    for (const shift of [0, 1, 2]) {
      const pad = limits.transcriptReadBytes - inTitle - shift - prompt("begin").length - reply("").length;
      const facts = await new Followed(
        t,
        prompt("begin") + reply("x".repeat(pad)) + titleLine + reply("y".repeat(100 * KiB)),
      ).facts();
      assert.equal(facts.fold.titles.custom, "日本語".repeat(20));
      assert.equal(facts.fold.skipped.size, 0);
    }
  });
});

describe("a transcript that grows", () => {
  it("is read on from where the reading stopped", async (t) => {
    const followed = new Followed(t, prompt("begin"));
    await followed.facts();
    appendFileSync(followed.path, call("a"));
    assert.deepEqual(openCalls(await followed.facts()), ["a"]);
    appendFileSync(followed.path, call("b"));
    assert.deepEqual(openCalls(await followed.facts()), ["a", "b"]);
  });

  it("is the same again when nothing was written", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a"));
    assert.deepEqual(await followed.facts(), await followed.facts());
  });

  it("counts a line that is half written once, when its rest has come", async (t) => {
    const followed = new Followed(t, prompt("begin"));
    const whole = call("a");
    appendFileSync(followed.path, whole.slice(0, 30));
    const half = await followed.facts();
    assert.deepEqual([openCalls(half), half.fold.skipped.size], [[], 0]);
    appendFileSync(followed.path, whole.slice(30, 40));
    assert.deepEqual(openCalls(await followed.facts()), []);
    appendFileSync(followed.path, whole.slice(40));
    const done = await followed.facts();
    assert.deepEqual([openCalls(done), done.fold.skipped.size], [["a"], 0]);
  });

  it("counts a last line that only lacks its newline, once, and no more when it is taken back", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a").trimEnd());
    assert.deepEqual(openCalls(await followed.facts()), ["a"]);
    appendFileSync(followed.path, `\n${call("b").trimEnd()}`);
    assert.deepEqual(openCalls(await followed.facts()), ["a", "b"]);
    truncateSync(followed.path, Buffer.byteLength(prompt("begin") + call("a")));
    const shorter = await followed.facts();
    assert.deepEqual([openCalls(shorter), shorter.fold.skipped.size], [["a"], 0]);
  });

  it("skips an overlong line as one, however many pieces it comes in", async (t) => {
    const followed = new Followed(t, prompt("begin"));
    for (let written = 0; written <= limits.transcriptLineBytes; written += 3 * MiB) {
      appendFileSync(followed.path, "z".repeat(3 * MiB));
      await followed.facts();
    }
    appendFileSync(followed.path, `z\n${call("behind")}`);
    const facts = await followed.facts();
    assert.equal(facts.fold.skipped.get("line too long"), 1);
    assert.deepEqual(openCalls(facts), ["behind"]);
  });

  it("tells its folder and title when it was empty at first", async (t) => {
    const followed = new Followed(t);
    await followed.facts();
    appendFileSync(followed.path, prompt("late"));
    const facts = await followed.facts();
    assert.deepEqual([facts.startCwd, facts.fold.titles.prompt], ["/app", "late"]);
  });
});

describe("what a line may hold", () => {
  it("a byte order mark, CRLF and U+2028 are no hindrance", async (t) => {
    const content = `\uFEFF${prompt("be\u2028gin")}`.replace("\n", "\r\n") + call("a").replace("\n", "\r\n");
    const facts = await new Followed(t, content).facts();
    assert.deepEqual([openCalls(facts), facts.fold.skipped.size], [["a"], 0]);
    assert.equal(facts.fold.titles.prompt, "be gin");
  });

  it("NUL bytes, other than JSON, and records without a type are skipped and counted, each by its reason", async (t) => {
    const facts = await new Followed(t, `${prompt("begin")}\0\0\0\n{"torn\n{}\n[1]\n\n${call("a")}`).facts();
    assert.deepEqual(openCalls(facts), ["a"]);
    assert.deepEqual([...facts.fold.skipped].sort(), [
      ["line holds NUL bytes", 1],
      ["line is not JSON", 1],
      ["record has no type", 2],
    ]);
  });

  it("an end that can never become a line is told like one: NUL bytes, or more than a line may have", async (t) => {
    for (const [end, why] of [
      ["\0".repeat(5_000), "the end holds NUL bytes"],
      ["x".repeat(limits.transcriptLineBytes + 1), "line too long, and not at its end yet"],
    ] as const) {
      for (const before of ["", prompt("begin")]) {
        const followed = new Followed(t, before + end);
        for (let read = 0; read < 2; read += 1)
          assert.deepEqual([...(await followed.facts()).fold.skipped], [[why, 1]], why);
      }
    }
    const half = new Followed(t, `${prompt("begin")}${call("a").slice(0, 30)}`);
    assert.equal((await half.facts()).fold.skipped.size, 0);
  });

  it("invalid UTF-8 costs its own characters only", async (t) => {
    const [before, after] = title("a|b").split("|") as [string, string];
    const content = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc3]), Buffer.from(after)]);
    assert.equal((await new Followed(t, content).facts()).fold.titles.custom, "a\uFFFD\uFFFDb");
  });
});

describe("a transcript that is another one than before", () => {
  it("is read anew after it was cut off", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a") + call("b"));
    await followed.facts();
    truncateSync(followed.path, (prompt("begin") + call("a")).length);
    assert.deepEqual(openCalls(await followed.facts()), ["a"]);
    truncateSync(followed.path, 0);
    assert.deepEqual(openCalls(await followed.facts()), []);
  });

  it("is read anew when another file was put in its place", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a"));
    await followed.facts();
    writeFileSync(`${followed.path}.new`, prompt("begin") + call("b") + call("c"));
    renameSync(`${followed.path}.new`, followed.path);
    assert.deepEqual(openCalls(await followed.facts()), ["b", "c"]);
  });

  it("is read anew when it was rewritten in place at the same size", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a"));
    await followed.facts();
    writeFileSync(followed.path, prompt("BEGIN") + call("b"));
    const facts = await followed.facts();
    assert.deepEqual([openCalls(facts), facts.fold.titles.prompt], [["b"], "BEGIN"]);
  });

  it("is read anew when only its end was rewritten, at the same size", async (t) => {
    const followed = new Followed(t, prompt("begin".repeat(200)) + call("a"));
    await followed.facts();
    writeFileSync(followed.path, prompt("begin".repeat(200)) + call("b"));
    assert.deepEqual(openCalls(await followed.facts()), ["b"]);
  });

  it("is read anew when it was cut off and had grown past the old end before anybody looked", async (t) => {
    const followed = new Followed(t, prompt("begin".repeat(200)) + call("a"));
    await followed.facts();
    writeFileSync(followed.path, prompt("begin".repeat(200)) + title("a title instead") + call("b") + call("c"));
    assert.deepEqual(openCalls(await followed.facts()), ["b", "c"]);
  });
});

describe("a transcript that is not there or is none", () => {
  it("is absent once it was deleted, and read when it is back", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a"));
    await followed.facts();
    rmSync(followed.path);
    assert.equal((await followed.read()).kind, "absent");
    writeFileSync(followed.path, prompt("begin") + call("b"));
    assert.deepEqual(openCalls(await followed.facts()), ["b"]);
  });

  it("is not followed through a link", async (t) => {
    const followed = new Followed(t, prompt("begin"));
    renameSync(followed.path, `${followed.path}.target`);
    symlinkSync(`${followed.path}.target`, followed.path);
    assertUnobserved(await followed.read(), /a link, which is not followed/);
  });

  it("is refused as a named pipe, without waiting for a writer", { timeout: 5_000 }, async (t) => {
    const followed = new Followed(t);
    rmSync(followed.path);
    execFileSync("mkfifo", [followed.path]);
    assertUnobserved(await followed.read(), /not a regular file/);
  });

  it("is refused as a folder and as a device", { timeout: 5_000 }, async (t) => {
    const followed = new Followed(t);
    rmSync(followed.path);
    mkdirSync(followed.path);
    assertUnobserved(await followed.read(), /not a regular file/);
    assertUnobserved(await new TranscriptReader("/dev/zero", source).read(at), /not a regular file/);
  });

  it("keeps what was read while something else stands in its place", async (t) => {
    const followed = new Followed(t, prompt("begin") + call("a"));
    await followed.facts();
    renameSync(followed.path, `${followed.path}.aside`);
    mkdirSync(followed.path);
    assertUnobserved(await followed.read(), /not a regular file/);
    rmSync(followed.path, { recursive: true });
    renameSync(`${followed.path}.aside`, followed.path);
    appendFileSync(followed.path, call("b"));
    assert.deepEqual(openCalls(await followed.facts()), ["a", "b"]);
  });
});

describe("the offset", () => {
  const piece = fc.oneof(
    fc.constantFrom(prompt("do it"), reply("日本 \u2028 ü"), call("a"), call("b"), title("日本語"), "\n", "\r\n"),
    fc.constantFrom("\0\0\n", '{"torn', "{}\n", "\uFEFF", prompt("long ".repeat(100)), line({ type: "system" })),
    fc.string({ unit: "binary", maxLength: 10 }),
  );

  it("is exact: reading after each of any slices tells what reading the whole tells", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-offset-"));
    let runs = 0;
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(piece, { maxLength: 20 }),
          fc.array(fc.nat(1000), { maxLength: 8 }),
          async (pieces, at1000) => {
            const whole = Buffer.from(pieces.join(""));
            const path = join(folder, `${(runs += 1)}.jsonl`);
            writeFileSync(path, "");
            const reader = new TranscriptReader(path, source);
            const cuts = at1000.map((cut) => Math.floor((cut * whole.length) / 1000)).sort((a, b) => a - b);
            let written = 0;
            for (const cut of [...cuts, whole.length]) {
              appendFileSync(path, whole.subarray(written, cut));
              written = cut;
              assert.deepEqual(
                factsOf(await reader.read(at)),
                factsOf(await new TranscriptReader(path, source).read(at)),
              );
            }
          },
        ),
        { numRuns: 150 },
      );
      assert.ok(runs >= 150);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("leaves a fresh look and a following one of one mind", async (t) => {
    const followed = new Followed(t, prompt("begin"));
    for (let index = 0; index < 30; index += 1) {
      appendFileSync(followed.path, call(`call ${index}`) + reply("日".repeat(index)));
      await followed.facts();
    }
    assert.deepEqual(await followed.facts(), await followed.afresh());
  });
});
