// What one transcript said when it was read, as text for the next process: a file that is still the very same need not
// be read again. Nothing of it is believed unless it has its shape; then the file is read, as if there were none. Left
// out is what only matters to whoever goes on reading where this read ended: nobody does, a file that changed is read anew.
import type { TranscriptFacts } from "./monitorEvent.ts";
import { emptyTranscript, type TranscriptFold } from "./transcript.ts";
import type { BackgroundKind, TurnErrorWhy } from "./transcriptEvents.ts";
import { noTurns, type BackgroundWork, type OpenCall, type TurnPhase, type Turns } from "./turns.ts";

/** Undefined for what cannot be kept: nobody takes lines of subagents in a session's own file up again. */
export function toKeptRead(facts: TranscriptFacts): object | undefined {
  const { fold, path: _path, id: _id, ...rest } = facts;
  if (fold.of !== "session" || fold.sidechains.size > 0) return undefined;
  const { of: _of, sidechains: _sidechains, recent: _recent, turns, skipped, ...told } = fold;
  const { openCalls, background, endedTasks, results: _results, ...other } = turns;
  return {
    ...rest,
    fold: {
      ...told,
      skipped: [...skipped],
      turns: {
        ...other,
        openCalls: [...openCalls.values()],
        background: [...background.values()],
        endedTasks: [...endedTasks],
      },
    },
  };
}

/** Undefined for what has not its shape. */
export function fromKeptRead(
  value: unknown,
  { id, path }: Pick<TranscriptFacts, "id" | "path">,
): TranscriptFacts | undefined {
  try {
    const it = fields(value);
    return {
      id,
      path,
      fold: foldOf(fields(it["fold"])),
      startCwd: optional(it["startCwd"], text),
      firstRecordAt: optional(it["firstRecordAt"], count),
      modifiedAt: count(it["modifiedAt"]),
      sizeBytes: count(it["sizeBytes"]),
      windowCapped: flag(it["windowCapped"]),
    };
  } catch (error) {
    // eslint-disable-next-line no-restricted-syntax -- undefined means that it has to be read, see above
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

class ShapeError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

function foldOf(it: Fields): TranscriptFold {
  const titles = fields(it["titles"]);
  return {
    ...emptyTranscript,
    turns: turnsOf(fields(it["turns"])),
    firstCwd: optional(it["firstCwd"], text),
    lastCwd: optional(it["lastCwd"], text),
    firstRecordAt: optional(it["firstRecordAt"], count),
    lastRecordAt: optional(it["lastRecordAt"], count),
    version: optional(it["version"], text),
    entrypoint: optional(it["entrypoint"], text),
    originId: optional(it["originId"], text),
    closed: flag(it["closed"]),
    titles: {
      custom: optional(titles["custom"], text),
      agent: optional(titles["agent"], text),
      prompt: optional(titles["prompt"], text),
    },
    boundarySeen: flag(it["boundarySeen"]),
    skipped: new Map(list(it["skipped"], (pair) => [text(at(pair, 0)), count(at(pair, 1))] as const)),
  };
}

function turnsOf(it: Fields): Turns {
  return {
    ...noTurns,
    phase: phaseOf(fields(it["phase"])),
    openCalls: new Map(list(it["openCalls"], callOf).map((call) => [call.toolUseId, call])),
    background: new Map(list(it["background"], taskOf).map((task) => [task.id, task])),
    endedTasks: new Map(list(it["endedTasks"], (pair) => [text(at(pair, 0)), count(at(pair, 1))] as const)),
    subagentsKilledAt: optional(it["subagentsKilledAt"], count),
    lastSignAt: optional(it["lastSignAt"], count),
    callsNotTracked: count(it["callsNotTracked"]),
  };
}

function phaseOf(it: Fields): TurnPhase {
  const kind = oneOf(it["kind"], ["none", "running", "ended", "failed"]);
  switch (kind) {
    case "none":
      return { kind };
    case "running":
      return { kind, since: count(it["since"]) };
    case "ended":
      return {
        kind,
        at: count(it["at"]),
        how: oneOf(it["how"], ["completed", "interrupted"]),
        marked: flag(it["marked"]),
      };
    case "failed": {
      const until = optional(it["until"], count);
      return {
        kind,
        at: count(it["at"]),
        why: oneOf<TurnErrorWhy>(it["why"], ["login", "billing", "limit", "server", "other"]),
        says: text(it["says"]),
        ...(until === undefined ? {} : { until }),
      };
    }
  }
}

function callOf(value: unknown): OpenCall {
  const it = fields(value);
  return { toolUseId: text(it["toolUseId"]), tool: text(it["tool"]), since: count(it["since"]) };
}

function taskOf(value: unknown): BackgroundWork {
  const it = fields(value);
  const kind = oneOf<BackgroundKind>(it["kind"], ["shell", "subagent", "monitor", "other"]);
  return { id: text(it["id"]), kind, since: count(it["since"]) };
}

function fields(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ShapeError();
}

function list<T>(value: unknown, read: (item: unknown) => T): readonly T[] {
  if (Array.isArray(value)) return value.map(read);
  throw new ShapeError();
}

function at(value: unknown, index: number): unknown {
  if (Array.isArray(value)) return value[index];
  throw new ShapeError();
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new ShapeError();
}

function count(value: unknown): number {
  if (typeof value === "number") return value;
  throw new ShapeError();
}

function flag(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new ShapeError();
}

function oneOf<T extends string>(value: unknown, words: readonly T[]): T {
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw new ShapeError();
}
