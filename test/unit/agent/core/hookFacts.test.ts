import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { addHookEvents, type HookFacts } from "../../../../agent/core/hookFacts.ts";
import { hookFactsText, readHookFacts } from "../../../../agent/core/hookFactsText.ts";
import { foldSpool, noHooks } from "../../../../agent/core/hookKnowledge.ts";
import { hookStatus } from "../../../../agent/core/hookStatus.ts";
import { limits } from "../../../../base/limits.ts";
import { hookEventNames } from "../../../../protocol/hookEvents.ts";
import type { HookEvent } from "../../../../protocol/files/hookEvent.ts";
import { second } from "./builders.ts";
import { call, hook, prompt, result, start } from "./hookEvents.ts";

const word = (...of: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.option(fc.constantFrom(...of), { nil: undefined });

/** Few values of each, so that many events speak of the same thing at the same time. */
const events: fc.Arbitrary<HookEvent> = fc
  .record({
    name: fc.constantFrom(...hookEventNames),
    at: fc.integer({ min: 0, max: 30 }),
    pid: fc.option(fc.constantFrom(20, 21), { nil: undefined }),
    promptId: word("p1", "p2"),
    agentId: word("a1"),
    agentType: word("", "general"),
    tool: word("Bash", "AskUserQuestion"),
    toolUseId: word("t1", "t2"),
    inputMark: word("m1", "m2"),
    reason: word("startup", "compact", "clear", "prompt_input_exit"),
    notification: word("idle_prompt", "permission_prompt"),
    error: word("rate_limit", "unknown"),
    title: word("one", "two"),
  })
  .map(({ name, at, ...told }) => hook(name, at, told));

const factsOf = (of: readonly HookEvent[]): HookFacts | undefined => addHookEvents(undefined, of);
const alone = {
  now: second(40),
  turns: undefined,
  phase: undefined,
  promptId: undefined,
  lastRecordAt: undefined,
  agents: new Map(),
  backgroundAgents: new Set<string>(),
  processStartedAt: undefined,
};

describe("what hooks told of a session", () => {
  it("is the same in whatever order, in whatever parts and however often its events come", () => {
    fc.assert(
      fc.property(
        fc
          .array(events, { minLength: 1, maxLength: 25 })
          .chain((list) =>
            fc.tuple(
              fc.constant(list),
              fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
              fc.subarray(list),
              fc.nat(list.length),
            ),
          ),
        ([list, shuffled, again, cut]) => {
          const once = factsOf(list);
          const parts = addHookEvents(factsOf(shuffled.slice(0, cut)), [...shuffled.slice(cut), ...again]);
          assert.deepEqual(parts, once);
          if (once !== undefined && parts !== undefined)
            assert.deepEqual(hookStatus(parts, alone), hookStatus(once, alone));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is read again as it was written down", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 25 }), (list) => {
        const known = foldSpool(noHooks, { spool: "host", events: list, refused: new Map() });
        const { spools } = readHookFacts(hookFactsText(known, second(40))) ?? noHooks;
        assert.deepEqual(spools, known.spools);
      }),
      { numRuns: 200 },
    );
  });

  it("is left out of what is written down after a day, and another text is none", () => {
    const known = foldSpool(noHooks, { spool: "host", events: [start(0)], refused: new Map() });
    const later = readHookFacts(hookFactsText(known, second(100_000)));
    assert.equal(later?.spools.get("host")?.sessions.size, 0);
    for (const text of ["", "{", "[]", '{"version":2,"spools":[]}', "null"])
      assert.equal(readHookFacts(text), undefined);
    assert.deepEqual(
      readHookFacts('{"version":1,"spools":[{"name":"a/b"},{"name":"x","sessions":[{},7]}]}')?.spools.get("x"),
      {
        sessions: new Map(),
        refused: new Map(),
      },
    );
  });

  it("of a spool that was filled takes no room from another's", () => {
    const long = "x".repeat(200);
    const flood = Array.from({ length: limits.hookSessionsPerSpool }, (_, session) =>
      Array.from({ length: limits.hookCallsPerSession }, (_each, index) =>
        call(session, `${long.slice(0, 150)}${index}`, long, {
          sessionId: `s${session}`,
          inputMark: long,
          agentId: long,
        }),
      ),
    ).flat();
    const full = foldSpool(noHooks, { spool: "evil", events: flood, refused: new Map() });
    const both = foldSpool(full, { spool: "box", events: [start(1)], refused: new Map() });
    const text = hookFactsText(both, second(1_000));
    assert.ok(Buffer.byteLength(text) < limits.hookFactsBytes);
    const read = readHookFacts(text);
    assert.equal(read?.spools.get("box")?.sessions.size, 1);
    assert.ok(read.spools.get("evil")?.sessions.has(`s${limits.hookSessionsPerSpool - 1}`), "the newest stay");
  });

  it("is bounded: the newest of each kind, calls and sessions", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => [
      prompt(index, `p${index}`),
      call(index, `t${index}`),
    ]).flat();
    const facts = factsOf(many);
    assert.equal(facts?.prompts.length, limits.hookNotesPerKind);
    assert.equal(facts.prompts[0]?.promptId, "p999");
    assert.equal(facts.calls.size, limits.hookCallsPerSession);
    assert.ok(facts.calls.has("t999") && !facts.calls.has("t0"));
    const sessions = Array.from({ length: limits.hookSessionsPerSpool + 10 }, (_, index) =>
      start(index, "startup", { sessionId: `s${index}` }),
    );
    const known = foldSpool(noHooks, { spool: "host", events: sessions, refused: new Map() });
    assert.equal(known.spools.get("host")?.sessions.size, limits.hookSessionsPerSpool);
    assert.equal(known.spools.get("host")?.refused.get("an event of one session too many"), 10);
  });

  it("pairs a call and its result in either order, and keeps the first of each", () => {
    for (const list of [
      [call(1, "t1"), result(5, "t1"), result(7, "t1")],
      [result(7, "t1"), result(5, "t1"), call(1, "t1")],
    ])
      assert.deepEqual(factsOf(list)?.calls.get("t1"), {
        tool: "Bash",
        mark: "Bash input",
        agentId: undefined,
        since: second(1),
        resultAt: second(5),
      });
  });
});
