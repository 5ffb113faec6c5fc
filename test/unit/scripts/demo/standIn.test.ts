// The stand-in writes what the real agent writes: every line, record and meta file of a play with all its steps has the
// shape, keys and their order included, of one that Claude Code 2.1.332 wrote.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ownIdentity, PidRecordFile } from "../../../../scripts/demo/standIn/pidRecord.ts";
import { Performer } from "../../../../scripts/demo/standIn/performer.ts";
import { subagentMeta } from "../../../../scripts/demo/standIn/subagent.ts";
import { roles } from "../../../../scripts/demo/story.ts";
import type { Assignment, Step } from "../../../../scripts/demo/steps.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";
import { repositoryRoot } from "../../../support/rollcall/world.ts";

const fixtures = join(repositoryRoot, "test", "fixtures", "claude-code-2.1.332");
const sessionId = "00000000-0000-4000-8000-000000000001";

type Json = Readonly<Record<string, unknown>>;

/** Data of its own, whose keys are no part of the format; and what only a plan's lines carry. */
const opaque = new Set(["input", "answers", "trackedFileBackups", "permissionDecision"]);
const leftOut = new Set(["slug"]);

/** Keys in their order with the kinds of their values. */
function shape(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shape))].join("|")}]`;
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  const fields = Object.entries(value).filter(([key]) => !leftOut.has(key));
  return `{${fields.map(([key, each]) => `${key}:${opaque.has(key) ? "…" : shape(each)}`).join(",")}}`;
}

/** Lines of one kind are compared with each other. */
function kindOf(line: Json): string {
  const message = line["message"] as { content?: unknown } | undefined;
  const content = message?.content;
  const blocks = Array.isArray(content)
    ? content.map((block: Json) => String(block["type"])).join("+")
    : typeof content;
  return [line["type"], line["subtype"], line["operation"], blocks].map(String).join(" ");
}

function linesOf(path: string): readonly Json[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);
}

function recordedLines(): readonly Json[] {
  return ["recorded", "walk"]
    .flatMap((folder) => readdirSync(join(fixtures, folder)).map((name) => join(fixtures, folder, name)))
    .filter((path) => /\/(transcript|subagent)\.[^/]*\.jsonl$/.test(path))
    .flatMap(linesOf);
}

function assignmentFor(cwd: string): Assignment {
  return {
    sessionId,
    seed: "shape",
    cwd,
    entrypoint: "cli",
    socketFolder: cwd,
    opening: [],
    round: [],
    roundSeconds: 1,
    beganAt: Date.now(),
    pace: 0,
  };
}

/** Every step of the story, save the one that no test survives. */
const everything: readonly Step[] = roles
  .flatMap(({ opening, round }) => [...opening, ...round])
  .filter((step) => step.do !== "killed" && step.do !== "until")
  // What a tool other than Bash answers was not recorded.
  .filter((step) => step.do !== "tool" || step.use.tool === "Bash");

describe("the stand-in for the coding agent", () => {
  test("writes transcripts, its subagents' too, as recorded ones are", async (t) => {
    const config = scratchFolder(t);
    const record = new PidRecordFile(config, ownIdentity({ cwd: config, entrypoint: "cli", socketFolder: config }));
    await new Performer(assignmentFor(config), config, record).play(everything, Date.now());
    const files = readdirSync(join(config, "projects"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(config, "projects", name));
    assert.equal(files.filter((path) => path.includes("subagents")).length, 3);

    const recorded = new Map<string, Set<string>>();
    for (const line of recordedLines()) {
      const shapes = recorded.get(kindOf(line)) ?? new Set();
      recorded.set(kindOf(line), shapes.add(shape(line)));
    }
    // No recording holds a title that the agent made; what it looks like is documented.
    const written = files.flatMap(linesOf).filter((line) => line["type"] !== "ai-title");
    const unlike = written
      .filter((line) => recorded.get(kindOf(line))?.has(shape(line)) !== true)
      .filter(({ toolUseResult }) => (toolUseResult as Json | undefined)?.["type"] !== "text");
    const permissions = new Set(recordedLines().map(({ permissionDecision }) => shape(permissionDecision)));
    assert.deepEqual(
      written.map(({ permissionDecision }) => shape(permissionDecision)).filter((each) => !permissions.has(each)),
      [],
    );
    const first = unlike[0];
    assert.deepEqual(
      unlike.map(kindOf),
      [],
      first && `${shape(first)}\nis none of\n${[...(recorded.get(kindOf(first)) ?? [])].join("\n")}`,
    );
  });

  test("chains the lines of a conversation from parent to child, oldest first", async (t) => {
    const config = scratchFolder(t);
    const record = new PidRecordFile(config, ownIdentity({ cwd: config, entrypoint: "cli", socketFolder: config }));
    const steps: readonly Step[] = [
      { do: "prompt", text: "Do it." },
      { do: "question", question: "How?", header: "How", options: [], answer: "So", seconds: 0 },
      { do: "answer", text: "Done." },
    ];
    await new Performer(assignmentFor(config), config, record).play(steps, Date.now());
    const [folder = ""] = readdirSync(join(config, "projects"));
    const chained = linesOf(join(config, "projects", folder, `${sessionId}.jsonl`)).filter((line) => "uuid" in line);
    const uuids = chained.map(({ uuid }) => uuid);
    assert.deepEqual(
      chained.map(({ parentUuid }) => parentUuid),
      [null, ...uuids.slice(0, -1)],
    );
    assert.equal(new Set(uuids).size, uuids.length);
    const times = chained.map(({ timestamp }) => Date.parse(String(timestamp)));
    assert.deepEqual(
      times,
      [...times].sort((a, b) => a - b),
    );
  });

  test("writes its record as the real one does at every status", async (t) => {
    const config = scratchFolder(t);
    const record = new PidRecordFile(config, ownIdentity({ cwd: config, entrypoint: "cli", socketFolder: config }));
    const written: Json[] = [];
    const write = record.write.bind(record);
    record.write = (state) => {
      write(state);
      written.push(JSON.parse(readFileSync(record.path, "utf8")) as Json);
    };
    await new Performer(assignmentFor(config), config, record).play(everything, Date.now());

    const recorded = linesOf(join(fixtures, "walk", "pid-records.jsonl"))
      .map(({ record: each }) => each)
      .filter((each) => typeof each === "object");
    const shapes = new Set(recorded.map(shape));
    // A rename before the first status was not recorded.
    const unlike = written.filter((each) => !shapes.has(shape(each)));
    assert.deepEqual(unlike.map(shape), []);
    assert.deepEqual(
      [...new Set(written.map(({ status, waitingFor }) => [status, waitingFor].filter(Boolean).join(": ")))].sort(),
      ["", "busy", "idle", "shell", "waiting: input needed", "waiting: permission prompt"],
    );
  });

  test("writes a subagent's meta file as the real one does", () => {
    const recorded = readdirSync(join(fixtures, "walk")).filter((name) => name.endsWith(".meta.json"));
    const [first = ""] = recorded;
    const meta = JSON.parse(readFileSync(join(fixtures, "walk", first), "utf8")) as Json;
    assert.equal(shape(subagentMeta({ toolUseId: "t", task: { description: "d" } }, true)), shape(meta));
  });
});
