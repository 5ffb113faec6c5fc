// What callers hand over for the registry, checked before anything is written: names and ids of letters that can do
// no harm in a command or a path, entries that have an id each, none of them twice.
import { compactJson, readJson, type JsonArray, type JsonNode } from "../../base/jsonSource.ts";
import { limits } from "../../base/limits.ts";
import { safeIdPattern } from "../../protocol/ids.ts";
import { readEntry } from "./registryDocument.ts";
import { toldEntry, type ToldEntry } from "./registryEntry.ts";

export interface SessionToPut {
  readonly session: string;
  readonly cwd?: string | undefined;
  readonly transcript?: string | undefined;
  readonly name?: string | undefined;
}

/** A name that a person gives is an explicit one. */
export function entryToPut({ session, cwd, transcript, name }: SessionToPut): ToldEntry {
  const fields = {
    session_id: session,
    cwd,
    transcript,
    ...(name === undefined ? {} : { name, name_source: "user" }),
  };
  return toldEntry(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined ? [] : [{ key, value: JSON.stringify(value) }],
    ),
  );
}

export type SliceRead =
  | { readonly kind: "slice"; readonly entries: readonly ToldEntry[] }
  | { readonly kind: "refused"; readonly because: string };

/** @param text an array of entries, or an object that has one as `sessions` */
export function readSliceText(text: string): SliceRead {
  const read = readJson(text);
  if (read.kind === "not-json") return refused(`it is not JSON: ${read.cause}`);
  const list = sessionsOf(read.root);
  if (list === undefined) return refused("it is neither an array of entries nor an object with one as sessions");
  if (list.items.length > limits.recordedSessions)
    return refused(`it has ${list.items.length} entries, over the limit of ${limits.recordedSessions}`);
  const entries: ToldEntry[] = [];
  const ids = new Set<string>();
  for (const [index, item] of list.items.entries()) {
    const entry = readEntry(text, item);
    if (typeof entry === "string") return refused(`its entry ${index + 1} is ${entry}`);
    const id = entry.fields.session_id;
    if (ids.has(id)) return refused(`session ${id} stands twice in it`);
    ids.add(id);
    const members = entry.node.members.map(({ key, value }) => ({ key, value: compactJson(text, value) }));
    entries.push({ fields: entry.fields, members });
  }
  return { kind: "slice", entries };
}

/** A new sandbox's name; one that is recorded already may be any. */
export function isSandboxName(name: string): boolean {
  return safeIdPattern.test(name) && name !== "." && name !== "..";
}

export function isSessionId(id: string): boolean {
  return safeIdPattern.test(id);
}

function sessionsOf(root: JsonNode): JsonArray | undefined {
  if (root.kind === "array") return root;
  if (root.kind !== "object") return undefined;
  const sessions = root.members.filter(({ key }) => key === "sessions").map(({ value }) => value);
  const [list] = sessions;
  return sessions.length === 1 && list?.kind === "array" ? list : undefined;
}

function refused(because: string): SliceRead {
  return { kind: "refused", because };
}
