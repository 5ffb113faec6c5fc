// What probes told of one sandbox: the last proven answer with its age, who was seen in it and since when who is gone,
// and what was refused. A probe that was refused or had no answer changes nothing but the count and the age.
import type { EpochMs } from "../../base/clock.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { Known, SourceId } from "../../protocol/observation.ts";
import { observed, unobserved } from "../../protocol/observation.ts";
import { neverKnown, retain } from "./observation.ts";
import type { OwnKernel, ProbeVerdict, Refusal } from "./probe.ts";
import type { ProbeAnswer } from "./probeAnswer.ts";
import type { AgentRole } from "./processIdentity.ts";

export interface ProbeMemory {
  readonly source: SourceId;
  readonly identity: string;
  /** The start of the sandbox that the answer speaks of. */
  readonly run: string | undefined;
  /** The start of it in which it was last asked, whatever came of it. */
  readonly askedRun: string | undefined;
  readonly answer: Known<AnswerFacts>;
  /** By pid and start inside. */
  readonly sessions: ReadonlyMap<string, ProbedSession>;
  readonly refusals: ReadonlyMap<Refusal, number>;
  readonly lastRefusal: { readonly at: EpochMs; readonly why: Refusal; readonly says: string } | undefined;
  /** Refusals since the last proven answer. */
  readonly failures: number;
}

/** Of an answer what is not of single sessions. */
export interface AnswerFacts {
  readonly namespace: string | undefined;
  /** It runs on another kernel than this host. */
  readonly isElsewhere: boolean;
  readonly skipped: readonly (readonly [string, number])[];
}

export interface ProbedSession {
  readonly pid: number;
  readonly start: string;
  /** As the sandbox names it; undefined while no record of it was read. */
  readonly folder: string | undefined;
  /** Its times are this host's. */
  readonly record: PidRecord | undefined;
  /** Another sandbox writes into the same folder, so that its status may be the other's. */
  readonly isShared: boolean;
  readonly role: AgentRole | undefined;
  /** Else what is found to be gone may have been so for long. */
  readonly wasSeenAlive: boolean;
  readonly life:
    | { readonly kind: "alive" }
    /** Nobody could tell whether its process lives. */
    | { readonly kind: "unknown" }
    | { readonly kind: "gone"; readonly at: EpochMs; readonly how: "exited" | "killed" };
}

export interface ProbeOutcome {
  readonly source: SourceId;
  readonly identity: string;
  readonly run: string | undefined;
  /** When the question was put. */
  readonly at: EpochMs;
  readonly verdict: ProbeVerdict;
}

export function foldProbe(
  before: ProbeMemory | undefined,
  outcome: ProbeOutcome,
  host: Pick<OwnKernel, "bootId">,
): ProbeMemory {
  const { source, identity, run, at, verdict } = outcome;
  const known = before?.answer ?? neverKnown;
  if (verdict.kind === "refused") {
    const { why, says } = verdict;
    const refusals = new Map(before?.refusals);
    refusals.set(why, (refusals.get(why) ?? 0) + 1);
    return {
      source,
      identity,
      run: before?.run,
      askedRun: run,
      answer: retain(known, unobserved<AnswerFacts>(source, at, says)),
      sessions: before?.sessions ?? new Map(),
      refusals,
      lastRefusal: { at, why, says },
      failures: (before?.failures ?? 0) + 1,
    };
  }
  const { answer } = verdict;
  const isElsewhere = host.bootId === undefined || answer.bootId !== host.bootId;
  const facts: AnswerFacts = { namespace: answer.namespace, isElsewhere, skipped: answer.skipped };
  const next = retain(known, observed(source, at, facts));
  // A late answer tells nothing that a newer one did not.
  if (before !== undefined && next === known) return before;
  const sameRun = before?.run === run ? before?.sessions : undefined;
  return {
    source,
    identity,
    run,
    askedRun: run,
    answer: next,
    sessions: sessionsAfter(sameRun ?? new Map(), answer, { at, isElsewhere }),
    refusals: before?.refusals ?? new Map(),
    lastRefusal: undefined,
    failures: 0,
  };
}

interface AnswerTime {
  readonly at: EpochMs;
  readonly isElsewhere: boolean;
}

function sessionsAfter(
  before: ReadonlyMap<string, ProbedSession>,
  answer: ProbeAnswer,
  time: AnswerTime,
): ReadonlyMap<string, ProbedSession> {
  const shared = sharedFolders(answer);
  const next = new Map<string, ProbedSession>();
  for (const { pid, start, role } of answer.processes) {
    if (role.kind === "other") continue;
    const known = before.get(`${pid}:${start}`);
    const kept = { folder: known?.folder, record: known?.record, isShared: known?.isShared ?? false };
    next.set(`${pid}:${start}`, { pid, start, role, ...kept, wasSeenAlive: true, life: { kind: "alive" } });
  }
  for (const { folder, record } of answer.records) {
    // A record of another namespace is another sandbox's, whoever put it here.
    if (record.procStart === undefined || record.spare === true || !isOfItself(record, answer)) continue;
    const key = `${record.pid}:${record.procStart}`;
    const lives = next.get(key);
    const about = { folder, record: inHostTime(record, answer, time), isShared: shared.has(folder) };
    if (lives !== undefined) next.set(key, { ...lives, ...about });
    else
      next.set(key, {
        pid: record.pid,
        start: record.procStart,
        role: undefined,
        ...about,
        wasSeenAlive: before.get(key)?.wasSeenAlive ?? false,
        life: endOf(before.get(key), answer, time, "killed"),
      });
  }
  for (const [key, session] of before) {
    if (next.has(key)) continue;
    const life = endOf(session, answer, time, "exited");
    if (life.kind !== "gone" || time.at - life.at < recentMs) next.set(key, { ...session, life });
  }
  // Those that are gone longest go first: what lives stands in front.
  return new Map([...next].slice(0, limits.probedSessions));
}

/** Only where every process could be seen, one that is missing has ended. */
function endOf(
  known: ProbedSession | undefined,
  { seesAll }: ProbeAnswer,
  { at }: AnswerTime,
  how: "exited" | "killed",
): ProbedSession["life"] {
  if (known?.life.kind === "gone") return known.life;
  return seesAll ? { kind: "gone", at, how } : { kind: "unknown" };
}

function isOfItself({ pidDomain }: PidRecord, { namespace }: ProbeAnswer): boolean {
  return pidDomain === undefined || /:pid:\[(\d+)\]$/.exec(pidDomain)?.[1] === namespace;
}

function sharedFolders(answer: ProbeAnswer): ReadonlySet<string> {
  return new Set(answer.records.filter(({ record }) => !isOfItself(record, answer)).map(({ folder }) => folder));
}

/** Less is what it took to ask. */
const clockSlackMs = 2_000;

/** A sandbox with a clock of its own: its times are moved by as much as it differs, so that ages stay what they are. */
function inHostTime(record: PidRecord, { clockMs }: ProbeAnswer, { at, isElsewhere }: AnswerTime): PidRecord {
  const ahead = clockMs === undefined ? 0 : clockMs - at;
  if (!isElsewhere || Math.abs(ahead) < clockSlackMs) return record;
  const moved = (time: number | undefined): number | undefined =>
    time === undefined ? undefined : Math.max(0, time - ahead);
  return {
    ...record,
    startedAt: moved(record.startedAt),
    updatedAt: moved(record.updatedAt),
    statusUpdatedAt: moved(record.statusUpdatedAt),
  };
}
