// Columns of a terminal, not letters of a string.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fitWidth, textWidth } from "../../../cli/textWidth.ts";

describe("how wide a text is", () => {
  for (const [text, columns] of [
    ["", 0],
    ["plain ascii", 11],
    ["Größen", 6],
    ["Gro\u0308\u00dfen", 6],
    ["\u65e5\u672c\u8a9e", 6],
    ["\uff21\uff22", 4],
    ["\ud55c\uad6d", 4],
    ["\u1112\u1161\u11ab", 2],
    ["\u{1f600}", 2],
    ["\u{1f469}\u200d\u{1f469}\u200d\u{1f467}", 2],
    ["\u{1f1e9}\u{1f1ea}", 2],
    ["\u2764\ufe0f", 2],
    ["a\u200bb", 2],
    ["\u0645\u0631\u062d\u0628\u0627", 5],
  ] as const) {
    it(`${JSON.stringify(text)} takes ${columns}`, () => assert.equal(textWidth(text), columns));
  }
});

describe("a text made to fit", () => {
  for (const [text, keep, fitted] of [
    ["abc", "start", "abc   "],
    ["abcdefgh", "start", "abcde\u2026"],
    ["abcdefgh", "end", "\u2026defgh"],
    ["\u65e5\u672c\u8a9e\u8a9e", "start", "\u65e5\u672c\u2026 "],
    ["\u65e5\u672c\u8a9e\u8a9e", "end", " \u2026\u8a9e\u8a9e"],
    ["abcd\u{1f469}\u200d\u{1f467}x", "start", "abcd\u2026 "],
  ] as const) {
    it(`${JSON.stringify(text)}, ${keep} kept, takes six columns`, () => {
      assert.equal(fitWidth(text, 6, keep), fitted);
      assert.equal(textWidth(fitted), 6);
    });
  }
});
