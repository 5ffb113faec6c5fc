// Where a text stops being JSON, for people who mend it by hand. Whether it is JSON at all is decided by the language's
// own parser; this only finds the place that it does not always tell. Nesting costs no stack.

export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** The text is one that goes on: it was cut. */
  readonly isAtEnd: boolean;
}

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** @param text one that is not JSON */
export function jsonFault(text: string): JsonFault {
  const at = faultAt(text);
  const before = text.slice(0, at);
  return {
    line: before.split("\n").length,
    column: at - before.lastIndexOf("\n"),
    isAtEnd: at === text.length,
  };
}

function faultAt(text: string): number {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const open: ("{" | "[")[] = [];
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const take = (mark: string): boolean => {
    if (text[at] !== mark) return false;
    at += 1;
    skip(space);
    return true;
  };
  /** By hand, since a pattern needs memory for each letter; false leaves the place of the fault. */
  const takeString = (): boolean => {
    at += 1;
    for (; at < text.length; at += 1) {
      if (text[at] === '"') {
        at += 1;
        return true;
      }
      if (text.charCodeAt(at) < 0x20) return false;
      if (text[at] !== "\\") continue;
      if (!skip(escape)) return false;
      at -= 1;
    }
    return false;
  };
  /** The key of a member with its colon. */
  const takeKey = (): boolean => text[at] === '"' && takeString() && skip(space) && take(":");
  for (;;) {
    // Here a value stands.
    skip(space);
    if (take("{")) {
      open.push("{");
      if (text[at] !== "}") {
        if (!takeKey()) return at;
        continue;
      }
    } else if (take("[")) {
      open.push("[");
      if (text[at] !== "]") continue;
    } else if (text[at] === '"' ? !takeString() : !skip(scalar)) return at;
    // And here it has ended: its container ends too, or goes on.
    for (;;) {
      skip(space);
      const container = open.at(-1);
      if (container === undefined) return at;
      if (take(container === "{" ? "}" : "]")) open.pop();
      else if (!take(",")) return at;
      else if (container === "{" && !takeKey()) return at;
      else break;
    }
  }
}
