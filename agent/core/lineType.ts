// What kind of record a transcript's line is, by a look at its bytes: a start passes over tens of thousands of lines
// that settle nothing, and parsing each is most of what it costs. Walks the line's own keys, whatever their order and
// spacing, and answers nothing where it cannot be sure: then the line has to be parsed.

export type LineType =
  "user" | "assistant" | "attachment" | "progress" | "file-history-snapshot" | "queue-operation" | "system" | "another";

export interface LineLook {
  readonly type: LineType;
  /** True where it may be a subagent's line in its session's file. */
  readonly mayBeSidechain: boolean;
}

const named: readonly Exclude<LineType, "another">[] = [
  "user",
  "assistant",
  "attachment",
  "progress",
  "file-history-snapshot",
  "queue-operation",
  "system",
];
const names = named.map((name) => ({ name, bytes: bytesOf(name) }));
const typeKey = bytesOf("type");
const sidechainKey = bytesOf("isSidechain");

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const falseInitial = 0x66;

/** Undefined where a look does not tell. */
export function lookAtLine(line: Uint8Array): LineLook | undefined {
  const end = line.length;
  if (line[end - 1] !== closeBrace || line[0] !== openBrace) return undefined;
  let seenSidechain = false;
  let mayBeSidechain = true;
  let at = 1;
  while (at < end) {
    at = skipSpace(line, at);
    if (line[at] !== quote) return undefined;
    const key = at + 1;
    const keyEnd = endOfString(line, key);
    at = skipSpace(line, keyEnd + 1);
    if (line[at] !== colon) return undefined;
    at = skipSpace(line, at + 1);
    const isType = equals(line, key, keyEnd, typeKey);
    if (isType) {
      if (line[at] !== quote) return undefined;
      const type = typeAt(line, at + 1, endOfString(line, at + 1));
      return { type, mayBeSidechain: seenSidechain ? mayBeSidechain : includes(line, at, sidechainKey) };
    }
    if (equals(line, key, keyEnd, sidechainKey)) {
      seenSidechain = true;
      mayBeSidechain = line[at] !== falseInitial;
    }
    at = skipSpace(line, endOfValue(line, at));
    if (line[at] !== comma) return undefined;
    at += 1;
  }
  return undefined;
}

/** True where these bytes stand in the line at or after a place. */
export function includes(line: Uint8Array, from: number, wanted: Uint8Array): boolean {
  const [first] = wanted;
  const last = line.length - wanted.length;
  for (let at = from; at <= last; at += 1)
    if (line[at] === first && equals(line, at, at + wanted.length, wanted)) return true;
  return false;
}

export function bytesOf(word: string): Uint8Array {
  return Uint8Array.from(word, (character) => character.charCodeAt(0));
}

function typeAt(line: Uint8Array, from: number, to: number): LineType {
  for (const { name, bytes } of names) if (equals(line, from, to, bytes)) return name;
  return "another";
}

function equals(line: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  if (to - from !== wanted.length) return false;
  for (let index = 0; index < wanted.length; index += 1) if (line[from + index] !== wanted[index]) return false;
  return true;
}

function skipSpace(line: Uint8Array, from: number): number {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09) at += 1;
  return at;
}

/** The place of the closing quote; the line's end where there is none. */
function endOfString(line: Uint8Array, from: number): number {
  let at = from;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at;
}

function endOfValue(line: Uint8Array, from: number): number {
  let at = from;
  for (let depth = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === quote) at = endOfString(line, at + 1);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === comma && depth === 0) return at;
  }
  return at;
}
