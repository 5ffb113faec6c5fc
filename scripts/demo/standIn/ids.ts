// The ids that the stand-in writes, from a seed: the same seed gives the same ids, two seeds never meet in practice.

export interface Ids {
  uuid(): string;
  /** Lower-case letters and digits. */
  token(length: number): string;
  hex(length: number): string;
  between(least: number, most: number): number;
}

export function seededIds(seed: string): Ids {
  const random = mulberry32(hash(seed));
  const letters = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] ?? "0").join("");
  const hex = (length: number): string => letters("0123456789abcdef", length);
  return {
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${letters("89ab", 1)}${hex(3)}-${hex(12)}`,
    token: (length) => letters("0123456789abcdefghijklmnopqrstuvwxyz", length),
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
