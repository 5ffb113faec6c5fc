// A JSON text as a tree of places in it, for those who change one place and leave every other byte as it is: unknown
// fields, numbers beyond a double, odd keys and the writer's own layout survive. What is JSON at all is decided by
// the language's own strict parser.
import { jsonFault } from "./jsonFault.ts";

export interface JsonObject {
  readonly kind: "object";
  readonly start: number;
  readonly end: number;
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  /** Where its key begins. */
  readonly start: number;
  readonly keyEnd: number;
  readonly value: JsonNode;
}

export interface JsonArray {
  readonly kind: "array";
  readonly start: number;
  readonly end: number;
  readonly items: readonly JsonNode[];
}

export interface JsonScalar {
  readonly kind: "scalar";
  readonly start: number;
  readonly end: number;
}

export type JsonNode = JsonObject | JsonArray | JsonScalar;

export type JsonRead =
  { readonly kind: "json"; readonly root: JsonNode } | { readonly kind: "not-json"; readonly cause: string };

/** Deeper than any known file; the bound keeps a hostile one from the stack. */
const deepest = 100;

/** A byte order mark before the text is left where it is. */
export function readJson(text: string): JsonRead {
  const begin = text.startsWith("\ufeff") ? 1 : 0;
  try {
    JSON.parse(begin === 0 ? text : text.slice(begin));
  } catch {
    return { kind: "not-json", cause: placeOf(text) };
  }
  const scan = new Scan(text, begin);
  const root = scan.value(0);
  return scan.tooDeep ? { kind: "not-json", cause: `nested deeper than ${deepest} levels` } : { kind: "json", root };
}

/** The parser's own words may quote the text, and do not always tell a place. */
function placeOf(text: string): string {
  const { line, column, isAtEnd } = jsonFault(text);
  return `${isAtEnd ? "it ends too early" : "not JSON"} at line ${line}, column ${column}`;
}

/** The value that stands there. */
export function jsonValue(text: string, node: JsonNode): unknown {
  return JSON.parse(text.slice(node.start, node.end));
}

/** The same JSON without the white space between its parts; numbers and strings stand as they were written. */
export function compactJson(text: string, node: JsonNode): string {
  switch (node.kind) {
    case "scalar":
      return text.slice(node.start, node.end);
    case "array":
      return `[${node.items.map((item) => compactJson(text, item)).join(",")}]`;
    case "object": {
      const members = node.members.map(
        (member) => `${text.slice(member.start, member.keyEnd)}:${compactJson(text, member.value)}`,
      );
      return `{${members.join(",")}}`;
    }
  }
}

/** A key that stands twice: which of its values counts is for no reader to say. */
export function doubledKey(object: JsonObject): string | undefined {
  const seen = new Set<string>();
  for (const { key } of object.members) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

const space = /[ \t\n\r]*/y;
const scalarEnd = /[^,\]}\s]*/y;

/** Trusts its text to be JSON. */
class Scan {
  tooDeep = false;
  private readonly text: string;
  private at: number;

  constructor(text: string, begin: number) {
    this.text = text;
    this.at = begin;
  }

  value(depth: number): JsonNode {
    this.skip(space);
    const start = this.at;
    switch (this.text[start]) {
      case "{":
        return this.object(start, depth + 1);
      case "[":
        return this.array(start, depth + 1);
      default:
        if (this.text[start] === '"') this.string();
        else this.skip(scalarEnd);
        return { kind: "scalar", start, end: this.at };
    }
  }

  private object(start: number, depth: number): JsonObject {
    const members: JsonMember[] = [];
    this.parts("}", depth, () => {
      const keyStart = this.at;
      this.string();
      const keyEnd = this.at;
      this.skip(space);
      this.at += 1;
      const key = JSON.parse(this.text.slice(keyStart, keyEnd)) as string;
      members.push({ key, start: keyStart, keyEnd, value: this.value(depth) });
    });
    return { kind: "object", start, end: this.at, members };
  }

  private array(start: number, depth: number): JsonArray {
    const items: JsonNode[] = [];
    this.parts("]", depth, () => items.push(this.value(depth)));
    return { kind: "array", start, end: this.at, items };
  }

  private parts(close: string, depth: number, part: () => void): void {
    if (depth > deepest) {
      this.tooDeep = true;
      this.at = this.text.length;
      return;
    }
    this.at += 1;
    for (;;) {
      this.skip(space);
      if (this.tooDeep) return;
      const next = this.text[this.at];
      if (next === close) break;
      if (next === ",") {
        this.at += 1;
        this.skip(space);
      }
      part();
    }
    this.at += 1;
  }

  /** To behind the quote that no backslash takes from the string. */
  private string(): void {
    for (;;) {
      const quote = this.text.indexOf('"', this.at + 1);
      let backslashes = 0;
      while (this.text[quote - 1 - backslashes] === "\\") backslashes += 1;
      this.at = quote;
      if (backslashes % 2 === 0) break;
    }
    this.at += 1;
  }

  private skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    pattern.test(this.text);
    this.at = pattern.lastIndex;
  }
}
