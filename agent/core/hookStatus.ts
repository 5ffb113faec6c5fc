// What hooks say of a session now, held against what its transcript and its record say: plain values for the status
// rules. A time of a hook is the spool's clock, one of a transcript its writer's, so a turn that both name by its prompt's
// id is compared by that and not by time.
import type { EpochMs } from "../../base/clock.ts";
import { openAsks, type OpenAsk } from "./hookAsks.ts";
import type { HookFacts } from "./hookFacts.ts";
import { hookTurn, startOf, type HookTurn } from "./hookTurn.ts";
import type { TurnPhase, Turns } from "./turns.ts";

/** Hooks of which the transcript is so much newer are dead. */
const deadHooksMs = 10 * 60_000;
const compactingMs = 5 * 60_000;
/** Two clocks that follow one another are this far apart at most. */
const clockSlackMs = 2_000;
const permissionNotices = new Set(["permission_prompt", "worker_permission_prompt"]);
const inputNotices = new Set(["elicitation_dialog", "elicitation_url_dialog"]);

export interface HookStatus {
  readonly lastAt: EpochMs;
  readonly lastWhat: string;
  /** Why they are not believed; then nothing else here counts. */
  readonly dead: string | undefined;
  /** Without an answer by hooks or by the transcript, oldest first. */
  readonly asks: readonly OpenAsk[];
  readonly notice: HookNotice | undefined;
  readonly turn: HookTurn;
  /** False where the transcript tells of the same turn or a later one, and better. */
  readonly isAhead: boolean;
  readonly compactingSince: EpochMs | undefined;
  readonly agents: readonly { readonly id: string; readonly since: EpochMs; readonly type: string | undefined }[];
}

/** The agent said that it waits, without a request for it. */
export interface HookNotice {
  readonly since: EpochMs;
  readonly type: string;
  readonly why: "permission" | "question";
}

export interface ToldBeside {
  readonly now: EpochMs;
  /** Undefined where no transcript was read. */
  readonly turns: Turns | undefined;
  readonly phase: TurnPhase | undefined;
  readonly promptId: string | undefined;
  readonly lastRecordAt: EpochMs | undefined;
  /** Turns of subagents, by their id. */
  readonly agents: ReadonlyMap<string, Turns | undefined>;
  readonly backgroundAgents: ReadonlySet<string>;
  readonly processStartedAt: EpochMs | undefined;
}

export function hookStatus(facts: HookFacts, beside: ToldBeside): HookStatus {
  const turn = hookTurn(facts);
  return {
    lastAt: facts.last.at,
    lastWhat: facts.last.what,
    dead: deadBecause(facts, beside),
    asks: openAsks(facts).filter((ask) => !isAnswered(ask, beside)),
    notice: noticeOf(facts, turn, beside),
    turn,
    isAhead: isAhead(turn, beside),
    compactingSince: compactingSince(facts, beside.now),
    agents: runningAgents(facts),
  };
}

function deadBecause({ last }: HookFacts, { lastRecordAt, processStartedAt, now }: ToldBeside): string | undefined {
  if (lastRecordAt !== undefined && Math.min(lastRecordAt, now) - last.at > deadHooksMs)
    return "its transcript went on for more than 10 min after the last of its hooks";
  if (processStartedAt !== undefined && last.at < processStartedAt - clockSlackMs)
    return "they are of an earlier process of the conversation";
  return undefined;
}

/** By the call's own result, by the end of its turn, or by a later one. */
function isAnswered(ask: OpenAsk, { turns, phase, promptId, agents, backgroundAgents }: ToldBeside): boolean {
  const of = ask.agentId === undefined ? turns : agents.get(ask.agentId);
  if (ask.toolUseId !== undefined && of?.results.has(ask.toolUseId) === true) return true;
  const ownTurns = ask.agentId === undefined || !backgroundAgents.has(ask.agentId);
  if (!ownTurns || phase === undefined || phase.kind === "none") return false;
  const isSame = promptId !== undefined && promptId === ask.promptId;
  switch (phase.kind) {
    case "running":
      return !isSame && phase.since > ask.since;
    case "ended":
    case "failed":
      return isSame ? phase.kind === "failed" || phase.marked : phase.at > ask.since;
  }
}

/** Only of a turn that runs, or of a subagent in the background: what is said after a turn's end opens nothing. */
function noticeOf(facts: HookFacts, turn: HookTurn, beside: ToldBeside): HookNotice | undefined {
  const found = facts.notifications.find(({ what }) => permissionNotices.has(what) || inputNotices.has(what));
  if (found === undefined) return undefined;
  const { at, what, promptId } = found;
  const why = permissionNotices.has(what) ? "permission" : "question";
  const ofAgent = what === "worker_permission_prompt" && beside.backgroundAgents.size > 0;
  if (!ofAgent && turn.kind !== "running") return undefined;
  const settled = [...facts.prompts, ...facts.stops, ...settling(facts)].some((note) => note.at > at);
  // A result that came after it answers what was open when it was said.
  const answered = [...facts.calls.values()].some(
    ({ since, resultAt }) => resultAt !== undefined && resultAt > at && (since === undefined || since <= at),
  );
  // The request itself tells more.
  const asked = facts.asks.some((ask) => ask.at <= at && ask.at > at - 60_000);
  if (settled || answered || asked) return undefined;
  const ask: OpenAsk = { since: at, tool: "a tool", toolUseId: undefined, agentId: undefined, promptId };
  return !ofAgent && isAnswered(ask, beside) ? undefined : { since: at, type: what, why };
}

function settling({ notifications }: HookFacts): HookFacts["notifications"] {
  return notifications.filter(({ what }) => what === "elicitation_complete" || what === "elicitation_response");
}

/** Where the transcript has the turn it tells more of it: its interruption too, of which no hook tells. */
function isAhead(turn: HookTurn, { turns, phase, promptId }: ToldBeside): boolean {
  if (turn.kind === "none") return false;
  if (turns === undefined || phase === undefined || phase.kind === "none") return true;
  const at = turn.kind === "running" ? turn.since : turn.at;
  const shown = phase.kind === "running" ? (turns.lastSignAt ?? phase.since) : phase.at;
  if (turn.promptId === undefined || promptId === undefined) return at > shown + clockSlackMs;
  if (turn.promptId !== promptId) return at > shown - clockSlackMs;
  // The transcript goes on after an end that a hook told, or has it a moment later.
  return turn.kind !== "running" && phase.kind === "running" && at >= shown;
}

function compactingSince(facts: HookFacts, now: EpochMs): EpochMs | undefined {
  const began = facts.compactions[0]?.at;
  if (began === undefined || now - began > compactingMs) return undefined;
  const ends = [...facts.compacted, ...facts.prompts, ...facts.stops, ...facts.ends];
  const started = startOf(facts);
  if (ends.some(({ at }) => at > began) || (started !== undefined && started > began)) return undefined;
  return began;
}

function runningAgents({ agents }: HookFacts): HookStatus["agents"] {
  return [...agents].flatMap(([id, { startedAt, stoppedAt, type }]) =>
    startedAt === undefined || (stoppedAt !== undefined && stoppedAt >= startedAt)
      ? []
      : [{ id, since: startedAt, type }],
  );
}
