// The answer to "why does this row say so", as plain text: what was decided, by which source and rule, and what
// each source said and when. The terminal and the editor print the same.
import { coarseAgo } from "../base/coarseAge.ts";
import type { EpochMs } from "../base/clock.ts";
import type { Evidence, OpenTurn, Session, SourceState } from "./roster.ts";
import { statusWords } from "./statusWords.ts";

export interface WhyOptions {
  readonly now: EpochMs;
  /** The roster's sources; those that do not answer are named. */
  readonly sources: readonly SourceState[];
  /** Set while the agent is gone: everything below it is as of then. */
  readonly agentGone?: { readonly lastHeardAt: EpochMs; readonly cause: string };
}

export function whyText(session: Session, options: WhyOptions): string {
  const time = (at: string): string => timeWords(at, options.now);
  const lines = [
    ...agentGoneLines(options),
    session.title,
    field("id", session.id),
    field("key", session.key),
    field("folder", session.cwd ?? "not known"),
    ...(session.sandbox === null ? [] : [field("sandbox", sandboxWords(session, session.sandbox))]),
    ...(session.pid === undefined ? [] : [field("process", String(session.pid))]),
    ...(session.transcript === undefined ? [] : [field("transcript", session.transcript)]),
    ...(session.startedAt === undefined ? [] : [field("started", time(session.startedAt))]),
    ...(session.endedAt === undefined ? [] : [field("ended", time(session.endedAt))]),
    "",
    field("liveness", livenessWords(session, time)),
    field("status", `${statusWords(session.status, session.liveness)}, by rule ${session.status.rule}`),
    ...(session.status.since === undefined ? [] : [field("since", time(session.status.since))]),
    ...(session.status.until === undefined ? [] : [field("until", session.status.until)]),
    ...(session.folderGone === true ? [field("mark", "its folder is gone")] : []),
    "",
    ...openTurnLines(session, time),
    ...backgroundLines(session, time),
    ...evidenceLines(session.evidence, time),
    ...silentSourceLines(options.sources, time),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function agentGoneLines({ agentGone, now }: WhyOptions): string[] {
  if (agentGone === undefined) return [];
  const heard = timeWords(new Date(agentGone.lastHeardAt).toISOString(), now);
  return [`STALE: all of this is as of ${heard}.`, `The agent is gone: ${agentGone.cause}.`, ""];
}

function sandboxWords(session: Session, sandbox: string): string {
  return session.sandboxDerived === true ? `${sandbox} (named after its namespace)` : sandbox;
}

function livenessWords({ liveness }: Session, time: (at: string) => string): string {
  const how = liveness.how === undefined ? "" : ` (${liveness.how})`;
  const by = liveness.source === "none" ? "no source could tell" : `by ${liveness.source}`;
  return `${liveness.kind}${how}, ${by}, as of ${time(liveness.asOf)}${liveness.stale ? ", STALE" : ""}`;
}

function openTurnLines(session: Session, time: (at: string) => string): string[] {
  const turns = [...session.openTurns, ...session.subagents.flatMap((subagent) => subagent.openTurns)];
  if (turns.length === 0) return [];
  return ["Open turns", ...turns.map((turn) => `  ${openTurnWords(turn, time)}`), ""];
}

function openTurnWords(turn: OpenTurn, time: (at: string) => string): string {
  const agent = turn.agentId === undefined ? "" : ` of subagent ${turn.agentId}`;
  const abandoned = turn.abandoned ? ", abandoned: its process is gone" : "";
  return `${turn.tool}${agent} (${turn.toolUseId}) since ${time(turn.since)}${abandoned}`;
}

function backgroundLines(session: Session, time: (at: string) => string): string[] {
  if (session.background.length === 0) return [];
  const lines = session.background.map((task) => {
    const since = task.since === undefined ? "" : ` since ${time(task.since)}`;
    return `  ${task.kind} ${task.id}${since}`;
  });
  return ["Background tasks", ...lines, ""];
}

function evidenceLines(evidence: readonly Evidence[], time: (at: string) => string): string[] {
  if (evidence.length === 0) return ["Evidence", "  none was recorded", ""];
  const lines = evidence.flatMap(({ source, says, at, asOf }) => {
    const speaksOf = asOf === at ? "" : `, speaks of ${time(asOf)}`;
    return [`  ${source}`, `    says: ${says}`, `    at ${time(at)}${speaksOf}`];
  });
  return ["Evidence", ...lines, ""];
}

function silentSourceLines(sources: readonly SourceState[], time: (at: string) => string): string[] {
  const silent = sources.filter((source) => source.state === "unobserved");
  if (silent.length === 0) return [];
  const lines = silent.map((source) => {
    const last = source.asOf === undefined ? "it never answered" : `its last answer is of ${time(source.asOf)}`;
    return `  ${source.id}: ${source.cause ?? "no cause was given"}; ${last}`;
  });
  return ["Sources that do not answer", ...lines, ""];
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(11)}${value}`;
}

function timeWords(at: string, now: EpochMs): string {
  return `${at} (${coarseAgo(now - Date.parse(at))})`;
}
