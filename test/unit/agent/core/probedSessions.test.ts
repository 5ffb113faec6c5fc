// What proven answers make of the roster: rows that only they know, rows that they stand beside, ends, silences, and
// sandboxes that speak of what is not theirs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newMonitor, type Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { isNews } from "../../../../agent/core/news.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import { judgeProbe, refused, type Refusal } from "../../../../agent/core/probe.ts";
import { isProbeDue } from "../../../../agent/core/probePlan.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import type { ListedSandbox } from "../../../../agent/core/sandboxListing.ts";
import { registryEntrySchema } from "../../../../protocol/files/registryEntrySchema.ts";
import { limits, periods } from "../../../../base/limits.ts";
import { observed, unobserved, type SourceId } from "../../../../protocol/observation.ts";
import type { Roster, Session } from "../../../../protocol/roster.ts";
import { began, facts, kernelHost, look, observe, record, recordRead, second } from "./builders.ts";
import { answerText, identity, namespace, nonce, type AnswerText } from "./probeText.ts";

const docker: SourceId = "sandboxes:docker";

function container(more: Partial<ListedSandbox> = {}): ListedSandbox {
  return { identity, name: "box", adapter: "docker", state: "running", says: "container", run: "r1", ...more };
}
const list = (at: number, ...sandboxes: readonly ListedSandbox[]): MonitorEvent => ({
  kind: "sandboxes",
  list: observed(docker, second(at), { sandboxes, skipped: new Map() }),
});

function probe(
  at: number,
  of: AnswerText,
  more: { readonly identity?: string; readonly run?: string } = {},
): MonitorEvent {
  const asked = more.identity ?? identity;
  const verdict = judgeProbe(answerText({ clockSeconds: second(at) / 1_000, container: asked, ...of }), {
    nonce,
    identity: asked,
    namespace: undefined,
    host: kernelHost,
  });
  assert.equal(verdict.kind, "proven", JSON.stringify(verdict));
  return {
    kind: "probe",
    outcome: { source: docker, identity: asked, run: more.run ?? "r1", at: second(at), verdict },
  };
}
const refusal = (at: number, why: Refusal): MonitorEvent => ({
  kind: "probe",
  outcome: { source: docker, identity, run: "r1", at: second(at), verdict: refused(why, "so it is") },
});

const pidDomain = `linux::pid:[${namespace}]`;
const inside = {
  pid: 7,
  sessionId: "s1",
  procStart: "50",
  cwd: "/w",
  status: "busy",
  statusUpdatedAt: second(5),
  pidDomain,
};
const running: AnswerText = {
  processes: [{ pid: 7, start: "50" }],
  folders: { "/root/.claude": [["7.json", inside]] },
};
const rosterOf = (monitor: Monitor, now = 20): Roster =>
  projectRoster(monitor, { now: second(now), all: false, onlyWatchedFolders: false });
const rosterAt = (events: readonly MonitorEvent[], now = 20): Roster => rosterOf(observe(events), now);
const words = ({ id, sandbox, liveness, status }: Session): string =>
  [id, sandbox, liveness.kind, liveness.stale ? "stale" : "fresh", liveness.how ?? "", status.kind]
    .join(" ")
    .replace(/ {2}/, " ");
const rows = (roster: Roster): readonly string[] => roster.sessions.map(words);

describe("a session that only a probe finds", () => {
  it("is a row of its sandbox, alive by the probe, its status by its record", () => {
    const roster = rosterAt([list(10, container()), probe(10, running)]);
    assert.deepEqual(rows(roster), ["s1 box live fresh working"]);
    const [row] = roster.sessions;
    assert.deepEqual([row?.key, row?.liveness.source, row?.cwd], ["docker:box:/root/.claude#s1", docker, "/w"]);
  });

  it("without a record is a row by its process, and by its arguments' conversation where they tell one", () => {
    const bare = rosterAt([list(10, container()), probe(10, { processes: [{ pid: 7, start: "50" }] })]);
    assert.deepEqual(rows(bare), ["proc:docker:box:7:50 box live fresh unknown"]);
    const id = "7d0c2f4e-5b1a-4c39-9a0e-2f6f0b8d1c11";
    const named = rosterAt([
      list(10, container()),
      probe(10, { processes: [{ pid: 7, start: "50", argv: `claude -r ${id}` }] }),
    ]);
    assert.equal(named.sessions[0]?.id, id);
  });

  it("stays as it was, with its age, whatever a later probe is refused for, and each refusal is counted", () => {
    const whys: readonly Refusal[] = [
      "no-answer",
      "too-large",
      "failed",
      "not-an-answer",
      "half",
      "old-format",
      "twice",
      "stale-nonce",
      "host-namespace",
      "another-sandbox",
      "unproven",
    ];
    for (const why of whys) {
      const roster = rosterAt([list(10, container()), probe(10, running), refusal(15, why), refusal(18, why)]);
      assert.deepEqual(rows(roster), ["s1 box live stale working"], why);
      assert.equal(roster.sessions[0]?.liveness.asOf, new Date(second(10)).toISOString());
      assert.deepEqual(
        roster.skipped.map(({ source, path, count }) => [source, path, count]),
        [[docker, "box", 2]],
      );
      assert.match(roster.sources.find(({ id }) => id === docker)?.cause ?? "", /not proven from inside: box/);
      assert.equal(roster.sandboxes[0]?.stale, false, "the list is fresh");
    }
  });

  it("has ended when a probe that sees everybody misses its process: killed with its record, exited without", () => {
    const killed = { ...running, processes: [] };
    assert.deepEqual(rows(rosterAt([list(10, container()), probe(10, running), probe(15, killed)])), [
      "s1 box ended fresh killed ended",
    ]);
    assert.deepEqual(rows(rosterAt([list(10, container()), probe(10, running), probe(15, {})])), [
      "s1 box ended fresh exited ended",
    ]);
    const ended = rosterAt([list(10, container()), probe(10, running), probe(15, {}), probe(18, {})]);
    assert.equal(ended.sessions[0]?.endedAt, new Date(second(15)).toISOString(), "its end does not move");
  });

  it("is unknown when a probe that does not see everybody misses its process", () => {
    for (const cut of [{ whole: "cut" }, { procfs: "rw,hidepid=2 - proc proc rw" }])
      assert.deepEqual(rows(rosterAt([list(10, container()), probe(10, running), probe(15, cut)])), [
        "s1 box unknown fresh working",
      ]);
  });

  it("has ended when its sandbox was stopped, was started again or is gone, and stays while the list is silent", () => {
    const before = [list(10, container()), probe(10, running)];
    for (const after of [list(15, container({ state: "stopped" })), list(15, container({ run: "r2" })), list(15)])
      assert.match(rows(rosterAt([...before, after]))[0] ?? "", /^s1 box ended fresh killed/);
    const silent: MonitorEvent = { kind: "sandboxes", list: unobserved(docker, second(15), "no answer") };
    assert.deepEqual(rows(rosterAt([...before, silent])), ["s1 box live fresh working"]);
  });

  it("stays, with its age, while its sandbox is paused, and is fresh again when that answers", () => {
    const paused = [list(10, container()), probe(10, running), list(15, container({ state: "paused" }))];
    assert.deepEqual(rows(rosterAt(paused)), ["s1 box live stale working"]);
    assert.deepEqual(rows(rosterAt([...paused, list(16, container()), probe(17, running)])), [
      "s1 box live fresh working",
    ]);
  });

  it("is stale when it was not asked for three of its periods", () => {
    const late = 10 + (3 * periods.probeMs) / 1_000;
    assert.deepEqual(rows(rosterAt([list(10, container()), probe(10, running)], late)), ["s1 box live fresh working"]);
    assert.deepEqual(rows(rosterAt([list(10, container()), probe(10, running)], late + 1)), [
      "s1 box live stale working",
    ]);
  });

  it("has times of this host's clock, as old as they are by its own", () => {
    // A clock that is an hour ahead, in a machine of its own.
    const hour = 3_600;
    const ahead = { ...running, boot: "another", clockSeconds: second(10 + hour) / 1_000 };
    const folders = { "/root/.claude": [["7.json", { ...inside, statusUpdatedAt: second(4 + hour) }]] } as const;
    const roster = rosterAt([list(10, container()), probe(10, { ...ahead, folders })]);
    assert.equal(roster.sessions[0]?.status.since, new Date(second(4)).toISOString());
  });

  it("is said again without being news, and what it says anew is news", () => {
    const monitor = observe([list(10, container()), probe(10, running)]);
    assert.equal(isNews(monitor, probe(15, running)), false);
    assert.equal(isNews(monitor, probe(15, {})), true);
    assert.equal(isNews(monitor, refusal(15, "half")), true);
  });
});

describe("a session that the kernel shows too", () => {
  const process = facts({
    pid: 900,
    startToken: "50",
    namespacePid: 7,
    namespace,
    containers: [identity],
    configDir: undefined,
  });

  it("is one row, alive by the kernel, called by what the probe read", () => {
    const roster = rosterAt([look(second(18), process), list(10, container({ namespace })), probe(19, running)]);
    assert.deepEqual(
      roster.sessions.map(({ id, pid, liveness, sandbox }) => [id, pid, liveness.source, sandbox]),
      [["s1", 900, "proc", "box"]],
    );
    assert.ok(
      roster.sessions[0]?.evidence.some(
        ({ source, says }) => source === docker && says.includes("as a probe inside found"),
      ),
    );
  });

  it("ends by the kernel, though a probe saw it a moment before", () => {
    const events = [look(second(10), process), list(10, container({ namespace })), probe(12, running)];
    const roster = rosterAt([...events, look(second(15), "gone", 900)]);
    assert.deepEqual(
      roster.sessions.map(({ liveness }) => [liveness.kind, liveness.source]),
      [["ended", "proc"]],
    );
  });

  it("stands in the folder's row where this host can read its record", () => {
    const own = record({ ...inside, pid: 7 });
    const roster = rosterAt([recordRead(second(9), own), list(10, container()), probe(12, running)]);
    assert.deepEqual(rows(roster), ["s1 box live fresh working"]);
    assert.equal(roster.sessions.length, 1);
  });
});

describe("a sandbox that speaks of what is not its own", () => {
  const other = "b".repeat(64);
  const two = list(10, container(), container({ identity: other, name: "victim" }));

  it("changes no row of another one by naming its conversation", () => {
    const honest = probe(10, running, { identity: other });
    const before = rosterAt([two, honest]);
    const hostile = probe(12, { folders: { "/root/.claude": [["7.json", inside]] } });
    const after = rosterAt([two, honest, hostile]);
    const victim = (roster: Roster): unknown => roster.sessions.find(({ sandbox }) => sandbox === "victim");
    assert.deepEqual(victim(after), victim(before));
  });

  it("takes no recorded session of another one to itself", () => {
    const entry = registryEntrySchema.parse({ session_id: "s1", cwd: "/w" });
    const registry: MonitorEvent = {
      kind: "registry",
      registry: observed("registry", second(9), {
        path: "/r",
        sandboxes: new Map([["victim", [entry]]]),
        dropped: [],
        skipped: new Map(),
      }),
    };
    const roster = rosterAt([registry, two, probe(12, running)]);
    const recorded = roster.sessions.filter(({ registry: { recorded: is } }) => is);
    assert.deepEqual(
      recorded.map(({ sandbox, liveness }) => [sandbox, liveness.kind]),
      [["victim", "unknown"]],
    );
    assert.equal(roster.sessions.length, 2);
  });

  it("has no row by a record that names another pid namespace", () => {
    const foreign = { ...inside, pidDomain: "linux::pid:[4026530001]" };
    const folders = { "/root/.claude": [["7.json", foreign]] } as const;
    assert.deepEqual(rows(rosterAt([two, probe(12, { folders })])), []);
    // Also where its own process has that pid and start.
    const same = rosterAt([two, probe(12, { folders, processes: [{ pid: 7, start: "50" }] })]);
    assert.deepEqual(
      same.sessions.map(({ id }) => id),
      ["proc:docker:box:7:50"],
    );
  });

  it("is bounded, however many sessions it tells of", () => {
    const processes = Array.from({ length: 1_000 }, (_, index) => ({ pid: index + 1, start: "5" }));
    assert.equal(rosterAt([two, probe(12, { processes })]).sessions.length, limits.probedSessions);
  });
});

describe("when a sandbox is asked next", () => {
  const memoryAfter = (...events: readonly MonitorEvent[]) =>
    observe([list(10, container()), ...events]).sandboxes.probes.get(identity);
  const due = (at: number, memory = memoryAfter(probe(10, running)), more: object = {}): boolean =>
    isProbeDue(container(), memory, { now: second(at), wanted: false, isSeen: false, ...more });

  it("is at once when it is new or was started again, and never unless it runs", () => {
    assert.equal(isProbeDue(container(), undefined, { now: began, wanted: false, isSeen: false }), true);
    assert.equal(
      isProbeDue(container({ run: "r2" }), memoryAfter(probe(10, running)), {
        now: second(11),
        wanted: false,
        isSeen: false,
      }),
      true,
    );
    for (const state of ["paused", "stopped", "creating", "deleting", "failed", "unknown", "suspended"] as const)
      assert.equal(
        isProbeDue(container({ state }), undefined, { now: began, wanted: true, isSeen: false }),
        false,
        state,
      );
  });

  it("is soon where only a probe shows its sessions, later where there are none or the kernel shows them", () => {
    assert.deepEqual([due(15), due(26)], [false, true]);
    assert.equal(due(26, memoryAfter(probe(10, {}))), false);
    assert.equal(due(80, memoryAfter(probe(10, running)), { isSeen: true }), false);
    assert.equal(due(400, memoryAfter(probe(10, running)), { isSeen: true }), true);
  });

  it("is the later the more often it failed, and soon when somebody asks", () => {
    const failed = (times: number) => memoryAfter(...Array.from({ length: times }, () => refusal(10, "half")));
    assert.deepEqual([due(26, failed(1)), due(26, failed(3)), due(80, failed(3))], [true, false, true]);
    assert.equal(due(10 + 301, failed(50)), true);
    assert.equal(due(14, failed(3), { wanted: true }), true);
  });
});

describe("200 sandboxes of 20 sessions", () => {
  it("fold and show within a second", (t) => {
    const sandboxes = Array.from({ length: 200 }, (_, index) =>
      container({ identity: index.toString(16).padStart(64, "0"), name: `box-${index}` }),
    );
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const events = sandboxes.map((sandbox, box) =>
      probe(
        10,
        {
          processes: ids.map((pid) => ({ pid, start: "50" })),
          folders: {
            "/root/.claude": ids.map(
              (pid) => [`${pid}.json`, { ...inside, pid, sessionId: `s-${box}-${pid}` }] as const,
            ),
          },
        },
        { identity: sandbox.identity },
      ),
    );
    const rowsIn = (): number =>
      rosterOf(observeAll(newMonitor(kernelHost), [list(10, ...sandboxes), ...events])).sessions.length;
    assert.equal(rowsIn(), 4_000);
    const times = Array.from({ length: 3 }, () => {
      const from = process.cpuUsage();
      rowsIn();
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1_000;
    });
    const best = Math.min(...times);
    t.diagnostic(
      `4,000 sessions of 200 sandboxes: ${Math.round(best)} ms of a processor, ${(best / 1_000).toFixed(2)} of the limit`,
    );
    assert.ok(best < 1_000, `${best} ms`);
  });
});
