// What every adapter of sandboxes holds, whatever it asks: run over each real one and over a simulated one.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { SandboxAdapter } from "../../../agent/observe/sandboxes/adapter.ts";
import { limits } from "../../../base/limits.ts";
import { safeIdPattern } from "../../../protocol/ids.ts";
import { sandboxSchema } from "../../../protocol/roster.ts";

export interface ContractWorld {
  readonly adapter: SandboxAdapter;
  /** Names of what it has to list now, at least one that runs. */
  readonly running: string;
  /** Makes what it asks fail, in any way. */
  readonly silence: () => Promise<void> | void;
  /** Takes away what it asks, as where it was never installed; undefined where that is always there. */
  readonly without: ((t: TestContext) => Promise<SandboxAdapter> | SandboxAdapter) | undefined;
  /** Brings the running one to rest; undefined where it cannot rest. */
  readonly rest: (() => Promise<void> | void) | undefined;
  /** What it is now, by the tool itself. */
  readonly stateOf: () => string;
}

/** @param make a world of its own for each test */
export function adapterContract(make: (t: TestContext) => Promise<ContractWorld>): void {
  const listed = async ({ adapter }: ContractWorld) => {
    const list = await adapter.list();
    assert.ok(list.kind === "observed", JSON.stringify(list));
    assert.equal(list.source, adapter.source);
    return list.value.sandboxes;
  };

  it("lists what runs, under its exact name, with an identity that no other has and that stays", async (t) => {
    const world = await make(t);
    const first = await listed(world);
    const again = await listed(world);
    const found = first.find(({ name }) => name === world.running);
    assert.equal(found?.state, "running");
    assert.equal(again.find(({ name }) => name === world.running)?.identity, found.identity);
    assert.equal(new Set(first.map(({ identity }) => identity)).size, first.length);
    for (const { name, derived, state, says } of first) {
      assert.ok(derived === true || safeIdPattern.test(name), name);
      assert.ok(sandboxSchema.shape.state.options.includes(state), state);
      assert.ok(says.length <= 8 * limits.titleChars && !says.includes("\n"), says);
    }
    assert.deepEqual(again, first, "what did not change is said in the same words");
  });

  it("cannot tell when what it asks fails, which is never an empty list", async (t) => {
    const world = await make(t);
    await listed(world);
    await world.silence();
    const list = await world.adapter.list();
    assert.ok(list.kind === "unobserved" || list.kind === "absent", JSON.stringify(list));
    if (list.kind === "unobserved") assert.ok(list.cause.length > 10, "a cause in words");
  });

  it("says that there is nothing to ask where it is not installed", async (t) => {
    const world = await make(t);
    if (world.without === undefined) return;
    const adapter = await world.without(t);
    assert.equal((await adapter.list()).kind, "absent");
  });

  it("starts nothing by looking, and asks nothing inside what does not run", async (t) => {
    const world = await make(t);
    const before = (await listed(world)).find(({ name }) => name === world.running);
    assert.ok(before !== undefined);
    if (world.rest === undefined) return;
    await world.rest();
    const state = world.stateOf();
    await world.adapter.list();
    const question = { script: "echo no", nonce: "n", deadlineMs: 5_000, answerLimitBytes: 1_000 };
    const reply = await world.adapter.probe?.(before, question);
    assert.ok(reply === undefined || reply.kind === "not-asked" || reply.kind === "refused", JSON.stringify(reply));
    assert.equal(world.stateOf(), state);
  });

  it("runs what it is given inside the sandbox that it was given, with a deadline and a bound", async (t) => {
    const world = await make(t);
    const { adapter } = world;
    const found = (await listed(world)).find(({ name }) => name === world.running);
    if (adapter.probe === undefined || found === undefined) return;
    const ask = (script: string, more: object = {}) =>
      adapter.probe?.(found, { script, nonce: "n1", deadlineMs: 5_000, answerLimitBytes: 10_000, ...more });
    assert.deepEqual(await ask('echo "$1"; echo other >&2'), { kind: "answered", text: "n1\n" });
    assert.deepEqual(await ask("cat; echo over"), { kind: "answered", text: "over\n" }, "its input is closed");
    const large = await ask("while :; do echo 0123456789; done");
    assert.ok(large?.kind === "refused" && large.why === "too-large", JSON.stringify(large));
    // One that was given up is asked again only when it has ended inside.
    const late = await ask("sleep 2", { deadlineMs: 300 });
    assert.ok(late?.kind === "refused" && late.why === "no-answer", JSON.stringify(late));
  });

  it("ends what it began when it is disposed of", async (t) => {
    const { adapter } = await make(t);
    await adapter.list();
    const unfollow = adapter.follow?.(
      () => undefined,
      () => undefined,
    );
    unfollow?.();
    adapter.dispose();
    adapter.dispose();
  });
}
