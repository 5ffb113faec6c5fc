// What a probe brought back from inside a sandbox, line by line as `probeScript.ts` prints it. Whoever runs inside may
// have written any of it: content comes as hex below its line, so that no content can pass for a line, and what is not
// understood is counted and dropped. Whether the answer may be believed at all is `probe.ts`.
import { latestShownMs } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { readPidRecord } from "../../protocol/files/readPidRecord.ts";
import { idOfMount, idsOfGroup } from "./containerIds.ts";
import { identifyProcess, type AgentRole } from "./processIdentity.ts";

/** Raised when the lines change, so that an answer of another script is told from one of this. */
export const probeFormat = 1;

export interface ProbeAnswer {
  readonly namespace: string | undefined;
  /** Of the containers that its mounts and control groups name. */
  readonly containers: readonly string[];
  /** Of the kernel that it runs on. */
  readonly bootId: string | undefined;
  /** The clock inside, when the answer began. */
  readonly clockMs: number | undefined;
  /** True where every process of its namespace could be seen. */
  readonly seesAll: boolean;
  readonly processes: readonly ProbedProcess[];
  readonly records: readonly ProbedRecord[];
  /** What was read over, by why. */
  readonly skipped: readonly (readonly [string, number])[];
}

/** As its own namespace counts; only those that may be an agent's. */
export interface ProbedProcess {
  readonly pid: number;
  readonly start: string;
  readonly role: AgentRole;
}

export interface ProbedRecord {
  readonly folder: string;
  readonly record: PidRecord;
}

interface Item {
  readonly words: readonly string[];
  hex: string;
}

/** @param body the lines between the first and the last one */
export function readProbeAnswer(body: readonly string[]): ProbeAnswer {
  const items = itemsOf(body);
  const skipped = new Map<string, number>();
  const skip = (why: string): void => void skipped.set(why, (skipped.get(why) ?? 0) + 1);
  const first = (name: string): string | undefined =>
    items
      .find(({ words }) => words[0] === name)
      ?.words.slice(1)
      .join(" ");
  const seconds = Number(first("clock"));
  return {
    namespace: /pid:\[(\d+)\]/.exec(first("pidns") ?? "")?.[1],
    containers: [...new Set(items.flatMap(containersIn))],
    bootId: first("boot"),
    clockMs: Number.isFinite(seconds) && seconds > 0 && seconds * 1_000 < latestShownMs ? seconds * 1_000 : undefined,
    seesAll: seesAll(items),
    processes: processesIn(items, skip),
    records: recordsIn(items, skip),
    skipped: [...skipped],
  };
}

function itemsOf(body: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (const line of body) {
    const last = items.at(-1);
    if (line.startsWith(" ")) {
      if (last !== undefined) last.hex += line.replaceAll(" ", "");
    } else items.push({ words: line.split(" "), hex: "" });
  }
  return items;
}

function containersIn({ words: [name, place] }: Item): readonly string[] {
  if (place === undefined) return [];
  if (name === "group") return idsOfGroup(place);
  const id = name === "mount" ? idOfMount(place) : undefined;
  return id === undefined ? [] : [id];
}

/** Its /proc is of its own namespace, hides nobody, and was read to its end. */
function seesAll(items: readonly Item[]): boolean {
  const self = items.find(({ words }) => words[0] === "self")?.words;
  const proc = items.filter(({ words }) => words[0] === "procfs").at(-1)?.words;
  if (self?.[1] === undefined || self[1] !== self[2] || proc === undefined) return false;
  const hides = /hidepid=(?!0\b|off\b)|subset=pid/.test(proc.slice(2).join(" "));
  return proc[1] === "/" && !hides && items.some(({ words }) => words[0] === "processes" && words[1] === "whole");
}

function processesIn(items: readonly Item[], skip: (why: string) => void): readonly ProbedProcess[] {
  const found: ProbedProcess[] = [];
  for (const [index, { words, hex }] of items.entries()) {
    if (words[0] !== "process") continue;
    const stat = textOf(hex);
    const pid = Number(words[1]);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const start = fields[19];
    const comm = /\((.*)\)/s.exec(stat)?.[1];
    const about = itemsUpTo(items, index, "process");
    if (!Number.isSafeInteger(pid) || pid <= 0 || start === undefined || !/^\d+$/.test(start)) {
      skip("a process inside that could not be read");
      continue;
    }
    // It has ended, and waits to be reaped.
    if (fields[0] === "Z" || fields[0] === "X") continue;
    const argv = textOf(about.find((item) => item.words[0] === "cmdline")?.hex ?? "")
      .replace(/\0$/, "")
      .split("\0");
    const exe = about
      .find((item) => item.words[0] === "exe")
      ?.words.slice(1)
      .join(" ");
    found.push({ pid, start, role: identifyProcess({ argv, exe: exe === "" ? undefined : exe, comm }) });
  }
  return found;
}

function recordsIn(items: readonly Item[], skip: (why: string) => void): readonly ProbedRecord[] {
  const found: ProbedRecord[] = [];
  let folder: string | undefined;
  for (const { words, hex } of items) {
    if (words[0] === "folder") folder = textOf(hex);
    if (words[0] === "skipped") skip(words.slice(1).join(" ").slice(0, 80));
    if (words[0] !== "record" || folder === undefined) continue;
    const record = recordOf(textOf(hex));
    if (record === undefined || `${record.pid}.json` !== words[1])
      skip("a session record inside that could not be read");
    else found.push({ folder, record });
  }
  return found;
}

function recordOf(text: string): PidRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- who asks counts what cannot be read
    return undefined;
  }
  return readPidRecord(value);
}

function itemsUpTo(items: readonly Item[], index: number, name: string): readonly Item[] {
  const rest = items.slice(index + 1);
  const end = rest.findIndex(({ words }) => words[0] === name || words[0] === "processes");
  return end < 0 ? rest : rest.slice(0, end);
}

/** Hex as UTF-8; what is not is taken byte by byte, so that it costs itself only. */
function textOf(hex: string): string {
  const pairs = hex.match(/[0-9a-f]{2}/g) ?? [];
  try {
    return decodeURIComponent(pairs.map((pair) => `%${pair}`).join(""));
  } catch {
    return pairs.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("");
  }
}
