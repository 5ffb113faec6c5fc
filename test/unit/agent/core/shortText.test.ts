// A title is one line of bounded length, whatever it was cut from; the short way for plain text says the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { shortText } from "../../../../agent/core/shortText.ts";
import { limits } from "../../../../base/limits.ts";

describe("a short text", () => {
  it("is one trimmed line of so many characters at most", () => {
    const part = fc.constantFrom("word", " ", "  ", "\n", "\t", "日本", "👩‍💻", "\u0000", "x".repeat(70));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const line = text
          .slice(0, limits.titleChars * 8)
          .replace(/[\s\p{C}]+/gu, " ")
          .trim();
        const points = [...line];
        const cut = points.length > limits.titleChars ? [...points.slice(0, limits.titleChars - 1), "…"] : points;
        assert.equal(shortText(text), line === "" ? undefined : cut.join(""));
      }),
    );
  });

  it("is none of none", () => {
    assert.equal(shortText(undefined), undefined);
    assert.equal(shortText(" \n "), undefined);
  });
});
