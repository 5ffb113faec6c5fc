// What a session's files said and when: every change of the pid records and every transcript line of a
// world, with the time it was seen. For recordings and for the walk's failures; asserts nothing.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const LOOK_EVERY_MS = 4;
const ENTRY_LIMIT = 20_000;

export interface TimelineEntry {
  /** Milliseconds since the epoch when it was seen, and the file's mtime then. */
  readonly seenAt: number;
  readonly modifiedAt: number;
  readonly file: string;
  /** A pid record, a transcript line, or a step's name; `removed` when the file went away. */
  readonly value: unknown;
}

export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  mark(step: string): void;
  stop(): void;
}

export function recordTimeline(configDir: string): Timeline {
  const entries: TimelineEntry[] = [];
  const records = new Map<string, string>();
  const offsets = new Map<string, number>();
  const add = (file: string, modifiedAt: number, value: unknown): void => {
    if (entries.length < ENTRY_LIMIT)
      entries.push({ seenAt: Date.now(), modifiedAt, file: relative(configDir, file), value });
  };
  const look = (): void => {
    const present = new Set<string>();
    for (const file of filesBelow(join(configDir, "sessions"), ".json")) {
      present.add(file);
      const text = read(file);
      if (text === undefined || text === records.get(file)) continue;
      records.set(file, text);
      add(file, mtime(file), parse(text));
    }
    for (const file of records.keys()) {
      if (present.has(file)) continue;
      records.delete(file);
      add(file, 0, "removed");
    }
    for (const file of filesBelow(join(configDir, "projects"), ".jsonl")) {
      const from = offsets.get(file) ?? 0;
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === from) continue;
      const bytes = Buffer.from(read(file) ?? "");
      const end = bytes.lastIndexOf(0x0a) + 1;
      offsets.set(file, end);
      for (const line of bytes.subarray(from, end).toString("utf8").split("\n")) {
        if (line !== "") add(file, mtime(file), parse(line));
      }
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    entries,
    mark: (step) => {
      look();
      add(join(configDir, "step"), 0, step);
    },
    stop: () => {
      clearInterval(timer);
      look();
    },
  };
}

function filesBelow(folder: string, extension: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(extension))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function mtime(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
