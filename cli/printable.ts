// What files and processes say, made safe for a terminal: letters that steer it, and line breaks, become a mark.
// For text that people read; JSON keeps every letter, escaped.

export function printable<T>(value: T): T {
  return map(value) as T;
}

function map(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each)]));
}
