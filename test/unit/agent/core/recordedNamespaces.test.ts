// Recordings of the real agent in several pid namespaces that share one config folder, step by step through the fold,
// and recorded process tables through what tells an agent by its program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { HostFacts } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { identifyProcess } from "../../../../agent/core/processIdentity.ts";
import type { ProcessFacts } from "../../../../agent/core/processes.ts";
import { splitCommandLine } from "../../../../agent/core/tableAnswer.ts";
import { pidRecordSchema } from "../../../../protocol/files/pidRecord.ts";
import {
  facts,
  fileOf,
  kernelHost,
  look,
  observe,
  recordListing,
  recordRead,
  rowsAt,
  rowWords,
  second,
} from "./builders.ts";

const ownNamespace = "4026532179";
const host: HostFacts = {
  ...kernelHost,
  namespace: ownNamespace,
  pidDomain: `linux:${"0".repeat(32)}:pid:[${ownNamespace}]`,
};

const textOf = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/claude-code-2.1.332/recorded/${name}`, import.meta.url), "utf8");

interface Step {
  readonly title: string;
  readonly lines: readonly string[];
}

function stepsOf(name: string): readonly Step[] {
  return textOf(name)
    .split(/^--- /m)
    .filter((part) => part !== "")
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { title, lines };
    });
}

/** As the folder held them at this step: each record as it was printed, with what the recording left out. */
function recordsOf({ lines }: Step): readonly Record<string, unknown>[] {
  return lines.flatMap((line) => {
    const printed = /^\d+\.json (\{.*\})$/.exec(line)?.[1];
    if (printed === undefined) return [];
    const record = JSON.parse(printed.replaceAll("'", '"')) as Record<string, unknown>;
    const pid = String(record["pid"]);
    return [{ sessionId: `session-${pid}`, procStart: `${pid}00`, ...record }];
  });
}

const told = (step: Step, at: number): MonitorEvent[] => {
  const records = recordsOf(step);
  if (records.length === 0) return [];
  return [
    ...records.map((record) => recordRead(at, pidRecordSchema.parse(record))),
    recordListing(
      at,
      records.map((record) => fileOf(Number(record["pid"]))),
    ),
  ];
};

const running = (pid: number, namespacePid: number, namespace: string, startToken: string): ProcessFacts =>
  facts({ pid, namespacePid, namespace, startToken, startedAt: undefined });

interface Replay {
  readonly step: string;
  readonly rows: Readonly<Record<string, string>>;
}

/** @param looks the processes that began at each step, and the pids that ended; the kernel is asked at every step */
function replay(name: string, looks: Readonly<Record<string, readonly (ProcessFacts | number)[]>>): readonly Replay[] {
  const steps = stepsOf(name);
  for (const title of Object.keys(looks))
    assert.ok(
      steps.some((step) => step.title.startsWith(title)),
      title,
    );
  const events: MonitorEvent[] = [];
  const alive = new Map<number, ProcessFacts>();
  return steps.map((step, index) => {
    const at = second(index * 2);
    events.push(...told(step, at));
    for (const [title, found] of Object.entries(looks)) {
      if (!step.title.startsWith(title)) continue;
      for (const each of found) {
        if (typeof each !== "number") alive.set(each.pid, each);
        else if (alive.delete(each)) events.push(look(at + 1, "gone", each));
      }
    }
    for (const each of alive.values()) events.push(look(at + 1, each));
    const rows = rowsAt(observe(events, host), at + 2);
    return {
      step: step.title,
      rows: Object.fromEntries(rows.map((row) => [row.id, rowWords(row)])),
    };
  });
}

describe("two sandboxes whose processes have one pid, in a recorded folder", () => {
  const [first, second_, outer] = [
    "d08eeea3-f6d7-45c3-aaae-e1cf4f700123",
    "ff265591-7342-4ab9-ade5-571468e15a49",
    "28245337-b370-4576-b601-f5bceac0738b",
  ];
  const steps = replay("pid-namespace-collision.txt", {
    "after inner1": [running(12, 7, "4026532250", "206209")],
    "after inner2": [running(48, 7, "4026532252", "206813")],
    "after outer claude": [running(80, 80, ownNamespace, "207418")],
  });

  it("each stays a live row of its own, to the end", () => {
    for (const [index, { step, rows }] of steps.entries()) {
      const expected = [first, ...(index >= 1 ? [second_] : []), ...(index >= 2 ? [outer] : [])];
      const live = Object.entries(rows).filter(([, words]) => words.startsWith("live"));
      assert.deepEqual(live.map(([id]) => id).sort(), [...expected].sort(), step);
      assert.equal(Object.keys(rows).length, expected.length, step);
    }
  });

  it("the first one's work, which went into the second one's record, is no status of either", () => {
    const last = steps.at(-1);
    assert.equal(
      recordsOf(stepsOf("pid-namespace-collision.txt").at(-1) ?? { title: "", lines: [] })[0]?.["status"],
      "busy",
    );
    assert.match(last?.rows[second_] ?? "", /^live, unknown/);
    assert.match(last?.rows[first] ?? "", /^live, unknown/);
    assert.match(last?.rows[outer] ?? "", /^live, (idle|done)/);
  });
});

describe("records that nobody sweeps, in a recorded folder", () => {
  const steps = replay("pid-namespace-no-sweep.txt", {
    "outer claude running": [running(7, 7, ownNamespace, "700")],
    "inner claude started": [running(941, 906, "4026532250", "90600")],
    "second outer claude": [running(976, 976, ownNamespace, "97600")],
    "outer #1 SIGKILLed": [7],
    "third outer claude": [running(1036, 1036, ownNamespace, "103600")],
  });

  it("end only the one that was killed, whose record stays", () => {
    assert.deepEqual(
      Object.fromEntries(Object.entries(steps.at(-1)?.rows ?? {}).map(([id, words]) => [id, words.split(",")[0]])),
      {
        "session-7": "ended: killed",
        "session-906": "live",
        "session-976": "live",
        "session-1036": "live",
      },
    );
  });

  it("and before that each is live from the step at which it began", () => {
    const counts = steps.map(({ rows }) => Object.values(rows).filter((words) => words.startsWith("live")).length);
    assert.deepEqual(counts, [1, 2, 3, 3, 2, 3]);
  });
});

describe("recorded process tables", () => {
  const roles = (text: string): Readonly<Record<number, string>> =>
    Object.fromEntries(
      [...text.matchAll(/^ *(\d+) +\d+ (.{15}) (\S.*)$/gm)].flatMap(([, pid, comm, args]) => {
        const role = identifyProcess({
          argv: splitCommandLine(args ?? "", undefined),
          exe: undefined,
          comm: comm?.trim(),
        });
        return role.kind === "other" ? [] : [[Number(pid), role.kind] as const];
      }),
    );

  it("the agent's daemon and spares are helpers, and what only names it is none", () => {
    assert.deepEqual(roles(textOf("ps.txt")), {
      1111: "helper",
      1118: "helper",
      1119: "helper",
      1128: "helper",
      1134: "helper",
    });
  });
  it("a terminal multiplexer and a sandbox that started sessions are none", () => {
    assert.deepEqual(roles(textOf("pid-namespace-collision.txt")), { 12: "session", 48: "session", 80: "session" });
  });
  it("each way to start it is a session by its name; a version's program alone, in a folder of any name, is none", () => {
    const started = [...textOf("ps.txt").matchAll(/ comm=(\S+) exe=(\S+) args=(.*)$/gm)];
    const found = started.map(([, comm, exe, args]) => [
      comm,
      identifyProcess({ argv: (args ?? "").trim().split(" "), exe, comm }).kind,
    ]);
    assert.deepEqual(found, [
      ["claude", "session"],
      ["2.1.332", "other"],
      ["claude", "session"],
    ]);
  });
});
