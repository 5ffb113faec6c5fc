// An entry of the registry as `registryEntrySchema.ts` describes it, read by hand.
import { latestShownMs } from "../../base/limits.ts";
import { safeIdPattern } from "../ids.ts";
import { nameSources, recordedTextChars } from "./registry.ts";
import type { RegistryEntry } from "./registryEntrySchema.ts";
import { numberOf, positiveIntegerOf, textOf, toldOf, withoutUntold } from "./tolerant.ts";

type Read = { readonly [Field in keyof Required<RegistryEntry>]: (value: unknown) => RegistryEntry[Field] | undefined };

const readers: Read = {
  session_id: (value) => (typeof value === "string" && safeIdPattern.test(value) ? value : undefined),
  cwd: recordedText,
  transcript: recordedText,
  started_at_ms: positiveMs,
  name: recordedText,
  name_source: (value) => nameSources.find((source) => source === value),
  pid: positiveIntegerOf,
  owner_pid: positiveIntegerOf,
  owner_started_at: (value) => (Number.isFinite(value) ? (value as number) : textOf(value, 200)),
  host_terminal_id: recordedText,
  host_tty: recordedText,
  departed_at_ms: positiveMs,
};

/** Undefined for what has no session id that can be one. */
export function readRegistryEntry(value: unknown): RegistryEntry | undefined {
  const told = toldOf(value);
  const session_id = readers.session_id(told?.["session_id"]);
  if (told === undefined || session_id === undefined) return undefined;
  const read = <Field extends keyof Read>(field: Field): RegistryEntry[Field] | undefined =>
    readers[field](told[field]);
  return withoutUntold({
    session_id,
    cwd: read("cwd"),
    transcript: read("transcript"),
    started_at_ms: read("started_at_ms"),
    name: read("name"),
    name_source: read("name_source"),
    pid: read("pid"),
    owner_pid: read("owner_pid"),
    owner_started_at: read("owner_started_at"),
    host_terminal_id: read("host_terminal_id"),
    host_tty: read("host_tty"),
    departed_at_ms: read("departed_at_ms"),
  });
}

export function isRegistryField(key: string): boolean {
  return Object.hasOwn(readers, key);
}

/** A blank one was not told. */
function recordedText(value: unknown): string | undefined {
  const text = textOf(value, recordedTextChars);
  return text !== undefined && /\S/.test(text) ? text : undefined;
}

function positiveMs(value: unknown): number | undefined {
  const ms = numberOf(value, latestShownMs);
  return ms === 0 ? undefined : ms;
}
