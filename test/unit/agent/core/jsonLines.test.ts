import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { noLines, splitLines, type LineState } from "../../../../agent/core/jsonLines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (line: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(line);

interface Split {
  readonly lines: readonly string[];
  readonly skipped: number;
  readonly rest: string;
}

function split(chunks: readonly Uint8Array[], limit: number): Split {
  const lines: string[] = [];
  let skipped = 0;
  let state: LineState = noLines;
  for (const chunk of chunks) {
    state = splitLines(state, chunk, limit, {
      line: (line) => lines.push(text(line)),
      skipped: () => (skipped += 1),
    });
  }
  return { lines, skipped, rest: text(state.rest) };
}

function check(chunks: readonly string[], expected: Split, limit = 100): void {
  assert.deepEqual(split(chunks.map(bytes), limit), expected);
}

describe("splitLines", () => {
  it("gives each finished line without its newline", () => {
    check(["a\nb\n"], { lines: ["a", "b"], skipped: 0, rest: "" });
  });
  it("B049: a line half written stays with the caller and appears once when its rest arrives", () => {
    check(["a\nb"], { lines: ["a"], skipped: 0, rest: "b" });
    check(["a\nb", "c", "d\n"], { lines: ["a", "bcd"], skipped: 0, rest: "" });
  });
  it("B055: splits on 0x0A only: carriage return, U+2028, U+2029, NEL, VT and FF are content", () => {
    check(["a\r\u2028\u2029\u0085\v\fb\r\n"], { lines: ["a\r\u2028\u2029\u0085\v\fb\r"], skipped: 0, rest: "" });
  });
  it("B051: a character that a chunk cuts in two arrives whole", () => {
    const whole = bytes("日本\n");
    assert.deepEqual(split([whole.subarray(0, 1), whole.subarray(1, 4), whole.subarray(4)], 100).lines, ["日本"]);
  });
  it("gives empty lines and NUL bytes as they are", () => {
    check(["\n\u0000\n"], { lines: ["", "\u0000"], skipped: 0, rest: "" });
  });
  it("a line of exactly the limit is given, one byte more is skipped as one and counted", () => {
    check(["12345\n123456\nab\n"], { lines: ["12345", "ab"], skipped: 1, rest: "" }, 5);
  });
  it("an overlong line that comes in many chunks is skipped as one, and nothing of it is kept", () => {
    check(["123", "456", "789", "0\nab\n"], { lines: ["ab"], skipped: 1, rest: "" }, 5);
    check(["123", "456"], { lines: [], skipped: 0, rest: "" }, 5);
  });
  it("any split of the same bytes gives the same lines", () => {
    const piece = fc.oneof(fc.constant(0x0a), fc.constant(0x0d), fc.constant(0), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 80 }),
        fc.array(fc.nat(80)),
        fc.integer({ min: 1, max: 20 }),
        (raw, at, limit) => {
          const all = Uint8Array.from(raw);
          const cuts = [0, ...at.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
          const chunks = cuts.slice(1).map((cut, index) => all.subarray(cuts[index], cut));
          assert.deepEqual(split(chunks, limit), split([all], limit));
        },
      ),
    );
  });
});
