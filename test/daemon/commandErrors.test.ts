// What the command says where it is misused or refuses: one sentence on standard error that says what to do next,
// safe for a terminal, with the exit code of its kind, and the same with an agent as without.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RollcallWorld } from "../support/rollcall/world.ts";

const misused: readonly (readonly string[])[] = [
  ["ls", "x"],
  ["ls", "--bogus"],
  ["ls", "--once=1"],
  ["ls", "\u001b[31m"],
  ["why"],
  ["why", "a", "b"],
  ["why", ""],
  ["doctor", "x"],
  ["watch", "x"],
  ["agent", "bogus"],
  ["registry"],
  ["registry", "bogus"],
  ["registry", "put", "a"],
  ["registry", "put", "--session", "s1"],
  ["registry", "put", "a", "--session"],
  ["registry", "forget"],
  ["registry", "replace", "a"],
  ["\u001b[31m"],
];
const refused: readonly (readonly string[])[] = [
  ...["", "../x", "a b", "a\nb", "q".repeat(200), "\u001b[31m"].map((id) => ["put", "a", "--session", id]),
  ...["", "..", "../x", "a\nb", "q".repeat(300), "\u001b[31m"].map((name) => ["put", name, "--session", "s1"]),
  ["put", "a", "--session", "s1", "--cwd", `/${"x".repeat(5_000)}`],
  ["put", "a", "--session", "s1", "--name", "x".repeat(5_000)],
  ["forget", ""],
  ["forget", "nope"],
  ["depart", "../x"],
  ["depart", "nope"],
].map((args) => ["registry", ...args]);

describe("a command", { timeout: 120_000 }, () => {
  for (const withAgent of [false, true]) {
    test(`says in one sentence what is wrong, ${withAgent ? "with" : "without"} an agent`, async (t) => {
      const rollcall = new RollcallWorld({ configDirs: [], env: { ROLLCALL_CONFIG_DIRS: "/nonexistent/rollcall" } });
      t.after(() => rollcall.close());
      if (withAgent) await rollcall.startAgent();
      for (const [expected, lines] of [
        [2, misused],
        [1, refused],
      ] as const) {
        for (const args of lines) {
          const { code, stdout, stderr } = await rollcall.run(args);
          const said = `${args.join(" ").slice(0, 60)}: ${stderr}`;
          assert.deepEqual([code, stdout], [expected, ""], said);
          assert.match(stderr, /^rollcall[^\p{Cc}]*: [^\p{Cc}]+; [^\p{Cc}]+\n$/u, said);
          assert.doesNotMatch(stderr, /contract/, said);
          assert.ok(stderr.length < 400, said);
        }
      }
      const { stdout } = await rollcall.run(["registry", "show"]);
      assert.match(stdout, /was never written/);
    });
  }
});
