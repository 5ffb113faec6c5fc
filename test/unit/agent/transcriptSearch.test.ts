// Transcripts by their ids, in real folders.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { FoundTranscript } from "../../../agent/core/restore.ts";
import { Continuations } from "../../../agent/observe/continuations.ts";
import { searchTranscripts } from "../../../agent/observe/transcriptSearch.ts";
import { scratchFolder } from "../../support/rollcall/scratch.ts";

function configDirOf(t: TestContext): string {
  const configDir = scratchFolder(t);
  mkdirSync(join(configDir, "projects", "-app"), { recursive: true });
  return configDir;
}

function write(configDir: string, name: string, lines: readonly object[] = [{}], ageSeconds = 0): FoundTranscript {
  const path = join(configDir, "projects", name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const at = Date.now() / 1000 - ageSeconds;
  utimesSync(path, at, at);
  return { path, configDir, modifiedAt: at * 1000 };
}

async function found(
  configDir: string,
  ids: readonly string[],
  hints: readonly string[] = [],
): Promise<readonly string[]> {
  const { found: places, cause } = await searchTranscripts(configDir, new Set(ids), hints);
  assert.equal(cause, undefined);
  return [...places.values()]
    .flat()
    .map(({ path }) => path.slice(join(configDir, "projects").length + 1))
    .sort();
}

describe("a search for transcripts", () => {
  it("finds them in any project folder, few and many asked for alike", async (t) => {
    const configDir = configDirOf(t);
    mkdirSync(join(configDir, "projects", "Odd folder"));
    write(configDir, "-app/a.jsonl");
    write(configDir, "Odd folder/a.jsonl");
    write(configDir, "Odd folder/b.jsonl");
    assert.deepEqual(await found(configDir, ["a"]), ["-app/a.jsonl", "Odd folder/a.jsonl"]);
    const many = Array.from({ length: 40 }, (_, index) => `none-${index}`);
    assert.deepEqual(await found(configDir, ["b", ...many]), ["Odd folder/b.jsonl"]);
  });

  it("takes a hint within the folder only, and no link", async (t) => {
    const configDir = configDirOf(t);
    mkdirSync(join(configDir, "projects", "-app", "-app"));
    write(configDir, "-app/-app/a.jsonl");
    assert.deepEqual(await found(configDir, ["a"], [join(configDir, "projects/-app/-app/a.jsonl")]), [
      "-app/-app/a.jsonl",
    ]);
    const elsewhere = join(scratchFolder(t), "a.jsonl");
    writeFileSync(elsewhere, "{}\n");
    symlinkSync(elsewhere, join(configDir, "projects", "-app", "a.jsonl"));
    assert.deepEqual(await found(configDir, ["a"], [elsewhere, join(configDir, "projects/../x/a.jsonl")]), []);
  });

  it("of a folder that is not there says that there is none; one that is none it could not search", async (t) => {
    const configDir = scratchFolder(t);
    assert.deepEqual(await found(configDir, ["a"]), []);
    writeFileSync(join(configDir, "projects"), "");
    assert.match((await searchTranscripts(configDir, new Set(["a"]), [])).cause ?? "", /ENOTDIR/);
  });
});

describe("a conversation that began as a copy of another one", () => {
  const copied = { type: "user", uuid: "u1" };

  it("is known by what it was forked from, and by its first record", async (t) => {
    for (const start of [[{ ...copied, uuid: "u2", forkedFrom: { sessionId: "a" } }], [copied]]) {
      const configDir = configDirOf(t);
      const a = write(configDir, "-app/a.jsonl", [{ type: "summary" }, copied], 7_200);
      assert.deepEqual(await new Continuations().of(a), { kind: "here" });
      write(configDir, "-app/b.jsonl", start);
      assert.deepEqual(await new Continuations().of(a), { kind: "as", id: "b" });
    }
  });

  it("is not where the other one went on since", async (t) => {
    const configDir = configDirOf(t);
    write(configDir, "-app/b.jsonl", [copied], -1_000);
    const a = write(configDir, "-app/a.jsonl", [copied], -600);
    assert.deepEqual(await new Continuations().of(a), { kind: "here" });
  });

  it("cannot be told where the transcript cannot be read", async (t) => {
    const configDir = configDirOf(t);
    const gone = { path: join(configDir, "projects", "-app", "a.jsonl"), configDir, modifiedAt: 0 };
    assert.equal((await new Continuations().of(gone)).kind, "cannot-tell");
  });
});
