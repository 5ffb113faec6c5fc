import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Mutex } from "../../../base/mutex.ts";

describe("work that must not overlap", () => {
  it("is done in the order in which it was asked for, each after the end of the one before", async () => {
    const mutex = new Mutex();
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      return name;
    };
    assert.deepEqual(await Promise.all([mutex.run(work("a")), mutex.run(work("b"))]), ["a", "b"]);
    assert.deepEqual(seen, ["a begins", "a ends", "b begins", "b ends"]);
  });

  it("that fails is told to whoever asked, and holds up nobody", async () => {
    const mutex = new Mutex();
    const failing = mutex.run(() => Promise.reject(new Error("no room")));
    const next = mutex.run(() => Promise.resolve("done"));
    await assert.rejects(failing, /no room/);
    assert.equal(await next, "done");
  });
});
