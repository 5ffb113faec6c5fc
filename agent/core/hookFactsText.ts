// What hooks told, as the file that outlives a spool: events are removed once it is written, and whoever observes later
// begins with it. Our own file, read with care all the same: what has not its shape is left out.
import type { EpochMs } from "../../base/clock.ts";
import { latestShownMs, limits, recentMs } from "../../base/limits.ts";
import type { HookTask } from "../../protocol/files/hookEvent.ts";
import { numberOf, positiveIntegerOf, textOf, toldOf, type Told as Fields } from "../../protocol/files/tolerant.ts";
import { safeIdPattern } from "../../protocol/ids.ts";
import type { HookAgent, HookAsk, HookCall, HookFacts, HookNote, HookStop, Told } from "./hookFacts.ts";
import type { HookKnowledge, HookSpool } from "./hookKnowledge.ts";

const version = 1;
/** A letter may take four bytes, and few spools have room enough. */
const leastShares = 4;
const textChars = 4_096;

/**
 * Without sessions of which nothing was heard for a day. Each spool has its share of the file, so that one that was filled
 * by somebody hostile takes no room from the others: what is beyond it, heard of longest ago, is left out.
 */
export function hookFactsText(known: HookKnowledge, now: EpochMs): string {
  const share = Math.floor(limits.hookFactsBytes / 4 / Math.max(leastShares, known.spools.size));
  const spools = [...known.spools].map(
    ([name, { sessions }]) =>
      `{"name":${JSON.stringify(name)},"sessions":[${sessionTexts(sessions, now, share).join(",")}]}`,
  );
  return `{"version":${version},"spools":[${spools.join(",")}]}\n`;
}

function sessionTexts(sessions: HookSpool["sessions"], now: EpochMs, share: number): readonly string[] {
  const texts: string[] = [];
  let length = 0;
  for (const facts of [...sessions.values()].sort((a, b) => b.last.at - a.last.at)) {
    if (now - facts.last.at >= recentMs) break;
    const session = JSON.stringify({ ...facts, calls: [...facts.calls], agents: [...facts.agents] });
    length += session.length;
    if (length > share) break;
    texts.push(session);
  }
  return texts;
}

/** Undefined for a text that is none of ours. */
export function readHookFacts(text: string): HookKnowledge | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- told as unreadable by who asks
    return undefined;
  }
  const document = toldOf(parsed);
  if (document?.["version"] !== version) return undefined;
  const spools = new Map<string, HookSpool>();
  for (const each of listOf(document["spools"])) {
    const name = textOf(each["name"], textChars);
    if (name === undefined || !safeIdPattern.test(name)) continue;
    const facts = listOf(each["sessions"]).flatMap((session) => factsOf(session) ?? []);
    spools.set(name, { sessions: new Map(facts.map((of) => [of.sessionId, of])), refused: new Map() });
  }
  return { spools };
}

function factsOf(told: Fields): HookFacts | undefined {
  const sessionId = textOf(told["sessionId"], textChars);
  const last = noteOf(toldOf(told["last"]) ?? {});
  if (sessionId === undefined || !safeIdPattern.test(sessionId) || last === undefined) return undefined;
  const notes = (key: string): readonly HookNote[] => listOf(told[key]).flatMap((each) => noteOf(each) ?? []);
  return {
    sessionId,
    firstAt: time(told["firstAt"]) ?? last.at,
    last,
    pid: toldAt(told["pid"], positiveIntegerOf),
    transcript: toldAt(told["transcript"], text),
    cwd: toldAt(told["cwd"], text),
    title: toldAt(told["title"], text),
    starts: notes("starts"),
    ends: notes("ends"),
    prompts: notes("prompts"),
    stops: listOf(told["stops"]).flatMap((each) => stopOf(each) ?? []),
    signs: notes("signs"),
    agentSigns: notes("agentSigns"),
    asks: listOf(told["asks"]).flatMap((each) => askOf(each) ?? []),
    notifications: notes("notifications"),
    compactions: notes("compactions"),
    compacted: notes("compacted"),
    calls: new Map(pairsOf(told["calls"], callOf)),
    agents: new Map(pairsOf(told["agents"], agentOf)),
  };
}

function noteOf(told: Fields): HookNote | undefined {
  const at = time(told["at"]);
  const what = text(told["what"]);
  if (at === undefined || what === undefined) return undefined;
  return { at, what, promptId: text(told["promptId"]), pid: positiveIntegerOf(told["pid"]) };
}

function stopOf(told: Fields): HookStop | undefined {
  const note = noteOf(told);
  const { kind } = told;
  if (note === undefined || (kind !== "stopped" && kind !== "failed" && kind !== "idle")) return undefined;
  const background = listOf(told["background"]).flatMap((task): readonly HookTask[] => {
    const id = text(task["id"]);
    return id === undefined ? [] : [{ id, type: text(task["type"]) ?? "other" }];
  });
  return { ...note, kind, until: time(told["until"]), background };
}

function askOf(told: Fields): HookAsk | undefined {
  const note = noteOf(told);
  const tool = text(told["tool"]);
  if (note === undefined || tool === undefined) return undefined;
  return { ...note, tool, mark: text(told["mark"]), agentId: text(told["agentId"]) };
}

function callOf(told: Fields): HookCall {
  return {
    tool: text(told["tool"]),
    mark: text(told["mark"]),
    agentId: text(told["agentId"]),
    since: time(told["since"]),
    resultAt: time(told["resultAt"]),
  };
}

function agentOf(told: Fields): HookAgent {
  return { type: text(told["type"]), startedAt: time(told["startedAt"]), stoppedAt: time(told["stoppedAt"]) };
}

function toldAt<T>(value: unknown, read: (value: unknown) => T | undefined): Told<T> | undefined {
  const told = toldOf(value);
  const at = time(told?.["at"]);
  const of = read(told?.["value"]);
  return at === undefined || of === undefined ? undefined : { at, value: of };
}

function pairsOf<T>(value: unknown, read: (told: Fields) => T): readonly (readonly [string, T])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown): readonly (readonly [string, T])[] => {
    if (!Array.isArray(pair)) return [];
    const told = toldOf(pair[1]);
    const id = text(pair[0]);
    return id === undefined || told === undefined ? [] : [[id, read(told)]];
  });
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.flatMap((item: unknown): readonly Fields[] => asList(toldOf(item))) : [];
}

function asList(told: Fields | undefined): readonly Fields[] {
  return told === undefined ? [] : [told];
}

function time(value: unknown): EpochMs | undefined {
  return numberOf(value, latestShownMs);
}

function text(value: unknown): string | undefined {
  return textOf(value, textChars);
}
