// The end of a file of lines that no newline closes. A record that is whole there counts, since its newline may never
// come; the offset stays before it, so that it is read again and counts once. Half a record is no line yet.
import type { LineFold } from "./jsonLines.ts";

export type UnclosedLine =
  | { readonly kind: "none" }
  | { readonly kind: "half" }
  /** Over the limit already, and passed over as one. */
  | { readonly kind: "too-long" }
  /** Another writer's bytes or a disk that failed, not a writer who is at it. */
  | { readonly kind: "damaged"; readonly why: string }
  | { readonly kind: "whole"; readonly text: string };

export function unclosedLine(rest: Uint8Array, decode: (bytes: Uint8Array) => string): UnclosedLine {
  if (rest.length === 0) return { kind: "none" };
  if (rest.includes(0)) return { kind: "damaged", why: "the end holds NUL bytes" };
  const text = decode(rest);
  return isRecord(text) ? { kind: "whole", text } : { kind: "half" };
}

export function foldUnclosedLine<Fold>(lines: LineFold<Fold>, fold: Fold, line: UnclosedLine): Fold {
  switch (line.kind) {
    case "none":
    case "half":
      return fold;
    case "too-long":
      return lines.skipped(fold, "line too long, and not at its end yet");
    case "damaged":
      return lines.skipped(fold, line.why);
    case "whole":
      return lines.line(fold, line.text);
  }
}

function isRecord(text: string): boolean {
  // Without its last brace it is half, and most halves are told by that.
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
