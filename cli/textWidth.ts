// How many columns of a terminal a text takes, and a text made to take as many as a column has. Letters of East Asia
// and pictures take two, marks that stand on a letter none. What lies beyond ASCII is taken apart as a person would:
// a letter is never cut from its marks, nor a picture in the middle.
import { eastAsianWidth } from "get-east-asian-width";

const ascii = /^[\u0020-\u007e]*$/;
const picture = /\p{Emoji_Presentation}|\ufe0f/u;
/** Also the later parts of a Korean syllable, which stand within the first one's columns. */
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

export function textWidth(text: string): number {
  return ascii.test(text) ? text.length : lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);
}

/** @param keep which end stays where the text is too long; the mark of the cut takes one column */
export function fitWidth(text: string, columns: number, keep: "start" | "end"): string {
  const width = textWidth(text);
  if (width <= columns) return text + " ".repeat(columns - width);
  const letters = lettersOf(text);
  const kept: string[] = [];
  let taken = 1;
  for (const letter of keep === "start" ? letters : [...letters].reverse()) {
    const more = letterWidth(letter);
    if (taken + more > columns) break;
    taken += more;
    kept.push(letter);
  }
  // Half of a wide letter is no letter.
  const blank = " ".repeat(Math.max(0, columns - taken));
  return keep === "start" ? `${kept.join("")}…${blank}` : `${blank}…${kept.reverse().join("")}`;
}

function letterWidth(letter: string): number {
  if (ascii.test(letter)) return 1;
  if (picture.test(letter)) return 2;
  let width = 0;
  for (const sign of letter) if (!withoutWidth.test(sign)) width += eastAsianWidth(sign.codePointAt(0) ?? 0);
  return width;
}

/** Made when it is first needed: that takes longer than a whole table does. */
let segmenter: Intl.Segmenter | undefined;

function lettersOf(text: string): readonly string[] {
  if (ascii.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
