// What an agent leaves for the next one: it comes back whole, or it is said why not.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { AgentMemory } from "../../../../agent/core/memorySchema.ts";
import { readLastKnown, writeLastKnown } from "../../../../agent/record/lastKnown.ts";
import { limits } from "../../../../base/limits.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const memory: AgentMemory = {
  version: 1,
  writtenAt: 5,
  bootId: "boot",
  namespace: "4026531836",
  processes: [
    {
      instance: "7@9",
      pid: 7,
      startToken: "9",
      namespacePid: 7,
      aliveAsOf: 4,
      gone: { at: 5, source: "proc", because: "no such process" },
    },
  ],
  claims: [{ instance: "7@9", claims: [{ configDir: "/c", id: "one", since: 3, by: "arguments" }] }],
  sessions: [],
};

describe("what the last agent knew", () => {
  it("comes back as it was written, for this user only", async (t) => {
    const path = join(scratchFolder(t), "last-known.json");
    await writeLastKnown(path, memory);
    assert.deepEqual(await readLastKnown(path), { kind: "read", memory });
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it("is nothing at a first start", async (t) => {
    assert.deepEqual(await readLastKnown(join(scratchFolder(t), "last-known.json")), { kind: "first-start" });
  });

  const whole = JSON.stringify(memory);
  for (const [what, content, cause] of [
    ["torn", whole.slice(0, whole.length / 2), /JSON/],
    ["empty", "", /JSON/],
    ["full of NUL bytes", "\0".repeat(1_000), /JSON/],
    ["of a later version", whole.replace('"version":1', '"version":2'), /version/],
    ["of another shape", whole.replace('"pid":7', '"pid":"seven"'), /pid/],
    ["a list", "[]", /object/],
  ] as const) {
    it(`is unreadable when it is ${what}, with a cause of bounded length`, async (t) => {
      const path = join(scratchFolder(t), "last-known.json");
      writeFileSync(path, content);
      const read = await readLastKnown(path);
      assert.ok(read.kind === "unreadable", JSON.stringify(read));
      assert.match(read.cause, cause);
      assert.ok(read.cause.length <= 200);
    });
  }

  it("is unreadable when it is too large or no file, and costs no memory to find out", async (t) => {
    const folder = scratchFolder(t);
    const path = join(folder, "last-known.json");
    writeFileSync(path, "");
    truncateSync(path, limits.lastKnownBytes + 1);
    assert.equal((await readLastKnown(path)).kind, "unreadable");
    mkdirSync(join(folder, "folder"));
    assert.equal((await readLastKnown(join(folder, "folder"))).kind, "unreadable");
  });

  it("stays as it was when the new one cannot be written", async (t) => {
    const folder = scratchFolder(t);
    const path = join(folder, "last-known.json");
    await writeLastKnown(path, memory);
    const before = readFileSync(path, "utf8");
    await assert.rejects(writeLastKnown(join(path, "below"), memory));
    assert.equal(readFileSync(path, "utf8"), before);
    assert.deepEqual(readdirSync(folder), ["last-known.json"]);
  });
});
