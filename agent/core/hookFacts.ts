// What hook events told of one session, as a set that grows: the newest notes of each kind, and each call and subagent
// with the times of its begin and its end. Events come in any order and more than once, so nothing here depends on the
// order in which they came. What follows from the notes is `hookTurn.ts`, `hookAsks.ts` and `hookLife.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { compareText } from "../../base/compareText.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { HookEvent, HookTask } from "../../protocol/files/hookEvent.ts";
import { limitReset } from "./limitReset.ts";

export interface HookFacts {
  readonly sessionId: string;
  readonly firstAt: EpochMs;
  /** The newest event: what of it later ones repeat, such as folders, is that of the newest that told it. */
  readonly last: HookNote;
  readonly pid: Told<number> | undefined;
  readonly transcript: Told<string> | undefined;
  readonly cwd: Told<string> | undefined;
  readonly title: Told<string> | undefined;
  /** Newest first, as all lists. */
  readonly starts: readonly HookNote[];
  readonly ends: readonly HookNote[];
  readonly prompts: readonly HookNote[];
  readonly stops: readonly HookStop[];
  /** Tools that the session itself used, and those of its subagents. */
  readonly signs: readonly HookNote[];
  readonly agentSigns: readonly HookNote[];
  readonly asks: readonly HookAsk[];
  readonly notifications: readonly HookNote[];
  readonly compactions: readonly HookNote[];
  readonly compacted: readonly HookNote[];
  readonly calls: ReadonlyMap<string, HookCall>;
  readonly agents: ReadonlyMap<string, HookAgent>;
}

/** What a field was last told to be. */
export interface Told<T> {
  readonly at: EpochMs;
  readonly value: T;
}

export interface HookNote {
  readonly at: EpochMs;
  /** The event's name; of a notification its type, of a start its source, of an end its reason. */
  readonly what: string;
  readonly promptId: string | undefined;
  readonly pid: number | undefined;
}

export interface HookStop extends HookNote {
  readonly kind: "stopped" | "failed" | "idle";
  /** Until when a limit holds, where the failure's words tell it; the words themselves are not kept. */
  readonly until: EpochMs | undefined;
  readonly background: readonly HookTask[];
}

export interface HookAsk extends HookNote {
  readonly tool: string;
  readonly mark: string | undefined;
  readonly agentId: string | undefined;
}

export interface HookCall {
  readonly tool: string | undefined;
  readonly mark: string | undefined;
  readonly agentId: string | undefined;
  readonly since: EpochMs | undefined;
  readonly resultAt: EpochMs | undefined;
}

export interface HookAgent {
  readonly type: string | undefined;
  /** The newest of each. */
  readonly startedAt: EpochMs | undefined;
  readonly stoppedAt: EpochMs | undefined;
}

/** Adds events of that session to what is known of it; undefined where nothing is. */
export function addHookEvents(known: HookFacts | undefined, events: readonly HookEvent[]): HookFacts | undefined {
  const [first] = events;
  if (first === undefined) return known;
  const draft = draftOf(known, first);
  for (const event of events) add(draft, event);
  return { ...draft, ...bounded(draft) };
}

type Draft = {
  -readonly [K in keyof HookFacts]: HookFacts[K] extends readonly (infer Item)[]
    ? Item[]
    : HookFacts[K] extends ReadonlyMap<infer Key, infer Value>
      ? Map<Key, Value>
      : HookFacts[K];
};

function draftOf(known: HookFacts | undefined, first: HookEvent): Draft {
  return {
    sessionId: first.sessionId,
    firstAt: known?.firstAt ?? first.at,
    last: known?.last ?? note(first),
    pid: known?.pid,
    transcript: known?.transcript,
    cwd: known?.cwd,
    title: known?.title,
    starts: [...(known?.starts ?? [])],
    ends: [...(known?.ends ?? [])],
    prompts: [...(known?.prompts ?? [])],
    stops: [...(known?.stops ?? [])],
    signs: [...(known?.signs ?? [])],
    agentSigns: [...(known?.agentSigns ?? [])],
    asks: [...(known?.asks ?? [])],
    notifications: [...(known?.notifications ?? [])],
    compactions: [...(known?.compactions ?? [])],
    compacted: [...(known?.compacted ?? [])],
    calls: new Map(known?.calls),
    agents: new Map(known?.agents),
  };
}

function note(event: HookEvent, what: string = event.name): HookNote {
  return { at: event.at, what, promptId: event.promptId, pid: event.pid };
}

function add(draft: Draft, event: HookEvent): void {
  draft.firstAt = Math.min(draft.firstAt, event.at);
  draft.last = newerNote(draft.last, note(event));
  draft.pid = newer(draft.pid, event.at, event.pid);
  draft.transcript = newer(draft.transcript, event.at, event.transcript);
  draft.cwd = newer(draft.cwd, event.at, event.cwd);
  draft.title = newer(draft.title, event.at, event.title);
  switch (event.name) {
    case "SessionStart":
      draft.starts.push(note(event, event.reason ?? "startup"));
      return;
    case "SessionEnd":
      draft.ends.push(note(event, event.reason ?? "other"));
      return;
    case "UserPromptSubmit":
      draft.prompts.push(note(event));
      return;
    case "PreToolUse":
      addCall(draft, event, { since: event.at });
      signsOf(draft, event).push(note(event));
      return;
    case "PostToolUse":
    case "PostToolUseFailure":
      addCall(draft, event, { resultAt: event.at });
      signsOf(draft, event).push(note(event));
      return;
    case "PermissionRequest":
      draft.asks.push({
        ...note(event),
        tool: event.tool ?? "a tool",
        mark: event.inputMark,
        agentId: event.agentId,
      });
      return;
    case "Notification":
      draft.notifications.push(note(event, event.notification ?? "unnamed"));
      if (event.notification === "idle_prompt") draft.stops.push(stop(event, "idle"));
      return;
    case "Stop":
      draft.stops.push(stop(event, "stopped"));
      return;
    case "StopFailure":
      draft.stops.push({ ...stop(event, "failed"), what: event.error ?? "unknown", until: limitOf(event) });
      return;
    case "SubagentStart":
      addAgent(draft, event, { startedAt: event.at });
      return;
    case "SubagentStop":
      addAgent(draft, event, { stoppedAt: event.at });
      return;
    case "PreCompact":
      draft.compactions.push(note(event));
      return;
    case "PostCompact":
      draft.compacted.push(note(event));
      return;
    default:
      return unreachable(event.name);
  }
}

function signsOf(draft: Draft, { agentId }: HookEvent): HookNote[] {
  return agentId === undefined ? draft.signs : draft.agentSigns;
}

function stop(event: HookEvent, kind: HookStop["kind"]): HookStop {
  return { ...note(event), kind, until: undefined, background: event.background ?? [] };
}

function limitOf({ error, says, at }: HookEvent): EpochMs | undefined {
  return error === "rate_limit" && says !== undefined ? limitReset(says, at) : undefined;
}

function addCall(draft: Draft, event: HookEvent, times: { since?: EpochMs; resultAt?: EpochMs }): void {
  if (event.toolUseId === undefined) return;
  const known = draft.calls.get(event.toolUseId);
  draft.calls.set(event.toolUseId, {
    tool: least(known?.tool, event.tool),
    // An answer may be told with more input than its question.
    mark: times.since === undefined ? known?.mark : least(known?.mark, event.inputMark),
    agentId: least(known?.agentId, event.agentId),
    since: earlier(known?.since, times.since),
    resultAt: earlier(known?.resultAt, times.resultAt),
  });
}

function addAgent(draft: Draft, event: HookEvent, times: { startedAt?: EpochMs; stoppedAt?: EpochMs }): void {
  if (event.agentId === undefined) return;
  const known = draft.agents.get(event.agentId);
  draft.agents.set(event.agentId, {
    type: least(known?.type, event.agentType === "" ? undefined : event.agentType),
    startedAt: later(known?.startedAt, times.startedAt),
    stoppedAt: later(known?.stoppedAt, times.stoppedAt),
  });
}

function bounded(draft: Draft): Partial<HookFacts> {
  const most = limits.hookNotesPerKind;
  return {
    starts: newest(draft.starts, most),
    ends: newest(draft.ends, most),
    prompts: newest(draft.prompts, most),
    stops: newest(draft.stops, most),
    signs: newest(draft.signs, 1),
    agentSigns: newest(draft.agentSigns, 1),
    asks: newest(draft.asks, limits.hookAsksPerSession),
    notifications: newest(draft.notifications, most),
    compactions: newest(draft.compactions, 1),
    compacted: newest(draft.compacted, 1),
    calls: newestOf(draft.calls, limits.hookCallsPerSession, ({ since, resultAt }) => resultAt ?? since ?? 0),
    agents: newestOf(draft.agents, limits.hookAgentsPerSession, ({ startedAt, stoppedAt }) =>
      Math.max(startedAt ?? 0, stoppedAt ?? 0),
    ),
  };
}

/** Each once, the newest first; of the same time by what they say, so that the order of their coming does not matter. */
function newest<T extends HookNote>(notes: readonly T[], most: number): readonly T[] {
  const said = new Map(notes.map((each) => [JSON.stringify(each), each]));
  return [...said]
    .sort(([a, one], [b, other]) => other.at - one.at || compareText(a, b))
    .slice(0, most)
    .map(([, each]) => each);
}

function newestOf<T>(all: ReadonlyMap<string, T>, most: number, at: (item: T) => EpochMs): ReadonlyMap<string, T> {
  const sorted = [...all].sort(([a, one], [b, other]) => at(other) - at(one) || compareText(a, b));
  return new Map(sorted.slice(0, most));
}

function newerNote(a: HookNote, b: HookNote): HookNote {
  if (a.at !== b.at) return a.at > b.at ? a : b;
  return compareText(JSON.stringify(a), JSON.stringify(b)) <= 0 ? a : b;
}

function newer<T extends string | number>(
  known: Told<T> | undefined,
  at: EpochMs,
  value: T | undefined,
): Told<T> | undefined {
  if (value === undefined) return known;
  if (known === undefined || at > known.at) return { at, value };
  return at === known.at && value < known.value ? { at, value } : known;
}

/** Of two that should be the same, so that which came first does not matter. */
function least<T extends string>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a <= b ? a : b;
}

function earlier(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function later(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
