// Texts of any size and content, cut to what a row can show.
import { limits } from "../../base/limits.ts";

/** One line of at most `titleChars`, cut on code points; undefined where nothing is left. */
export function shortText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const oneLine = text
    .slice(0, limits.titleChars * 8)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  if (oneLine === "") return undefined;
  const points = [...oneLine];
  // The copy lets go of the long string that the title was cut from.
  const cut = points.length <= limits.titleChars ? points : [...points.slice(0, limits.titleChars - 1), "…"];
  return cut.join("");
}
