// The end of a transcript that no newline closes. A record that is whole there counts, since its newline may never come;
// the offset stays before it, so that it is read again and counts once. Half a record is no line yet.
import { foldTranscriptLine, skipTranscriptLine, type TranscriptFold } from "./transcript.ts";

export type UnclosedLine =
  | { readonly kind: "none" }
  | { readonly kind: "half" }
  /** Another writer's bytes or a disk that failed, not a writer who is at it. */
  | { readonly kind: "damaged"; readonly why: string }
  | { readonly kind: "whole"; readonly text: string };

export function unclosedLine(rest: Uint8Array, decode: (bytes: Uint8Array) => string): UnclosedLine {
  if (rest.length === 0) return { kind: "none" };
  if (rest.includes(0)) return { kind: "damaged", why: "the end holds NUL bytes" };
  const text = decode(rest);
  return isRecord(text) ? { kind: "whole", text } : { kind: "half" };
}

export function foldUnclosedLine(fold: TranscriptFold, line: UnclosedLine): TranscriptFold {
  switch (line.kind) {
    case "none":
    case "half":
      return fold;
    case "damaged":
      return skipTranscriptLine(fold, line.why);
    case "whole":
      return foldTranscriptLine(fold, line.text);
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
