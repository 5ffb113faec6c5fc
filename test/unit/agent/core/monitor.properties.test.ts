// THE LAW over random histories: what was not observed is never recorded as not there. The oracle reads the raw
// events only; it shares nothing with the code it judges.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { newMonitor, type HostFacts, type Monitor } from "../../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { observeAll } from "../../../../agent/core/observeAll.ts";
import type { ProcessFacts } from "../../../../agent/core/processes.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { rosterSchema, type Session } from "../../../../protocol/roster.ts";
import { asBefore, diffRosters } from "../../../../protocol/rosterChange.ts";
import {
  domain,
  facts,
  failure,
  fileOf,
  kernelHost,
  lines,
  look,
  otherDomain,
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

const pids = [20, 21, 22];
const starts = ["500", "600"];
const ids = ["s1", "s2", "s3"];
const files = pids.map((pid) => fileOf(pid));

/** Each start at a time of its own, so that a row tells which process it means. */
const startedAt = (start: string): number => second(-1_000 + Number(start));
const processOf = (pid: number, start: string, more: Partial<ProcessFacts> = {}): ProcessFacts =>
  facts({ pid, startToken: start, startedAt: startedAt(start), ...more });

const pid = fc.constantFrom(...pids);
const start = fc.constantFrom(...starts);
const id = fc.constantFrom(...ids);
const conversation = fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: id });
const process = fc.tuple(pid, start, conversation).map(([of, began, conversationId]) =>
  // The last of them is a helper for as long as it lives.
  processOf(of, began, {
    role: of === 22 ? { kind: "helper", what: "bg-spare" } : { kind: "session", conversationId },
  }),
);
const pidRecord = fc
  .record({
    pid,
    procStart: start,
    sessionId: id,
    pidDomain: fc.constantFrom(domain, domain, otherDomain, undefined),
    status: fc.constantFrom("idle", "busy", "waiting", "shell", undefined),
    waitingFor: fc.constantFrom(undefined, "permission prompt"),
    spare: fc.constantFrom(undefined, undefined, true),
  })
  .map((fields) => record({ ...fields, startedAt: startedAt(fields.procStart) }));
const transcript = fc
  .tuple(id, fc.integer({ min: 0, max: 3 }))
  .map(([of, length]) =>
    transcriptFacts(
      of,
      [lines.prompt(second(0)), lines.call(second(1), "a"), lines.result(second(2), "a"), lines.end(second(3))].slice(
        0,
        length + 1,
      ),
    ),
  );

/** One event of any source and kind, at a time that is given later. */
type Timeless = (at: number) => MonitorEvent;
const timeless: fc.Arbitrary<Timeless> = fc.oneof(
  { weight: 4, arbitrary: process.map((value) => (at: number) => look(at, value)) },
  { weight: 1, arbitrary: pid.map((of) => (at: number) => look(at, "gone", of)) },
  { weight: 1, arbitrary: pid.map((of) => (at: number) => look(at, failure, of)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("answers" as const, failure).map((value) => (at: number) => proc(at, value)),
  },
  { weight: 4, arbitrary: pidRecord.map((value) => (at: number) => recordRead(at, value)) },
  { weight: 1, arbitrary: pid.map((of) => (at: number) => recordRead(at, failure, fileOf(of))) },
  { weight: 1, arbitrary: fc.subarray(files).map((value) => (at: number) => recordListing(at, value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("absent" as const, failure).map((value) => (at: number) => recordListing(at, value)),
  },
  { weight: 2, arbitrary: transcript.map((value) => (at: number) => transcriptRead(at, value.id, value)) },
  {
    weight: 1,
    arbitrary: fc.tuple(id, fc.constantFrom("absent" as const, failure)).map(
      ([of, value]) =>
        (at: number) =>
          transcriptRead(at, of, value),
    ),
  },
  { weight: 1, arbitrary: fc.subarray(ids).map((value) => (at: number) => transcriptListing(at, value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("absent" as const, failure).map((value) => (at: number) => transcriptListing(at, value)),
  },
  { weight: 1, arbitrary: fc.constant((at: number) => table(at, failure)) },
);
const tableEvent = (identities: boolean): fc.Arbitrary<Timeless> =>
  fc.tuple(fc.uniqueArray(process, { selector: (value) => value.pid }), fc.subarray(pids)).map(
    ([rows, parents]) =>
      (at: number) =>
        table(at, rows, { identities, parents }),
  );

interface History {
  readonly host: HostFacts;
  readonly events: readonly MonitorEvent[];
  readonly end: number;
}

/** Times mostly grow; some answers come late. */
function history(host: HostFacts, maxLength = 30): fc.Arbitrary<History> {
  const event = fc.oneof({ weight: 5, arbitrary: timeless }, { weight: 1, arbitrary: tableEvent(!host.kernelAnswers) });
  return fc.array(fc.tuple(event, fc.integer({ min: -4, max: 5 })), { maxLength }).map((steps) => {
    let clock = 10;
    const events = steps.map(([make, step]) => {
      clock += Math.max(step, 0) + 0.001;
      return make(second(clock + Math.min(step, 0)));
    });
    return { host, events, end: second(clock + 1) };
  });
}
const histories = fc.oneof(history(kernelHost), history(tableHost));

const rowsOf = (monitor: Monitor, now: number): ReadonlyMap<string, Session> =>
  new Map(projectRoster(monitor, { now, all: true, onlyWatchedFolders: false }).sessions.map((row) => [row.key, row]));

/** What the raw events say against a process, and of what it became. */
class Oracle {
  private readonly host: HostFacts;
  private readonly events: readonly MonitorEvent[];
  private readonly pid: number;
  private readonly start: string;

  constructor(host: HostFacts, events: readonly MonitorEvent[], row: Session) {
    this.host = host;
    this.events = events;
    this.pid = row.pid ?? Number.NaN;
    this.start = starts.find((token) => new Date(startedAt(token)).toISOString() === row.startedAt) ?? "none";
  }

  /** A positive fact against the process, not older than it was seen alive by that source. */
  get isGone(): boolean {
    return this.looks.some(({ gone, another }) => gone || another) || this.wholeTablesWithout.length >= 2;
  }

  private get looks(): readonly { readonly gone: boolean; readonly another: boolean }[] {
    return this.events.flatMap((event) => {
      if (event.kind !== "pid-look" || event.pid !== this.pid) return [];
      const { look: seen } = event;
      const another = seen.kind === "alive" && seen.facts.startToken !== this.start;
      return [{ gone: seen.kind === "gone", another }];
    });
  }

  private get wholeTablesWithout(): readonly number[] {
    if (this.host.kernelAnswers) return [];
    return this.events.flatMap((event) => {
      if (event.kind !== "process-table" || event.table.kind !== "observed") return [];
      return event.table.value.rows.get(this.pid)?.facts?.startToken === this.start ? [] : [event.table.at];
    });
  }

  /** A record of this very process that names another conversation. */
  rotatedFrom(conversation: string): boolean {
    return this.named.some((name) => name !== conversation);
  }

  /** A record or an argument of this very process names this conversation, which another process may hold too. */
  isNamed(conversation: string): boolean {
    return this.named.includes(conversation) || this.argued.includes(conversation);
  }

  private get argued(): readonly (string | undefined)[] {
    return this.events.flatMap((event) => {
      const seen = seenIn(event, this.pid);
      return seen?.startToken === this.start && seen.role.kind === "session" ? [seen.role.conversationId] : [];
    });
  }

  private get named(): readonly string[] {
    return this.events.flatMap((event) => {
      if (event.kind !== "pid-record" || event.record.kind !== "observed") return [];
      const { pid: of, procStart, sessionId } = event.record.value;
      return of === this.pid && procStart === this.start ? [sessionId] : [];
    });
  }
}

/** What one event tells of a living process of this pid. */
function seenIn(event: MonitorEvent, pid: number): ProcessFacts | undefined {
  if (event.kind === "pid-look") return event.look.kind === "alive" && event.pid === pid ? event.look.facts : undefined;
  if (event.kind !== "process-table" || event.table.kind !== "observed") return undefined;
  return event.table.value.rows.get(pid)?.facts;
}

/**
 * A row that stands for a process alone gives way to that of the conversation it is found to hold. Where it is found
 * because the process ended, that row is ended, and the only one of that process; another namespace's may have its pid.
 */
function standsInOneEndedRow(row: Session, after: ReadonlyMap<string, Session>): boolean {
  const ofProcess = [...after.values()].filter(
    ({ pid, startedAt, sandbox }) => pid === row.pid && startedAt === row.startedAt && sandbox === row.sandbox,
  );
  const isStandIn = row.id.startsWith("proc:");
  return isStandIn && ofProcess.length === 1 && ofProcess[0]?.liveness.kind === "ended";
}

describe("random histories of all sources", () => {
  it("no row that was live disappears or becomes ended without a positive fact", () => {
    fc.assert(
      fc.property(histories, ({ host, events, end }) => {
        let monitor = newMonitor(host);
        for (const [index, event] of events.entries()) {
          const before = rowsOf(monitor, end);
          monitor = observeAll(monitor, [event]);
          const after = rowsOf(monitor, end);
          for (const [key, row] of before) {
            if (row.liveness.kind !== "live") continue;
            const now = after.get(key);
            if (now?.liveness.kind === "live") continue;
            const oracle = new Oracle(host, events.slice(0, index + 1), row);
            const heldElsewhere = [...after.values()].some(
              (other) =>
                other.liveness.kind === "live" &&
                ((other.pid === row.pid && other.startedAt === row.startedAt) || oracle.isNamed(other.id)),
            );
            // What a process was only inferred to hold is no longer its own when a record names another's; it lives on.
            const wasInferred = row.evidence.some(({ says }) => says.includes("no record of its own"));
            if (now === undefined)
              assert.ok(
                heldElsewhere || (oracle.isGone && standsInOneEndedRow(row, after)),
                `${key} disappeared at event ${index}`,
              );
            else if (now.liveness.kind === "ended")
              assert.ok(
                oracle.isGone || oracle.rotatedFrom(row.id) || (wasInferred && heldElsewhere),
                `${key} ended at event ${index}`,
              );
            else assert.ok(heldElsewhere || oracle.isGone, `${key} became unknown at event ${index}`);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it("what was not observed removes no row and changes no liveness, only its staleness", () => {
    fc.assert(
      fc.property(histories, ({ host, events, end }) => {
        let monitor = newMonitor(host);
        for (const event of events) {
          const before = rowsOf(monitor, end);
          monitor = observeAll(monitor, [event]);
          if (!isUnobserved(event)) continue;
          const after = rowsOf(monitor, end);
          assert.deepEqual([...after.keys()], [...before.keys()]);
          for (const [key, row] of before) assert.equal(after.get(key)?.liveness.kind, row.liveness.kind);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a source that falls silent altogether leaves every row, however long", () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 20 }), ({ host, events, end }, times) => {
        const monitor = observeAll(newMonitor(host), events);
        // A file that nobody saw before and that cannot be read is no silence: it tells that there is one.
        const silence = Array.from({ length: times }, (_, index) => silenceOfAll(end + index * 5_000))
          .flat()
          .filter((event) => event.kind !== "transcript" || knowsTranscript(monitor, event.configDir, event.path));
        const later = end + times * 5_000;
        const before = rowsOf(monitor, later);
        const after = rowsOf(observeAll(monitor, silence), later);
        assert.deepEqual(
          [...after.values()].map((row) => [row.key, row.liveness.kind, row.status.kind]),
          [...before.values()].map((row) => [row.key, row.liveness.kind, row.status.kind]),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("rosters always have the shape that is promised", () => {
    fc.assert(
      fc.property(histories, fc.boolean(), ({ host, events, end }, all) => {
        rosterSchema.parse(
          projectRoster(observeAll(newMonitor(host), events), { now: end, all, onlyWatchedFolders: false }),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("one process instance holds at most one live row", () => {
    fc.assert(
      fc.property(histories, ({ host, events, end }) => {
        const live = [...rowsOf(observeAll(newMonitor(host), events), end).values()].filter(
          ({ liveness }) => liveness.kind === "live",
        );
        const instances = live.map((row) => `${row.pid}:${row.startedAt}`);
        assert.equal(new Set(instances).size, instances.length);
      }),
      { numRuns: 200 },
    );
  });

  it("the same events in other batches give the same roster", () => {
    fc.assert(
      fc.property(histories, fc.array(fc.nat(30)), ({ host, events, end }, cuts) => {
        const bounds = [0, ...cuts.filter((cut) => cut <= events.length).sort((a, b) => a - b), events.length];
        let inBatches = newMonitor(host);
        for (const [index, bound] of bounds.slice(1).entries()) {
          inBatches = observeAll(inBatches, events.slice(bounds[index], bound));
        }
        const options = { now: end, all: true, onlyWatchedFolders: false };
        assert.deepEqual(
          projectRoster(inBatches, options),
          projectRoster(observeAll(newMonitor(host), events), options),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("a fold leaves the state that it was given as it was", () => {
    fc.assert(
      fc.property(histories, ({ host, events, end }) => {
        const middle = Math.floor(events.length / 2);
        const monitor = observeAll(newMonitor(host), events.slice(0, middle));
        const before = projectRoster(monitor, { now: end, all: true, onlyWatchedFolders: false });
        observeAll(monitor, events.slice(middle));
        assert.deepEqual(projectRoster(monitor, { now: end, all: true, onlyWatchedFolders: false }), before);
      }),
      { numRuns: 60 },
    );
  });
});

function isUnobserved(event: MonitorEvent): boolean {
  switch (event.kind) {
    case "process-table":
      return event.table.kind === "unobserved";
    case "proc":
      return event.state.kind === "unobserved";
    case "pid-look":
      return event.look.kind === "unobserved";
    case "pid-record-listing":
    case "transcript-listing":
      return event.listing.kind === "unobserved";
    case "pid-record":
      return event.record.kind === "unobserved";
    case "namespace-look":
    case "folder-left":
    case "folders-left-out":
      return false;
    case "transcript":
      return event.transcript.kind === "unobserved";
    case "registry":
      return event.registry.kind === "unobserved";
    case "snapshot":
      return event.snapshot.kind === "unobserved";
    case "hooks":
      return event.spools.kind === "unobserved";
    case "hook-setup":
      return event.setup.kind === "unobserved";
    case "hook-spool":
    case "hooks-kept":
      return false;
    case "probe":
      return event.outcome.verdict.kind === "refused";
    case "sandboxes":
      return event.list.kind === "unobserved";
    case "subagent":
      return event.subagent.kind === "unobserved";
    case "subagent-left":
    case "transcript-left":
    case "transcripts-read-over":
      return false;
  }
}

function silenceOfAll(at: number): MonitorEvent[] {
  return [
    table(at, failure),
    proc(at, failure),
    recordListing(at, failure),
    transcriptListing(at, failure),
    ...pids.map((of) => look(at, failure, of)),
    ...pids.map((of) => recordRead(at, failure, fileOf(of))),
    ...ids.map((of) => transcriptRead(at, of, failure)),
  ];
}

/** A process as it truly is: what sources tell of it is its truth at the time they speak of, or that they do not know. */
interface Truth {
  readonly pid: number;
  readonly start: string;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly leavesRecord: boolean;
}

const truths: fc.Arbitrary<readonly Truth[]> = fc
  .uniqueArray(
    fc.record({
      pid,
      start,
      beganAt: fc.integer({ min: 5, max: 30 }),
      livesFor: fc.oneof(fc.integer({ min: 2, max: 20 }), fc.constant(1_000)),
      leavesRecord: fc.boolean(),
    }),
    { selector: (truth) => truth.pid },
  )
  .map((list) => list.map(({ livesFor, ...truth }) => ({ ...truth, endedAt: truth.beganAt + livesFor })));

const aliveAt = (truth: Truth, at: number): boolean => at >= truth.beganAt && at < truth.endedAt;
const idOf = (truth: Truth): string => `session-${truth.pid}`;
const processOfTruth = (truth: Truth): ProcessFacts => processOf(truth.pid, truth.start);

function told(
  host: HostFacts,
  world: readonly Truth[],
  at: number,
  source: "look" | "table" | "records",
  fails: boolean,
): MonitorEvent[] {
  const time = second(at);
  switch (source) {
    case "look":
      return world.map((truth) =>
        fails
          ? look(time, failure, truth.pid)
          : aliveAt(truth, at)
            ? look(time, processOfTruth(truth))
            : look(time, "gone", truth.pid),
      );
    case "table":
      if (fails) return [table(time, failure)];
      return [
        table(time, world.filter((truth) => aliveAt(truth, at)).map(processOfTruth), {
          identities: !host.kernelAnswers,
        }),
      ];
    case "records": {
      if (fails) return [recordListing(time, failure)];
      const present = world.filter((truth) => aliveAt(truth, at) || (truth.leavesRecord && at >= truth.beganAt));
      const read = present.map((truth) =>
        recordRead(
          time,
          record({ pid: truth.pid, procStart: truth.start, sessionId: idOf(truth), startedAt: startedAt(truth.start) }),
        ),
      );
      return [
        recordListing(
          time,
          present.map((truth) => fileOf(truth.pid)),
        ),
        ...read,
      ];
    }
  }
}

/** Per true process what its rows say; whether a record was read in time to name it is left out. */
function livenessByPid(world: World, monitor: Monitor, now: number): unknown {
  const rows = [...rowsOf(monitor, now).values()];
  return world.truths.map((truth) => {
    const kinds = rows.flatMap((row) => (row.pid === truth.pid ? [row.liveness.kind] : []));
    return kinds.includes("live") ? "live" : kinds.includes("ended") ? "ended" : "cannot tell";
  });
}

interface World {
  readonly host: HostFacts;
  readonly truths: readonly Truth[];
  /** Each answer with the time it speaks of, in the order of these times. */
  readonly answers: readonly {
    readonly source: string;
    readonly at: number;
    readonly events: readonly MonitorEvent[];
  }[];
}

const worlds: fc.Arbitrary<World> = fc
  .record({
    host: fc.constantFrom(kernelHost, { ...tableHost, pidDomain: domain }),
    truths,
    asked: fc.uniqueArray(
      fc.record({
        at: fc.integer({ min: 0, max: 50 }),
        source: fc.constantFrom("look", "table", "records"),
        fails: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
      }),
      { selector: ({ at }) => at, maxLength: 20 },
    ),
  })
  .map(({ host, truths: world, asked }) => ({
    host,
    truths: world,
    answers: asked
      .filter(({ source }) => host.kernelAnswers || source !== "look")
      .sort((a, b) => a.at - b.at)
      .map(({ at, source, fails }) => ({ source, at, events: told(host, world, at, source as "look", fails) })),
  }));

describe("sources that tell the truth or nothing, in any order of delivery", () => {
  const now = second(51);
  const delivered = fc.tuple(worlds, fc.infiniteStream(fc.integer({ min: 0, max: 8 }))).map(([world, delays]) => ({
    world,
    late: world.answers
      .map((answer) => ({ answer, arrives: answer.at + (delays.next().value as number) }))
      .sort((a, b) => a.arrives - b.arrives)
      .map(({ answer }) => answer),
  }));

  it("whatever lives and was seen alive is shown live; whatever is shown ended has ended", () => {
    fc.assert(
      fc.property(delivered, ({ world, late }) => {
        const monitor = late.reduce((state, { events }) => observeAll(state, events), newMonitor(world.host));
        const rows = [...rowsOf(monitor, now).values()];
        for (const truth of world.truths) {
          const mine = rows.filter((row) => row.id === idOf(truth) || row.pid === truth.pid);
          const alive = aliveAt(truth, 51);
          const seen = world.answers.some(
            ({ source, at, events }) => source !== "records" && aliveAt(truth, at) && !events.some(isUnobserved),
          );
          const identified = world.host.kernelAnswers
            ? world.answers.some(
                ({ source, at, events }) => source === "look" && aliveAt(truth, at) && !events.some(isUnobserved),
              )
            : seen;
          if (alive && identified)
            assert.ok(
              mine.some(({ liveness }) => liveness.kind === "live"),
              `pid ${truth.pid} lives`,
            );
          if (alive)
            assert.ok(!mine.some(({ liveness }) => liveness.kind === "ended"), `pid ${truth.pid} has not ended`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("answers of different sources, of distinct times, give the same liveness in either order", () => {
    fc.assert(
      fc.property(worlds, fc.nat(20), (world, from) => {
        const at = from % Math.max(1, world.answers.length - 1);
        const [first, next] = [world.answers[at], world.answers[at + 1]];
        fc.pre(first !== undefined && next !== undefined && first.source !== next.source);
        const swapped = world.answers.with(at, next).with(at + 1, first);
        const fold = (answers: World["answers"]): unknown =>
          livenessByPid(
            world,
            observeAll(
              newMonitor(world.host),
              answers.flatMap(({ events }) => events),
            ),
            now,
          );
        assert.deepEqual(fold(swapped), fold(world.answers));
      }),
      { numRuns: 500 },
    );
  });
});

function knowsTranscript(monitor: ReturnType<typeof newMonitor>, configDir: string, path: string): boolean {
  return monitor.folders.get(configDir)?.transcripts.has(path) === true;
}

describe("rows that are kept from an earlier roster", () => {
  it("say what rows made anew say, at any time", () => {
    fc.assert(
      fc.property(history(kernelHost), fc.array(fc.integer({ min: 1, max: 90_000 })), ({ host, events, end }, ages) => {
        let monitor = newMonitor(host);
        let kept = projectRoster(monitor, { now: second(0), all: false, onlyWatchedFolders: false });
        const check = (now: number): void => {
          const options = { now, all: false, onlyWatchedFolders: false };
          kept = projectRoster(monitor, { ...options, keep: asBefore(kept) });
          assert.equal(diffRosters(kept, projectRoster(monitor, options)), undefined);
        };
        let now = second(10);
        for (const event of events) {
          monitor = observeAll(monitor, [event]);
          now += 700;
          check(now);
        }
        // And later, when nobody says anything any more.
        for (const age of ages.sort((a, b) => a - b)) check(end + second(age));
      }),
    );
  });
});
