// What a registry that cannot be read is taken for by a process that never read it: what was last read whole, with the
// age of that, and never as an answer of now.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { RegistrySource } from "../../../../agent/observe/registrySource.ts";
import type { Parse } from "../../../../base/node/guardedLoad.ts";
import { generationTime, keepGeneration, listGenerations } from "../../../../base/node/generations.ts";
import { LastWholeCopies } from "../../../../base/node/lastWhole.ts";
import { nodeScheduler } from "../../../../base/node/nodeScheduler.ts";
import { SeenMarks } from "../../../../base/node/seenMarks.ts";
import type { Observation } from "../../../../protocol/observation.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-source-"));
after(() => rmSync(root, { recursive: true, force: true }));

const parse: Parse<unknown> = (text) => {
  try {
    return { kind: "parsed", document: JSON.parse(text) as unknown };
  } catch {
    return { kind: "unreadable", cause: "torn" };
  }
};

class World {
  readonly folder = mkdtempSync(join(root, "world-"));
  readonly path = join(this.folder, "registry.json");
  readonly copiesFolder = join(this.folder, "last-whole");

  /** As a fresh process does it. */
  async firstLook(): Promise<readonly Observation<unknown>[]> {
    return (await this.source()).told;
  }

  async source(): Promise<{ readonly source: RegistrySource<unknown>; readonly told: Observation<unknown>[] }> {
    const told: Observation<unknown>[] = [];
    const source = new RegistrySource<unknown>({
      source: "registry",
      path: this.path,
      folderIsOurs: true,
      marks: new SeenMarks(join(this.folder, "seen")),
      copies: new LastWholeCopies(this.copiesFolder),
      parse,
      scheduler: nodeScheduler,
      log: { info: () => undefined, warn: () => undefined },
      tell: (observations) => told.push(...observations),
    });
    await source.scan();
    return { source, told };
  }

  tear(): void {
    truncateSync(this.path, 4);
  }
}

const shown = (observations: readonly Observation<unknown>[]): readonly unknown[] =>
  observations.map((each) => (each.kind === "observed" ? each.value : each.kind));

describe("a registry that is torn before a process first reads it", () => {
  it("is what was last read whole, older than the failure that follows", async () => {
    const world = new World();
    writeFileSync(world.path, '{"a":1}');
    assert.deepEqual(shown(await world.firstLook()), [{ a: 1 }]);
    world.tear();
    const [before, now] = await world.firstLook();
    assert.deepEqual(shown([before, now] as never), [{ a: 1 }, "unobserved"]);
    assert.ok(before !== undefined && now !== undefined && before.at <= now.at);
  });

  it("is what was read last, also where that came from an older file", async () => {
    const world = new World();
    for (const text of ['{"a":1}', '{"a":2}', '{"a":1}']) {
      writeFileSync(world.path, text);
      await world.firstLook();
    }
    world.tear();
    assert.deepEqual(shown(await world.firstLook()), [{ a: 1 }, "unobserved"]);
  });

  it("is the newest kept generation that is whole, as of when it was replaced", async () => {
    const world = new World();
    const at = Date.parse("2026-11-30T17:00:00.000Z");
    for (const [index, text] of ['{"g":1}', '{"g":2}', '{"g":'].entries()) {
      writeFileSync(world.path, text);
      await keepGeneration(world.path, { at: at + index * 1_000, token: `0123456${index}` });
      rmSync(world.path);
    }
    writeFileSync(world.path, "torn");
    const [before, now] = await world.firstLook();
    assert.deepEqual(shown([before, now] as never), [{ g: 2 }, "unobserved"]);
    assert.equal(before?.at, at + 1_000);
  });

  it("is the copy where that is newer than every generation, and a generation where it is not", async () => {
    const world = new World();
    writeFileSync(world.path, '{"copy":1}');
    await world.firstLook();
    await keepGeneration(world.path, { at: Date.parse("2026-11-30T17:00:00.000Z"), token: "01234567" });
    rmSync(world.path);
    const [generation] = await listGenerations(world.path);
    assert.ok(generation !== undefined);
    writeFileSync(generation, '{"generation":1}');
    writeFileSync(world.path, "torn");
    const copies = new LastWholeCopies(world.copiesFolder);
    const copy = join(world.copiesFolder, readdirSync(world.copiesFolder)[0] ?? "none");
    const setCopyTo = (time: string): void => utimesSync(copy, new Date(time), new Date(time));
    setCopyTo("2026-11-30T18:00:00Z");
    assert.deepEqual((await copies.newest(world.path, parse))?.value, { copy: 1 });
    setCopyTo("2026-11-30T16:00:00Z");
    assert.deepEqual((await copies.newest(world.path, parse))?.value, { generation: 1 });
  });

  it("is unknown where nothing is kept", async () => {
    const world = new World();
    writeFileSync(world.path, "torn");
    assert.deepEqual(shown(await world.firstLook()), ["unobserved"]);
  });

  it("is not asked for again: a process that knows it only hears that it is silent", async () => {
    const world = new World();
    writeFileSync(world.path, '{"a":1}');
    await world.firstLook();
    world.tear();
    const { source, told } = await world.source();
    await source.scan();
    assert.deepEqual(shown(told), [{ a: 1 }, "unobserved", "unobserved"]);
  });

  it("stays byte for byte what it is", async () => {
    const world = new World();
    writeFileSync(world.path, '{"a":1}');
    await world.firstLook();
    world.tear();
    await world.firstLook();
    assert.equal(readFileSync(world.path, "utf8"), '{"a"');
  });
});

describe("a generation's name", () => {
  it("tells when it was replaced", () => {
    assert.equal(generationTime("20261130T170000123Z-01234567.json"), Date.parse("2026-11-30T17:00:00.123Z"));
  });
});
