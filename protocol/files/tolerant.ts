// How fields of other programs' files are read by hand: one of an unexpected type or size counts as not told. What a
// validator says of the same fields is the test's; to set one up takes longer than a first look at a host may.

import { earliestToldMs, latestShownMs } from "../../base/limits.ts";

export type Told = Readonly<Record<string, unknown>>;

/** Undefined for what is no object. */
export function toldOf(value: unknown): Told | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Told) : undefined;
}

export function textOf(value: unknown, mostChars: number): string | undefined {
  return typeof value === "string" && value.length <= mostChars ? value : undefined;
}

export function numberOf(value: unknown, most: number): number | undefined {
  return typeof value === "number" && value >= 0 && value <= most ? value : undefined;
}

/** A moment in milliseconds; one in seconds would be in 1970, and counts as not told. */
export function momentOf(value: unknown): number | undefined {
  const ms = numberOf(value, latestShownMs);
  return ms !== undefined && ms >= earliestToldMs ? ms : undefined;
}

/** Of those that a number holds exactly. */
export function integerOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function positiveIntegerOf(value: unknown): number | undefined {
  const integer = integerOf(value);
  return integer === 0 ? undefined : integer;
}

export function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Only what was told is a field. */
export function withoutUntold<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
