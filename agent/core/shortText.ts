// Texts of any size and content, cut to what a row can show.
import { limits } from "../../base/limits.ts";

/** Printed ASCII with single spaces between words. */
const plain = /^[!-~]+(?: [!-~]+)*$/;

/** One line of at most `titleChars`, cut on code points; undefined where nothing is left. */
export function shortText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const start = text.slice(0, limits.titleChars * 8);
  // Most are plain and need no look at each of their code points.
  if (plain.test(start))
    return copied(start.length <= limits.titleChars ? start : `${start.slice(0, limits.titleChars - 1)}…`);
  const oneLine = start.replace(/[\s\p{C}]+/gu, " ").trim();
  if (oneLine === "") return undefined;
  const points = [...oneLine];
  const cut = points.length <= limits.titleChars ? points : [...points.slice(0, limits.titleChars - 1), "…"];
  return cut.join("");
}

/** A copy lets go of the long string that a title was cut from: what is put together anew is a string of its own. */
function copied(text: string): string {
  return ` ${text}`.slice(1);
}
