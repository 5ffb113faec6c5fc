// Whether two values say the same as JSON, without writing either: a roster of hundreds of rows is compared with the
// next one again and again, and nearly all of it is the same. The order of keys says nothing, and what is undefined is
// not there.

export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (Array.isArray(one) || Array.isArray(other)) return sameArrays(one, other);
  let more = 0;
  for (const key in one) {
    const value = one[key];
    if (value === undefined) continue;
    more += 1;
    if (!sameJson(value, other[key])) return false;
  }
  for (const key in other) if (other[key] !== undefined) more -= 1;
  return more === 0;
}

function sameArrays(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (!sameJson(one[index], other[index])) return false;
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
