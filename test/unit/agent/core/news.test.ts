// Which events are news: those that can change a row, a source, or what is read over. What is none is told by no push,
// so it must change nothing that a client sees.
import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { isNews } from "../../../../agent/core/news.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { diffRosters } from "../../../../protocol/rosterChange.ts";
import {
  facts,
  failure,
  fileOf,
  lines,
  look,
  observe,
  proc,
  record,
  recordListing,
  recordRead,
  second,
  table,
  tableHost,
  transcriptFacts,
  transcriptListing,
  transcriptRead,
} from "./builders.ts";

const session = facts();
const begin = [
  proc(second(0), "answers"),
  recordRead(second(0), record()),
  recordListing(second(0), [fileOf(20)]),
  transcriptListing(second(0), ["s1"]),
  look(second(0), session),
  table(second(0), [session], { identities: false }),
];

describe("what says again what is known", () => {
  const again: readonly (readonly [string, MonitorEvent])[] = [
    ["proc that answers", proc(second(3), "answers")],
    ["a look that finds the same process", look(second(3), session)],
    ["a listing of the same records", recordListing(second(5), [fileOf(20)])],
    ["a listing of the same transcripts", transcriptListing(second(5), ["s1"])],
    ["a table with the same children", table(second(15), [session], { identities: false })],
  ];
  for (const [what, event] of again) it(`${what} is no news`, () => assert.equal(isNews(observe(begin), event), false));
});

describe("news", () => {
  const news: readonly (readonly [string, MonitorEvent])[] = [
    ["proc that fails", proc(second(3), failure)],
    ["proc that answers after it was overdue", proc(second(10), "answers")],
    ["a look that finds no process", look(second(3), "gone", 20)],
    ["a look that fails", look(second(3), failure, 20)],
    ["a look after so long that the row was stale", look(second(10), session)],
    ["a look that finds another program in the process", look(second(3), facts({ role: { kind: "other" } }))],
    ["a look that finds another process of the pid", look(second(3), facts({ startToken: "900" }))],
    ["a look at an unknown process", look(second(3), facts({ pid: 21 }))],
    ["a listing without a record", recordListing(second(5), [])],
    ["a listing with a new record", recordListing(second(5), [fileOf(20), fileOf(21)])],
    ["a listing of records that fails", recordListing(second(5), failure)],
    ["a listing with a new transcript", transcriptListing(second(5), ["s1", "s2"])],
    ["a listing without a transcript", transcriptListing(second(5), [])],
    ["a listing of transcripts that fails", transcriptListing(second(5), failure)],
    ["a table with a child of a session", table(second(15), [session], { identities: false, parents: [20] })],
    ["a table that fails", table(second(15), failure)],
    ["a record", recordRead(second(5), record())],
    ["a transcript", transcriptRead(second(5), "s1", transcriptFacts("s1", [lines.prompt(second(4))]))],
  ];
  for (const [what, event] of news) it(`is ${what}`, () => assert.equal(isNews(observe(begin), event), true));

  it("is a source's answer after its failure", () => {
    const failing = observe([...begin, proc(second(3), failure)]);
    assert.ok(isNews(failing, proc(second(4), "answers")));
    assert.ok(isNews(failing, look(second(4), session)), "the process was unobserved");
  });

  it("is the first listing after an end, which tells whether it took its record along", () => {
    const alone = facts({ pid: 21 });
    const ended = observe([recordListing(second(0), []), look(second(1), alone), look(second(2), "gone", 21)]);
    const listing = recordListing(second(3), []);
    assert.ok(isNews(ended, listing));
    assert.equal(isNews(observeAll(ended, [listing]), recordListing(second(4), [])), false);
  });

  it("is every table where only tables tell of processes", () => {
    const monitor = observe([table(second(0), [session])], tableHost);
    assert.ok(isNews(monitor, table(second(15), [session])));
  });
});

describe("what is no news", () => {
  const pids = fc.constantFrom(20, 21);
  const held = new Map([20, 21].map((pid) => [pid, facts({ pid })]));
  const event: fc.Arbitrary<(at: number) => MonitorEvent> = fc.oneof(
    pids.map((pid) => (at: number) => look(at, held.get(pid) ?? facts())),
    pids.map((pid) => (at: number) => look(at, "gone", pid)),
    pids.map((pid) => (at: number) => look(at, failure, pid)),
    pids.map((pid) => (at: number) => look(at, facts({ pid, startToken: "900" }))),
    fc.constantFrom("answers" as const, failure).map((value) => (at: number) => proc(at, value)),
    fc.subarray([fileOf(20), fileOf(21)]).map((files) => (at: number) => recordListing(at, files)),
    fc.constantFrom("absent" as const, failure).map((value) => (at: number) => recordListing(at, value)),
    pids.map((pid) => (at: number) => recordRead(at, record({ pid, sessionId: `s${pid}` }))),
    fc.subarray(["s20", "s21"]).map((ids) => (at: number) => transcriptListing(at, ids)),
    fc.constantFrom("absent" as const, failure).map((value) => (at: number) => transcriptListing(at, value)),
    fc
      .constantFrom("s20", "s21")
      .map((id) => (at: number) => transcriptRead(at, id, transcriptFacts(id, [lines.prompt(at)]))),
    pids.map((id) => (at: number) => transcriptRead(at, `s${id}`, "absent")),
    fc
      .subarray([20, 21])
      .map((parents) => (at: number) => table(at, [...held.values()], { identities: false, parents })),
    fc.constant((at: number) => table(at, failure)),
  );

  it("changes nothing that a client sees, after any history", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.constantFrom(0.5, 1, 3, 5, 12, 50)), { maxLength: 40 }), (history) => {
        let monitor = observe([]);
        let at = second(0);
        for (const [make, seconds] of history) {
          at += seconds * 1_000;
          const next = make(at);
          const after = observeAll(monitor, [next]);
          if (!isNews(monitor, next)) {
            const options = { now: at, all: false, onlyWatchedFolders: false };
            assert.equal(diffRosters(projectRoster(monitor, options), projectRoster(after, options)), undefined);
          }
          monitor = after;
        }
      }),
      { numRuns: 500 },
    );
  });
});
