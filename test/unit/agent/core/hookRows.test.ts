// What rows say of sessions that hooks tell of: alone, beside a record, beside a transcript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { readHookEvent, type HookEvent } from "../../../../protocol/files/hookEvent.ts";
import { observed } from "../../../../protocol/observation.ts";
import type { Roster, Session } from "../../../../protocol/roster.ts";
import {
  configDir,
  facts,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordRead,
  rowWords,
  second,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";
import { ask, call, end, failed, hook, notice, prompt, result, spooled, spools, start, stop } from "./hookEvents.ts";

const minute = 60;

function rosterOf(events: readonly (HookEvent | MonitorEvent)[], now: number): Roster {
  const told = events.filter(isHook);
  const others = events.filter((event): event is MonitorEvent => !isHook(event));
  return projectRoster(observe([spools(0), ...others, spooled(told)]), {
    now: second(now),
    all: true,
    onlyWatchedFolders: false,
  });
}

const isHook = (event: HookEvent | MonitorEvent): event is HookEvent => "name" in event;

function rowOf(events: readonly (HookEvent | MonitorEvent)[], now: number, id = "s1"): Session {
  const row = rosterOf(events, now).sessions.find((each) => each.id === id);
  assert.ok(row !== undefined, "no row");
  return row;
}

const words = (events: readonly (HookEvent | MonitorEvent)[], now: number): string => rowWords(rowOf(events, now));
/** Of a session that hooks alone tell of, its liveness left out. */
const status = (events: readonly HookEvent[], now: number): string => {
  const row = rowOf([start(0), ...events], now);
  return `${row.status.kind}${row.status.why === undefined ? "" : `: ${row.status.why}`}`;
};
const withPrompt = (at: number, promptId = "p1"): object => ({ ...lines.prompt(second(at)), promptId });
const transcript = (...of: readonly object[]): MonitorEvent =>
  transcriptRead(second(0), "s1", transcriptFacts("s1", of));
const alive = (at: number): MonitorEvent => look(second(at), facts());

describe("a permission that hooks ask for", () => {
  it("S01 needs its person at once, by the request alone and by the notification alone", () => {
    assert.equal(status([prompt(1), call(2, "t1"), ask(3)], 4), "needs-you: permission");
    assert.equal(status([prompt(1), notice(3, "permission_prompt")], 4), "needs-you: permission");
  });

  it("S10 of a subagent in the background needs its person too, after its session's turn ended", () => {
    const background = [{ id: "a1", type: "subagent" }];
    const turn = [prompt(1), hook("SubagentStart", 2, { agentId: "a1" }), stop(3, { background })];
    const asks = [call(4, "t9", "Bash", { agentId: "a1" }), ask(5, "Bash", { agentId: "a1" })];
    assert.equal(status([...turn, ...asks], 6), "needs-you: permission");
    assert.equal(status([...turn, ...asks, result(7, "t9", "Bash", { agentId: "a1" })], 8), "background");
    assert.equal(status([...turn, ...asks, hook("SubagentStop", 7, { agentId: "a1" })], 8), "waiting");
    assert.equal(status([...turn, notice(5, "worker_permission_prompt")], 6), "needs-you: permission");
  });

  it("S12 has no age", () => {
    assert.equal(status([prompt(1), call(2, "t1"), ask(3)], 20 * 3_600), "needs-you: permission");
  });

  it("S13 is answered by its own call's result, by its turn's end or by a later turn, and by nothing else", () => {
    const asked = [prompt(1), call(2, "t1"), ask(3)];
    assert.equal(status([...asked, result(9, "t1")], 10), "working");
    assert.equal(status([...asked, hook("PostToolUseFailure", 9, { toolUseId: "t1", tool: "Bash" })], 10), "working");
    assert.equal(status([...asked, stop(9)], 10), "waiting");
    assert.equal(status([...asked, prompt(9, "p2")], 10), "working");
    const others = [call(4, "t2", "Read"), result(5, "t2", "Read"), hook("SubagentStop", 6, { agentId: "a1" })];
    assert.equal(status([...asked, ...others], 10), "needs-you: permission");
  });

  it("of two calls with the same input is answered for each by its own", () => {
    const two = [prompt(1), call(2, "t1"), call(2, "t2"), ask(3), ask(4)];
    assert.equal(status([...two, result(5, "t1")], 6), "needs-you: permission");
    assert.equal(status([...two, result(5, "t1"), result(6, "t2")], 7), "working");
  });

  it("that two installs told twice is answered by the one result", () => {
    assert.equal(
      status([prompt(1), call(2, "t1"), call(2, "t1"), ask(3), ask(3.02), result(5, "t1"), result(5.03, "t1")], 6),
      "working",
    );
  });

  it("whose call's hook came late or not at all is answered all the same", () => {
    assert.equal(status([prompt(1), ask(3), call(3.5, "t1"), result(5, "t1")], 6), "working");
    assert.equal(status([prompt(1), ask(3), result(5, "t1")], 6), "working");
    assert.equal(status([prompt(1), ask(3), call(3.5, "t1")], 6), "needs-you: permission");
  });

  it("S21 is a question or a plan where its tool is one, whatever notification comes with it", () => {
    const of = (tool: string): readonly HookEvent[] => [
      prompt(1),
      call(2, "t1", tool),
      ask(2.5, tool),
      notice(8, "permission_prompt"),
    ];
    assert.equal(status(of("AskUserQuestion"), 9), "needs-you: question");
    assert.equal(status(of("ExitPlanMode"), 9), "needs-you: plan");
    assert.equal(status([prompt(1), notice(3, "elicitation_dialog")], 4), "needs-you: question");
    assert.equal(status([prompt(1), notice(3, "elicitation_dialog"), notice(5, "elicitation_response")], 6), "working");
  });

  it("is answered where the session's record went on, of this namespace or another", () => {
    const asked = [start(0), prompt(1), call(2, "t1"), ask(3)];
    const busy = (at: number, more: object = {}): MonitorEvent =>
      recordRead(second(9), record({ status: "busy", statusUpdatedAt: second(at), updatedAt: second(at), ...more }));
    assert.equal(words([alive(9), busy(1), ...asked], 10), "live, needs-you: permission");
    assert.equal(words([alive(9), busy(8), ...asked], 10), "live, working");
    const inside = { pidDomain: otherDomain };
    const process = look(second(9), facts({ namespace: "4026532250" }));
    assert.equal(words([process, busy(1, inside), ...asked], 10), "live, needs-you: permission");
    assert.equal(words([process, busy(8, inside), ...asked], 10), "live, working");
  });

  it("is answered by the transcript: its call's result, or that its turn was interrupted, by whichever clock", () => {
    const asked = [start(0), prompt(1), call(2, "t1"), ask(3)];
    const before = [withPrompt(1), lines.call(second(2), "t1")];
    assert.equal(words([alive(9), transcript(...before), ...asked], 10), "live, needs-you: permission");
    assert.equal(
      words([alive(9), transcript(...before, lines.result(second(6), "t1")), ...asked], 10),
      "live, working",
    );
    // The transcript's clock is minutes behind that of the spool.
    const marker = {
      type: "user",
      timestamp: new Date(second(-200)).toISOString(),
      interruptedMessageId: "m",
      rowSource: "harness",
      message: { content: "[Request interrupted by user for tool use]" },
    };
    const early = [withPrompt(-300), lines.call(second(-290), "t1"), marker];
    assert.equal(words([alive(9), transcript(...early), ...asked], 10), "live, waiting");
  });
});

describe("turns that hooks tell", () => {
  it("B036 that ended are not opened again by a notification that comes late", () => {
    const ended = [prompt(1), call(2, "t1"), result(3, "t1"), stop(4)];
    for (const late of ["permission_prompt", "agent_needs_input", "idle_prompt", "elicitation_dialog"])
      assert.equal(status([...ended, notice(5, late)], 6), "waiting", late);
  });

  it("B028 are ended by the notification that waits for input, where Escape told nothing", () => {
    assert.equal(status([prompt(1), call(2, "t1", "Read"), result(3, "t1", "Read")], 60), "working");
    assert.equal(status([prompt(1), notice(70, "idle_prompt")], 71), "waiting");
  });

  it("B030 that failed are errors of their kind, however often Enter is pressed, until a turn goes on", () => {
    const again = [
      prompt(1),
      failed(2, "authentication_failed"),
      prompt(9, "p2"),
      failed(10, "authentication_failed", { promptId: "p2" }),
    ];
    assert.equal(status(again, 11), "error: login");
    assert.equal(status([...again, prompt(20, "p3")], 21), "working");
    const kinds = {
      billing_error: "billing",
      rate_limit: "limit",
      overloaded: "server",
      server_error: "server",
      invalid_request: "other",
      newly_made: "other",
    };
    for (const [error, why] of Object.entries(kinds))
      assert.equal(status([prompt(1), failed(2, error)], 3), `error: ${why}`, error);
    const limit = rowOf(
      [start(0), prompt(1), failed(2, "rate_limit", { says: "You've hit your limit · resets 6pm (UTC)" })],
      3,
    );
    assert.equal(limit.status.until, "2026-11-30T18:00:00.000Z");
  });

  it("B038 that ended while subagents run are background until these finish", () => {
    const ended = [
      prompt(1),
      hook("SubagentStart", 2, { agentId: "a1" }),
      stop(3, { background: [{ id: "a1", type: "subagent" }] }),
    ];
    const row = rowOf([start(0), ...ended], 4);
    assert.deepEqual(
      [row.status.kind, row.background.map(({ id, kind }) => [id, kind])],
      ["background", [["a1", "subagent"]]],
    );
    assert.equal(status([...ended, hook("SubagentStop", 9, { agentId: "a1" })], 10), "waiting");
    assert.equal(status([...ended, prompt(9, "p2"), stop(11, { promptId: "p2" })], 12), "waiting");
  });

  it("B039 that a monitor woke leave the session at work in the background", () => {
    const monitor = { background: [{ id: "m1", type: "monitor" }] };
    const woken = [prompt(1), stop(2, monitor), prompt(60, "p2"), stop(61, { promptId: "p2", ...monitor })];
    assert.equal(status(woken, 62), "background");
  });

  it("S11 compact for five minutes at most, and hide no question", () => {
    const compacts = [prompt(1), hook("PreCompact", 2)];
    assert.equal(status(compacts, 3), "compacting");
    assert.equal(status([...compacts, hook("PostCompact", 5)], 6), "working");
    assert.equal(status(compacts, 2 + 5 * minute + 1), "working");
    assert.equal(status([...compacts, call(3, "t1"), ask(4)], 5), "needs-you: permission");
    assert.equal(status([...compacts, stop(9)], 10), "waiting");
    assert.equal(status([...compacts, start(4, "compact")], 5), "compacting");
  });

  it("S16 whose end was lost are released by a transcript that has it, or by 15 min without a sign", () => {
    const lost = [start(0), prompt(1)];
    assert.equal(words([alive(20), transcript(withPrompt(1), lines.end(second(9))), ...lost], 20), "live, waiting");
    const process = look(second(16 * minute), facts({ startedAt: second(-1) }));
    assert.equal(words([process, ...lost], 16 * minute), "live, waiting");
  });

  it("B027 that the transcript shows interrupted stay so, whenever their hooks came", () => {
    const marker = {
      type: "user",
      timestamp: new Date(second(5)).toISOString(),
      interruptedMessageId: "m",
      rowSource: "harness",
      message: { content: "[Request interrupted by user]" },
    };
    const shown = transcript(withPrompt(1), marker);
    assert.equal(words([alive(400), shown, start(0), prompt(1), call(300, "t1", "Read")], 400), "live, waiting");
  });

  it("go on in the transcript's word where it has the same turn", () => {
    const shown = transcript(withPrompt(1), lines.call(second(2), "t1"));
    assert.equal(words([alive(9), shown, start(0), prompt(1), call(2, "t1")], 10), "live, working");
    assert.equal(
      words([alive(9), shown, start(0), prompt(1), call(2, "t1"), result(3, "t1"), stop(4)], 10),
      "live, waiting",
    );
    assert.equal(
      words(
        [alive(9), transcript(withPrompt(1), lines.end(second(2))), start(0), prompt(1), stop(2), prompt(8, "p2")],
        10,
      ),
      "live, working",
    );
  });

  it("S17 are not believed where the transcript went on for ten minutes without a hook, which is told", () => {
    const shown = transcript(withPrompt(1), lines.end(second(700)));
    const row = rowOf([alive(710), shown, start(0), prompt(1), call(2, "t1"), ask(3)], 710);
    assert.equal(row.status.kind, "waiting");
    assert.ok(
      row.evidence.some(
        ({ source, says }) => source === "hooks" && says.includes("not believed: its transcript went on"),
      ),
    );
  });

  it("of an earlier process of the conversation are over", () => {
    const later = look(second(50), facts({ startedAt: second(40), startToken: "900" }));
    const own = recordRead(
      second(50),
      record({ procStart: "900", startedAt: second(40), status: undefined, statusUpdatedAt: undefined }),
    );
    assert.notEqual(rowOf([later, own, start(0), prompt(1), call(2, "t1"), ask(3)], 51).status.kind, "needs-you");
  });
});

describe("a life that hooks tell", () => {
  it("L15 ends at once with the session's own word, in the way it was meant", () => {
    const how = (reason: string): string =>
      words([alive(5), recordRead(second(1), record()), start(0), end(6, reason)], 6.5);
    assert.equal(how("prompt_input_exit"), "ended: exited, ended");
    assert.equal(how("logout"), "ended: exited, ended");
    assert.equal(how("other"), "ended: departed, ended");
    assert.equal(how("clear"), "ended: rotated, ended");
  });

  it("L16 goes on where its process is seen alive well after such a word", () => {
    const told = [recordRead(second(1), record()), start(0), end(6)];
    assert.equal(words([look(second(10), facts()), ...told], 10), "ended: exited, ended");
    assert.equal(words([look(second(30), facts()), ...told], 30), "live, idle");
  });

  it("is not ended by the word of another process of the conversation", () => {
    const told = [recordRead(second(1), record()), start(0), end(6, "other", { pid: 99 })];
    assert.match(words([look(second(7), facts()), ...told], 8), /^live/);
  });

  it("L28 begins again with a later start", () => {
    assert.equal(words([start(0), end(6), start(20, "resume")], 21), "live, starting".replace("starting", "unknown"));
  });

  it("L29 ended the first time, however often it is told", () => {
    assert.equal(rowOf([start(0), end(6), end(6.5), end(9)], 10).endedAt, new Date(second(6)).toISOString());
  });

  it("L27 L14 goes over to another conversation with `/clear`: one live row for one process", () => {
    const rows = rosterOf(
      [
        alive(30),
        start(-59),
        end(10, "clear"),
        start(10.1, "clear", { sessionId: "s2" }),
        prompt(12, "p2", { sessionId: "s2" }),
      ],
      30,
    ).sessions;
    assert.deepEqual(
      rows.map((row) => [row.id, rowWords(row)]),
      [
        ["s1", "ended: rotated, ended"],
        ["s2", "live, working"],
      ],
    );
    assert.equal(rows[1]?.pid, 20);
  });

  it("L13 leaves: without any other source it is unknown after a quarter of an hour, and gone after a day", () => {
    assert.equal(words([start(0), prompt(1), stop(2)], 30), "live, waiting");
    assert.equal(words([start(0), prompt(1), stop(2)], 5 * minute), "live stale, waiting");
    assert.match(words([start(0), prompt(1), stop(2)], 20 * minute), /^unknown/);
    const shown = projectRoster(observe([spooled([start(0)])]), {
      now: second(90_000),
      all: false,
      onlyWatchedFolders: false,
    });
    assert.deepEqual(shown.sessions, []);
  });

  it("T07 is bound to its process by the start's own words, where nothing else names the conversation", () => {
    const unnamed = facts({ role: { kind: "session", conversationId: undefined }, startedAt: second(-1) });
    const rows = rosterOf([look(second(9), unnamed), start(0, "resume"), prompt(1)], 10).sessions;
    assert.deepEqual(
      rows.map((row) => [row.id, row.pid, row.transcript, rowWords(row)]),
      [["s1", 20, `${configDir}/projects/-home-dev-app/s1.jsonl`, "live, working"]],
    );
    // Two processes of one number, in two namespaces, that began at the same time: nothing is guessed.
    const two = [
      look(second(9), facts({ pid: 31, namespacePid: 2, namespace: "1", startToken: "1", startedAt: second(-1) })),
      look(second(9), facts({ pid: 32, namespacePid: 2, namespace: "2", startToken: "2", startedAt: second(-1) })),
    ];
    const apart = rosterOf([...two, start(0, "startup", { pid: 2 })], 10).sessions;
    assert.equal(apart.length, 3);
    assert.equal(apart.find(({ id }) => id === "s1")?.pid, undefined);
  });
});

describe("the spools", () => {
  const registry = (sandbox: string): MonitorEvent => ({
    kind: "registry",
    registry: observed("registry", second(0), {
      path: "/r.json",
      sandboxes: new Map([[sandbox, [{ session_id: "s1" }]]]),
      skipped: new Map(),
      dropped: [],
    }),
  });
  const of = (spool: string, ...before: readonly MonitorEvent[]): Roster =>
    projectRoster(observe([...before, spooled([start(0), prompt(1), call(2, "t1"), ask(3)], spool)]), {
      now: second(5),
      all: true,
      onlyWatchedFolders: false,
    });
  const statusIn = (roster: Roster): string | undefined => roster.sessions.find(({ id }) => id === "s1")?.status.kind;

  it("of one sandbox say nothing of another's session, and are counted for it", () => {
    const foreign = of("box-2", registry("box-1"));
    assert.notEqual(statusIn(foreign), "needs-you");
    assert.deepEqual(foreign.skipped, [
      { source: "hooks", path: "box-2", count: 1, why: "events of a session of another sandbox" },
    ]);
    assert.equal(statusIn(of("box-1", registry("box-1"))), "needs-you");
    assert.equal(statusIn(of("host", registry("box-1"))), "needs-you");
  });

  it("of a sandbox say nothing of a session whose process runs on the host itself", () => {
    assert.notEqual(statusIn(of("box-2", alive(4), recordRead(second(1), record({ status: undefined })))), "needs-you");
  });

  it("give a session their sandbox' name", () => {
    assert.equal(of("box-2").sessions[0]?.sandbox, "box-2");
    assert.equal(of("host").sessions[0]?.sandbox, null);
  });

  it("a sandbox' own speaks before the shared one", () => {
    const both = [
      spooled([start(0), prompt(1), call(2, "t1"), ask(3)], "host"),
      spooled([start(0), prompt(1), stop(4)], "box-1"),
    ];
    for (const order of [both, both.toReversed()]) {
      const roster = projectRoster(observe([registry("box-1"), ...order]), {
        now: second(5),
        all: true,
        onlyWatchedFolders: false,
      });
      assert.equal(statusIn(roster), "waiting");
    }
  });

  it("make no row of what names no process, as another program's events do", () => {
    const roster = projectRoster(observe([spooled([start(0, "startup", { pid: undefined })])]), {
      now: second(5),
      all: true,
      onlyWatchedFolders: false,
    });
    assert.deepEqual(roster.sessions, []);
  });
});

describe("recorded payloads", () => {
  const folder = join(import.meta.dirname, "..", "..", "..", "fixtures", "claude-code-2.1.332", "recorded");
  const payloads = readFileSync(join(folder, "hook-payloads.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const events = payloads.flatMap((payload, index): readonly HookEvent[] => {
    const read = readHookEvent(payload, second(index), 20);
    return read.kind === "read" ? [read.event] : [];
  });

  it("are read, each but those that are not asked for", () => {
    const unread = payloads
      .filter((payload) => readHookEvent(payload, 0, 20).kind === "refused")
      .map((payload) => payload["hook_event_name"]);
    assert.deepEqual(unread, ["PostToolBatch"]);
    assert.ok(events.length > 25);
  });

  it("give the rows that they were recorded of", () => {
    const roster = projectRoster(observe([spooled(events)]), {
      now: second(payloads.length),
      all: true,
      onlyWatchedFolders: false,
    });
    assert.deepEqual(
      roster.sessions.map((row) => [row.id.slice(0, 8), rowWords(row)]),
      [
        ["4a5e5d6f", "live, waiting"],
        ["61529758", "live, unknown"],
        ["7a9081c5", "ended: departed, ended"],
        ["f51e1ffc", "ended: exited, ended"],
      ],
    );
  });
});
