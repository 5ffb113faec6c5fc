// Bytes into lines: split on 0x0A only, whatever the chunks were. An unfinished line stays with the caller,
// so the offset only ever passes a newline. A line over the limit is skipped as one and counted.

export interface LineSink {
  line(bytes: Uint8Array): void;
  skipped(why: "line too long"): void;
}

/** What the lines of a file become, one after the other. */
export interface LineFold<Fold> {
  /** @param text one line without its newline; invalid UTF-8 was replaced by its decoder */
  readonly line: (fold: Fold, text: string) => Fold;
  readonly skipped: (fold: Fold, why: string) => Fold;
  /** True for a line that need not even be decoded. */
  readonly passesOver?: (fold: Fold, line: Uint8Array) => boolean;
}

export interface LineState {
  /** Bytes of the unfinished line; empty while an overlong one is being passed over. */
  readonly rest: Uint8Array;
  readonly skipping: boolean;
}

export const noLines: LineState = { rest: new Uint8Array(0), skipping: false };

const newline = 0x0a;

/** Feeds one chunk; the sink gets each line that the chunk completes, without its newline. */
export function splitLines(state: LineState, chunk: Uint8Array, lineLimitBytes: number, sink: LineSink): LineState {
  let { rest, skipping } = state;
  let start = 0;
  for (;;) {
    const end = chunk.indexOf(newline, start);
    if (end < 0) break;
    const piece = chunk.subarray(start, end);
    if (skipping || rest.length + piece.length > lineLimitBytes) sink.skipped("line too long");
    else sink.line(rest.length === 0 ? piece : joinBytes(rest, piece));
    rest = noLines.rest;
    skipping = false;
    start = end + 1;
  }
  const tail = chunk.subarray(start);
  if (skipping) return { rest: noLines.rest, skipping };
  if (rest.length + tail.length > lineLimitBytes) return { rest: noLines.rest, skipping: true };
  return { rest: tail.length === 0 ? rest : joinBytes(rest, tail), skipping };
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
