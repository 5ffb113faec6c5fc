// A transcript that is still the very file that was read need not be read again; any other one is read.
import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent, TranscriptFacts } from "../../../../agent/core/monitorEvent.ts";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { KeptReads } from "../../../../agent/observe/keptReads.ts";
import { Transcripts } from "../../../../agent/observe/transcripts.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const later = 60_000;
const count = 10;
const prompt = (text: string): string => `${JSON.stringify({ type: "user", message: { content: text } })}\n`;

class World {
  readonly configDir: string;
  readonly kept: string;
  readonly project: string;

  constructor(t: TestContext) {
    const folder = scratchFolder(t);
    this.configDir = join(folder, "config");
    this.kept = join(folder, "data", "kept.json");
    this.project = join(this.configDir, "projects", "-app");
    mkdirSync(this.project, { recursive: true });
    // A whole second, which can be given back.
    const written = Math.floor(Date.now() / 1_000) - 60;
    for (let index = 0; index < count; index += 1) {
      writeFileSync(this.path(index), prompt(`prompt ${index}`));
      utimesSync(this.path(index), written, written);
    }
  }

  path(index: number): string {
    return join(this.project, `session-${index}.jsonl`);
  }

  /** As a process of its own does: what it was told of each file, and which files it opened for that. */
  async look(clockAhead = later): Promise<{ readonly titles: readonly string[]; readonly opened: readonly string[] }> {
    const keptReads = new KeptReads(this.kept);
    await keptReads.load();
    const events: MonitorEvent[] = [];
    const opened: string[] = [];
    const files = hostFiles(this.configDir);
    const transcripts = new Transcripts({
      configDir: this.configDir,
      files: {
        ...files,
        reach: async (folder) => {
          const reach = await files.reach(folder);
          return {
            ...reach,
            open: (path) => {
              opened.push(path);
              return reach.open(path);
            },
          };
        },
      },
      now: () => Date.now() + clockAhead,
      emit: (told) => events.push(...told),
      interesting: () => new Set(),
      keptReads,
      onFault: (error) => assert.fail(String(error)),
    });
    await transcripts.scan();
    keptReads.save();
    const facts = new Map<string, TranscriptFacts>();
    for (const event of events)
      if (event.kind === "transcript" && event.transcript.kind === "observed")
        facts.set(event.path, event.transcript.value);
    const titles = Array.from(
      { length: count },
      (_, index) => facts.get(this.path(index))?.fold.titles.prompt ?? "none",
    );
    return { titles, opened };
  }
}

const asWritten = Array.from({ length: count }, (_, index) => `prompt ${index}`);

describe("what transcripts said", () => {
  it("is told again without opening a file that is still the same", async (t) => {
    const world = new World(t);
    const first = await world.look();
    assert.deepEqual([first.titles, first.opened.length], [asWritten, count]);
    assert.deepEqual(await world.look(), { titles: asWritten, opened: [] });
  });

  const changes: readonly (readonly [string, (path: string) => void])[] = [
    ["appended to", (path) => appendFileSync(path, prompt("more"))],
    [
      "written over at the same length and given its old time back",
      (path) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, readFileSync(path, "utf8").replace("prompt 3", "prompt X"));
        utimesSync(path, atime, mtime);
      },
    ],
    [
      "replaced by another of the same size and time",
      (path) => {
        const { atime, mtime } = statSync(path);
        copyFileSync(path, `${path}.new`);
        writeFileSync(`${path}.new`, readFileSync(path, "utf8").replace("prompt 3", "prompt X"));
        utimesSync(`${path}.new`, atime, mtime);
        renameSync(`${path}.new`, path);
      },
    ],
    ["given other rights", (path) => chmodSync(path, 0o640)],
  ];
  for (const [what, change] of changes) {
    it(`is not believed of a file that was ${what}`, async (t) => {
      const world = new World(t);
      await world.look();
      change(world.path(3));
      const { titles, opened } = await world.look();
      assert.deepEqual(opened, [world.path(3)]);
      const now = (
        JSON.parse(readFileSync(world.path(3), "utf8").split("\n")[0] ?? "") as { message: { content: string } }
      ).message.content;
      assert.deepEqual(titles, asWritten.with(3, now));
    });
  }

  it("is not kept of a file that may change again within the same time", async (t) => {
    const world = new World(t);
    await world.look(0);
    assert.equal((await world.look()).opened.length, count);
  });

  for (const [what, text] of [
    ["damaged", "{"],
    ["another version's", JSON.stringify({ by: "another", entries: [] })],
    ["of another shape", JSON.stringify([])],
  ] as const) {
    it(`is read anew where what was kept is ${what}`, async (t) => {
      const world = new World(t);
      await world.look();
      const whole = readFileSync(world.kept, "utf8");
      writeFileSync(world.kept, what === "another version's" ? whole.replace(/"by":"[^"]*"/, '"by":"another"') : text);
      const { titles, opened } = await world.look();
      assert.deepEqual([titles, opened.length], [asWritten, count]);
    });
  }

  it("is for its user alone", async (t) => {
    const world = new World(t);
    await world.look();
    assert.equal(statSync(world.kept).mode & 0o777, 0o600);
  });
});
