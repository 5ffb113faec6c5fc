import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideStatus } from "../../../../agent/core/status.ts";
import type { RecordStatus, StatusFacts } from "../../../../agent/core/statusFacts.ts";
import { statusRules } from "../../../../agent/core/statusRules.ts";
import type { BackgroundWork, OpenCall, TurnPhase } from "../../../../agent/core/turns.ts";

const minute = 60_000;
const hour = 60 * minute;
/** Far from zero, so that "hours ago" is a time too. */
const now = 1_000 * hour;
const ago = (ms: number): number => now - ms;

const quiet: StatusFacts = {
  now,
  liveness: "live",
  endedAt: undefined,
  processStartedAt: ago(10 * hour),
  record: undefined,
  phase: { kind: "none" },
  openCalls: [],
  subagentCalls: [],
  background: [],
  lastSignAt: undefined,
  childless: undefined,
  transcript: "read",
};
const record = (status: string | undefined, since: number, more: Partial<RecordStatus> = {}): RecordStatus => ({
  status,
  waitingFor: undefined,
  since,
  trust: "own",
  ...more,
});
const waitsFor = (waitingFor: string, since: number): RecordStatus => record("waiting", since, { waitingFor });
const running = (since: number): TurnPhase => ({ kind: "running", since });
const ended = (at: number, how: "completed" | "interrupted" = "completed"): TurnPhase => ({
  kind: "ended",
  at,
  how,
  marked: true,
});
const failed = (at: number, why: "login" | "limit" = "login"): TurnPhase => ({
  kind: "failed",
  at,
  why,
  says: "words",
});
const open = (tool: string, since: number): OpenCall => ({ toolUseId: tool, tool, since });
const task = (kind: "shell" | "subagent", since: number): BackgroundWork => ({ id: kind, kind, since });

/** @param expected "status" or "status: why", then the rule */
function check(facts: Partial<StatusFacts>, expected: readonly [status: string, rule: string]): void {
  const { kind, why, rule } = decideStatus({ ...quiet, ...facts });
  assert.deepEqual([why === undefined ? kind : `${kind}: ${why}`, rule], expected);
}

describe("ended", () => {
  it("S29: liveness outranks everything that the other sources say", () => {
    check({ liveness: "ended", endedAt: ago(1), record: record("busy", ago(5)), phase: running(ago(9)) }, [
      "ended",
      "session-ended",
    ]);
    check({ liveness: "ended", record: waitsFor("permission prompt", ago(5)) }, ["ended", "session-ended"]);
  });
});

describe("needs you: permission", () => {
  const asked = { phase: running(ago(2 * minute)), openCalls: [open("Bash", ago(minute))] };
  it("the record waits for a permission", () => {
    for (const waitingFor of ["permission prompt", "sandbox request", "worker request"]) {
      check({ ...asked, record: waitsFor(waitingFor, ago(minute)) }, [
        "needs-you: permission",
        "record-waits-for-permission",
      ]);
    }
  });
  it("S05: at once, before the call can be read in the transcript", () => {
    check({ phase: running(ago(500)), record: waitsFor("permission prompt", ago(0)) }, [
      "needs-you: permission",
      "record-waits-for-permission",
    ]);
  });
  it("S12: an unanswered prompt has no age limit", () => {
    check(
      {
        phase: running(ago(90 * hour)),
        lastSignAt: ago(90 * hour),
        openCalls: [open("Bash", ago(90 * hour))],
        record: waitsFor("permission prompt", ago(90 * hour)),
      },
      ["needs-you: permission", "record-waits-for-permission"],
    );
  });
  it("other traffic of the transcript, later than the prompt, proves nothing: permission is only answered by its own answer", () => {
    check({ ...asked, record: waitsFor("permission prompt", ago(minute)), lastSignAt: ago(1) }, [
      "needs-you: permission",
      "record-waits-for-permission",
    ]);
  });
  it("a later turn, a later end or an interrupt is its answer", () => {
    const waits = waitsFor("permission prompt", ago(minute));
    check({ phase: running(ago(1)), record: waits }, ["working", "turn-running"]);
    check({ phase: ended(ago(1)), record: waits }, ["waiting", "turn-ended"]);
    check({ phase: ended(ago(1), "interrupted"), record: waits }, ["waiting", "turn-ended"]);
    check({ phase: failed(ago(1)), record: waits }, ["error: login", "turn-failed"]);
  });
  it("an end from before the prompt is none", () => {
    check({ phase: ended(ago(2 * minute)), record: waitsFor("permission prompt", ago(minute)) }, [
      "needs-you: permission",
      "record-waits-for-permission",
    ]);
  });
  it("a background subagent asks though its parent's turn ended, and while a later one runs", () => {
    const asks = {
      record: waitsFor("permission prompt", ago(minute)),
      background: [task("subagent", ago(2 * minute))],
    };
    for (const phase of [ended(ago(3 * minute)), ended(ago(1)), running(ago(1))]) {
      check({ ...asks, phase }, ["needs-you: permission", "record-waits-for-permission"]);
    }
  });
  it("a background shell asks nothing: the turn's end is the answer", () => {
    check(
      {
        record: waitsFor("permission prompt", ago(minute)),
        background: [task("shell", ago(2 * minute))],
        phase: ended(ago(1)),
      },
      ["background", "background-open"],
    );
  });
  it("a record of another namespace is a hint: it counts with an open call of this session only", () => {
    const hint = { ...waitsFor("permission prompt", ago(minute)), trust: "hint" } as const;
    check({ ...asked, record: hint }, ["needs-you: permission", "record-waits-for-permission"]);
    check({ phase: ended(ago(2 * minute)), record: hint }, ["waiting", "turn-ended"]);
  });
  it("denial: the record is idle, its result and the interrupt row follow", () => {
    check({ phase: running(ago(2_000)), lastSignAt: ago(1_000), record: record("idle", ago(100)) }, [
      "waiting",
      "silent-stop",
    ]);
    check({ phase: ended(ago(90), "interrupted"), lastSignAt: ago(1_000), record: record("idle", ago(100)) }, [
      "waiting",
      "turn-ended",
    ]);
  });
});

describe("needs you: question, plan", () => {
  it("B034, S21: an open question or plan needs you at once, whatever the record says", () => {
    for (const status of [
      record("busy", ago(5)),
      record("idle", ago(1)),
      waitsFor("input needed", ago(1)),
      undefined,
    ]) {
      check({ phase: running(ago(9)), openCalls: [open("AskUserQuestion", ago(3))], record: status }, [
        "needs-you: question",
        "question-open",
      ]);
      check({ phase: running(ago(9)), openCalls: [open("ExitPlanMode", ago(3))], record: status }, [
        "needs-you: plan",
        "plan-open",
      ]);
    }
  });
  it("a plan's record says permission prompt: the transcript tells which it is", () => {
    check(
      {
        phase: running(ago(9)),
        openCalls: [open("ExitPlanMode", ago(3))],
        record: waitsFor("permission prompt", ago(1)),
      },
      ["needs-you: plan", "plan-open"],
    );
  });
  it("the record waits for input", () => {
    for (const waitingFor of ["input needed", "dialog open"]) {
      check({ phase: running(ago(9)), record: waitsFor(waitingFor, ago(1)) }, [
        "needs-you: question",
        "record-waits-for-input",
      ]);
    }
  });
  it("whatever else a record waits for, in words that nobody knows or in none, needs you", () => {
    for (const waitingFor of ["elicitation", "Permission Prompt", "", undefined]) {
      const waits = record("waiting", ago(1), { waitingFor });
      check({ phase: running(ago(9)), openCalls: [open("Bash", ago(3))], record: waits }, [
        "needs-you: question",
        "record-waits-for-input",
      ]);
      check({ phase: ended(ago(0)), record: waits }, ["waiting", "turn-ended"]);
      check({ phase: running(ago(9)), record: { ...waits, trust: "hint" } }, ["working", "turn-running"]);
    }
  });
  it("B035, S33: a record that says idle does not refute an open question", () => {
    check(
      {
        phase: running(ago(hour)),
        lastSignAt: ago(hour),
        openCalls: [open("AskUserQuestion", ago(hour))],
        record: record("idle", ago(1)),
      },
      ["needs-you: question", "question-open"],
    );
  });
  it("B001: an old question of which no process and no record is known is no call for you", () => {
    const asked = { phase: running(ago(hour)), lastSignAt: ago(hour), openCalls: [open("AskUserQuestion", ago(hour))] };
    check({ ...asked, liveness: "unknown" }, ["unknown", "nothing-can-tell"]);
    check({ ...asked, liveness: "unknown", lastSignAt: ago(minute) }, ["needs-you: question", "question-open"]);
  });
  it("S12: an old question of a live session, or of one that a record names, stays", () => {
    const asked = {
      phase: running(ago(90 * hour)),
      lastSignAt: ago(90 * hour),
      openCalls: [open("AskUserQuestion", ago(90 * hour))],
    };
    check(asked, ["needs-you: question", "question-open"]);
    check({ ...asked, liveness: "unknown", record: record("waiting", ago(90 * hour), { trust: "hint" }) }, [
      "needs-you: question",
      "question-open",
    ]);
  });
});

describe("needs you: likely", () => {
  const silent = { phase: running(ago(2 * minute)), lastSignAt: ago(2 * minute) };
  const bash = { ...silent, openCalls: [open("Bash", ago(2 * minute))] };
  it("S22: an open call that may ask, and no child process for 30 s", () => {
    check({ ...bash, childless: { since: ago(5 * minute), asOf: ago(0) } }, [
      "needs-you: likely",
      "call-open-without-child",
    ]);
    check({ ...bash, childless: { since: ago(minute), asOf: ago(30_000) } }, [
      "needs-you: likely",
      "call-open-without-child",
    ]);
  });
  it("S22: an unknown child is not no child", () => {
    check(bash, ["working", "call-open"]);
    check({ ...bash, childless: { since: ago(2 * minute), asOf: ago(2 * minute) } }, ["working", "call-open"]);
  });
  it("not before 30 s, not for a tool that never asks, not where the record tells", () => {
    check({ ...bash, childless: { since: ago(29_000), asOf: ago(0) } }, ["working", "call-open"]);
    const childless = { since: ago(5 * minute), asOf: ago(0) };
    check({ ...silent, openCalls: [open("Task", ago(2 * minute))], childless }, ["working", "call-open"]);
    check({ ...bash, childless, record: record("busy", ago(minute)) }, ["working", "record-busy"]);
  });
});

describe("error", () => {
  it("B030, B031, B033, S36: a failed turn is an error with its reason", () => {
    check({ phase: failed(ago(1)), record: record("idle", ago(0)) }, ["error: login", "turn-failed"]);
    check({ phase: failed(ago(1), "limit"), record: record("idle", ago(0)) }, ["error: limit", "turn-failed"]);
  });
  it("B032: it does not age, and stays until a new turn", () => {
    check({ phase: failed(ago(90 * hour)), lastSignAt: ago(90 * hour), record: record("idle", ago(90 * hour)) }, [
      "error: login",
      "turn-failed",
    ]);
    check({ phase: running(ago(1)), lastSignAt: ago(1), record: record("idle", ago(5)) }, ["working", "turn-running"]);
  });
  it("a record that is busy since a later time tells of a new turn", () => {
    check({ phase: failed(ago(5)), record: record("busy", ago(1)) }, ["working", "record-busy"]);
    check({ phase: failed(ago(5)), record: record("busy", ago(9)) }, ["error: login", "turn-failed"]);
  });
});

describe("working", () => {
  it("B002: a busy record of any age", () => {
    check(
      { phase: running(ago(90 * minute)), lastSignAt: ago(90 * minute), record: record("busy", ago(90 * minute)) },
      ["working", "record-busy"],
    );
  });
  it("B026: a running turn with gaps between its records, with and without a record", () => {
    for (const status of [undefined, record("busy", ago(minute)), record("idle", ago(5 * minute))]) {
      const { kind } = decideStatus({
        ...quiet,
        phase: running(ago(4 * minute)),
        lastSignAt: ago(4 * minute),
        record: status,
      });
      assert.equal(kind, "working");
    }
  });
  it("a short turn that left the record on an older idle", () => {
    check({ phase: running(ago(300)), lastSignAt: ago(200), record: record("idle", ago(hour)) }, [
      "working",
      "turn-running",
    ]);
  });
  it("S20, S30: an open turn is never idle while its process lives", () => {
    for (const status of [undefined, record("idle", ago(1)), record("idle", ago(9 * hour)), record("shell", ago(1))]) {
      check(
        {
          phase: running(ago(9 * hour)),
          lastSignAt: ago(9 * hour),
          openCalls: [open("Task", ago(9 * hour))],
          record: status,
        },
        ["working", "call-open"],
      );
    }
  });
  it("an open turn without a known process is believed for 15 min of silence", () => {
    const call = { liveness: "unknown", phase: running(ago(hour)), openCalls: [open("Bash", ago(hour))] } as const;
    check({ ...call, lastSignAt: ago(minute) }, ["working", "call-open"]);
    check({ ...call, lastSignAt: ago(hour) }, ["unknown", "nothing-can-tell"]);
  });
  it("B022: a busy record of another namespace is a hint, with a process only", () => {
    const hint = record("busy", ago(minute), { trust: "hint" });
    check({ record: hint }, ["working", "record-hint"]);
    check({ record: hint, liveness: "unknown" }, ["unknown", "nothing-can-tell"]);
  });
});

describe("the end of a turn that wrote none", () => {
  it("B027, Escape before any output: only the record goes idle, and that ends the turn", () => {
    check({ phase: running(ago(3_000)), lastSignAt: ago(3_000), record: record("idle", ago(100)) }, [
      "waiting",
      "silent-stop",
    ]);
  });
  it("Escape before any output over a background shell: the record goes to shell", () => {
    check(
      {
        phase: running(ago(3_000)),
        lastSignAt: ago(3_000),
        background: [task("shell", ago(hour))],
        record: record("shell", ago(100)),
      },
      ["background", "background-open"],
    );
    check({ phase: running(ago(3_000)), lastSignAt: ago(3_000), record: record("shell", ago(100)) }, [
      "background",
      "record-shell",
    ]);
  });
  it("B029: a last result, then silence: 15 min while the record says idle", () => {
    const silent = { phase: running(ago(hour)), record: record("idle", ago(2 * hour)) };
    check({ ...silent, lastSignAt: ago(14 * minute) }, ["working", "turn-running"]);
    check({ ...silent, lastSignAt: ago(15 * minute) }, ["waiting", "silent-stop"]);
  });
  it("S16, S35: without any record the silence is bounded too, an open call is not", () => {
    const silent = { phase: running(ago(15 * hour)), lastSignAt: ago(15 * hour) };
    check(silent, ["waiting", "silent-stop"]);
    check({ ...silent, openCalls: [open("Bash", ago(15 * hour))] }, ["working", "call-open"]);
    check({ ...silent, record: record("busy", ago(15 * hour)) }, ["working", "record-busy"]);
  });
  it("S31: an interrupt waits for you", () => {
    check({ phase: ended(ago(minute), "interrupted"), record: record("idle", ago(minute)) }, ["waiting", "turn-ended"]);
  });
});

describe("working in background", () => {
  it("B038: a turn that ended while a subagent runs, its record still busy since the turn", () => {
    check(
      {
        phase: ended(ago(minute)),
        background: [task("subagent", ago(2 * minute))],
        record: record("busy", ago(3 * minute)),
      },
      ["background", "background-open"],
    );
  });
  it("a turn on top of the running subagent is work", () => {
    check(
      {
        phase: running(ago(minute)),
        background: [task("subagent", ago(2 * minute))],
        record: record("busy", ago(3 * minute)),
      },
      ["working", "record-busy"],
    );
  });
  it("B039: background shells, by the transcript or by the record alone", () => {
    check(
      { phase: ended(ago(minute)), background: [task("shell", ago(2 * minute))], record: record("shell", ago(minute)) },
      ["background", "background-open"],
    );
    check({ phase: { kind: "none" }, record: record("shell", ago(9 * hour)) }, ["background", "record-shell"]);
  });
  it("a record that went idle after the last task began says that none runs", () => {
    check({ phase: ended(ago(3)), background: [task("shell", ago(5))], record: record("idle", ago(1)) }, [
      "waiting",
      "turn-ended",
    ]);
    check({ phase: ended(ago(3)), background: [task("shell", ago(5))], record: record("idle", ago(9)) }, [
      "background",
      "background-open",
    ]);
  });
});

describe("a record that stays busy", () => {
  const busy = record("busy", ago(10 * minute));
  it("S16, S31: with a turn that ended or was interrupted since is not believed, once it had time to follow", () => {
    for (const how of ["completed", "interrupted"] as const) {
      check({ phase: ended(ago(minute), how), record: busy }, ["waiting", "turn-ended"]);
      check({ phase: ended(ago(10_000), how), record: busy }, ["working", "record-busy"]);
      check({ phase: ended(ago(11 * minute), how), record: busy }, ["working", "record-busy"]);
    }
  });
  it("is believed while a turn runs, however long ago the one before ended", () => {
    check({ phase: running(ago(minute)), record: busy }, ["working", "record-busy"]);
  });
  it("with an end that only a message tells is believed: a call may follow it", () => {
    const unmarked = { kind: "ended", at: ago(minute), how: "completed", marked: false } as const;
    check({ phase: unmarked, record: busy }, ["working", "record-busy"]);
  });
});

describe("starting", () => {
  it("a process whose record has no status yet", () => {
    check({ record: record(undefined, ago(1)) }, ["starting", "record-without-status"]);
    check({ record: record(undefined, ago(1)), phase: undefined }, ["starting", "record-without-status"]);
  });
  it("not once a turn of this process was seen", () => {
    check({ record: record(undefined, ago(1)), phase: ended(ago(5)), lastSignAt: ago(5) }, ["waiting", "turn-ended"]);
  });
  it("nor where a turn was seen whose time no record told", () => {
    check({ record: record(undefined, ago(1)), phase: ended(0), lastSignAt: 0 }, ["idle", "turn-ended-long-ago"]);
  });
  it("a turn of an earlier process is none of this one", () => {
    check({ record: record(undefined, ago(1)), phase: ended(ago(20 * hour)), lastSignAt: ago(20 * hour) }, [
      "starting",
      "record-without-status",
    ]);
  });
});

describe("waiting for you, then idle", () => {
  it("S07: a turn that ended waits for ten minutes", () => {
    check({ phase: ended(ago(10 * minute - 1)), record: record("idle", ago(minute)) }, ["waiting", "turn-ended"]);
    check({ phase: ended(ago(10 * minute)), record: record("idle", ago(minute)) }, ["idle", "turn-ended-long-ago"]);
  });
  it("B036: what comes after the end does not open it again", () => {
    check({ phase: ended(ago(minute)), lastSignAt: ago(1), record: record("idle", ago(minute)) }, [
      "waiting",
      "turn-ended",
    ]);
  });
  it("an idle record alone: a session that had no turn is idle at once", () => {
    check({ record: record("idle", ago(1)) }, ["idle", "record-idle-long-ago"]);
    check({ record: record("idle", ago(1)), phase: undefined }, ["idle", "record-idle-long-ago"]);
  });
});

describe("unknown", () => {
  it("says what is missing", () => {
    const { kind, says } = decideStatus({ ...quiet, liveness: "unknown", phase: undefined });
    assert.equal(kind, "unknown");
    assert.match(says, /no source can tell.*no readable session record.*transcript was not read/);
  });
  it("S34: a record without status of a session that may not live is unknown, not idle", () => {
    check({ liveness: "unknown", record: record(undefined, ago(1)) }, ["unknown", "nothing-can-tell"]);
  });
  it("an old transcript alone is unknown", () => {
    check({ liveness: "unknown", phase: ended(ago(hour)), lastSignAt: ago(hour) }, ["unknown", "nothing-can-tell"]);
  });
});

describe("the table", () => {
  it("has a name of its own for each rule, and a last one that always holds", () => {
    const names = statusRules.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.at(-1), "nothing-can-tell");
  });
  it("names each refuted rule with its counter-evidence", () => {
    const { refuted } = decideStatus({
      ...quiet,
      phase: running(ago(1)),
      record: waitsFor("permission prompt", ago(minute)),
    });
    assert.deepEqual(refuted, [{ rule: "record-waits-for-permission", by: "a later turn began" }]);
  });
  it("S03, S27: the same facts give the same status; time alone only lowers urgency, save the guess", () => {
    const urgency = ["unknown", "ended", "idle", "starting", "waiting", "background", "working", "error", "needs-you"];
    const cases: readonly Partial<StatusFacts>[] = [
      { phase: running(now), lastSignAt: now },
      { phase: running(now), lastSignAt: now, record: record("idle", ago(1)) },
      { phase: ended(now), lastSignAt: now },
      { phase: ended(now), lastSignAt: now, liveness: "unknown" },
      { phase: running(now), lastSignAt: now, liveness: "unknown", openCalls: [open("AskUserQuestion", now)] },
      { phase: failed(now), lastSignAt: now },
      { phase: ended(now), lastSignAt: now, background: [task("shell", now)] },
    ];
    for (const facts of cases) {
      let before = urgency.length;
      for (const later of [0, 1_000, minute, 9 * minute, 11 * minute, 16 * minute, 20 * hour]) {
        const level = urgency.indexOf(decideStatus({ ...quiet, ...facts, now: now + later }).kind);
        assert.ok(level <= before, `${JSON.stringify(facts)} after ${later} ms`);
        before = level;
      }
    }
  });
});

describe("a transcript that could not be read", () => {
  const idle = record("idle", ago(minute));
  it("keeps a record that says idle from being believed: a question may be open in it", () => {
    check({ record: idle, phase: undefined, transcript: "unread" }, ["unknown", "nothing-can-tell"]);
    check({ record: idle, phase: undefined, transcript: "none" }, ["idle", "record-idle-long-ago"]);
  });
  it("does not hide what the record asks", () => {
    const waits = record("waiting", ago(minute), { waitingFor: "permission prompt" });
    check({ record: waits, phase: undefined, transcript: "unread" }, [
      "needs-you: permission",
      "record-waits-for-permission",
    ]);
  });
});

describe("a time that lies ahead", () => {
  it("a turn whose time lies ahead answers no permission", () => {
    const waits = waitsFor("permission prompt", ago(minute));
    const asks = ["needs-you: permission", "record-waits-for-permission"] as const;
    check({ record: waits, phase: running(ago(-5 * minute)) }, asks);
    check({ record: waits, phase: ended(ago(-5 * minute)) }, asks);
  });
});
