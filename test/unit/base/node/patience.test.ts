import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Patience } from "../../../../base/node/patience.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("the patience for a source", () => {
  it("passes on what the call says in time", async () => {
    const patience = new Patience("a folder", 5_000);
    assert.equal(await patience.wait(() => Promise.resolve(1)), 1);
    await assert.rejects(
      patience.wait(() => Promise.reject(new Error("EIO"))),
      /EIO/,
    );
    assert.equal(await patience.wait(() => Promise.resolve(2)), 2);
  });
  it("ends at its deadline, and begins nothing more while that call hangs", async () => {
    const patience = new Patience("a folder", 1);
    await assert.rejects(patience.wait(never), { kind: "no-answer" });
    let begun = 0;
    const again = patience.wait(() => {
      begun += 1;
      return Promise.resolve();
    });
    await assert.rejects(again, { kind: "still-hanging" });
    assert.equal(begun, 0);
  });
  it("asks again when the late call has come back, whose answer goes to whoever tidies up", async () => {
    const patience = new Patience("a folder", 1);
    let answer: (value: string) => void = () => undefined;
    const late: string[] = [];
    const slow = new Promise<string>((resolve) => (answer = resolve));
    await assert.rejects(
      patience.wait(
        () => slow,
        (value) => late.push(value),
      ),
      { kind: "no-answer" },
    );
    answer("late");
    await slow;
    await Promise.resolve();
    assert.deepEqual(late, ["late"]);
    assert.equal(await patience.wait(() => Promise.resolve("now")), "now");
  });
});
