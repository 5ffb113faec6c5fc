// The text of the next snapshot. A sandbox that was observed anew has new rows; one that was not keeps its rows and their
// own time, and is only no longer current; sandboxes and fields that nobody here knows stay as they are.
import type { EpochMs } from "../../base/clock.ts";
import { appendValues, applyEdits, replaceByValue, type TextEdit } from "../../base/jsonEdit.ts";
import { compactJson, doubledKey, jsonValue, readJson, type JsonNode, type JsonObject } from "../../base/jsonSource.ts";
import { snapshotVersion, snapshotWriter, type SnapshotSandbox } from "../../protocol/files/snapshot.ts";
import type { Roster, Session } from "../../protocol/roster.ts";

export interface SnapshotDocument {
  readonly text: string;
  readonly isWritable: boolean;
  readonly root: JsonObject;
  readonly sandboxes: JsonObject;
}

export type SnapshotParse =
  | { readonly kind: "parsed"; readonly document: SnapshotDocument }
  | { readonly kind: "unreadable"; readonly cause: string };

export function parseSnapshot(text: string): SnapshotParse {
  const read = readJson(text);
  if (read.kind === "not-json") return { kind: "unreadable", cause: `torn or not JSON: ${read.cause}` };
  const { root } = read;
  const sandboxes = root.kind === "object" ? memberOf(root, "sandboxes") : undefined;
  if (root.kind !== "object" || sandboxes?.kind !== "object")
    return { kind: "unreadable", cause: "not the shape of a snapshot" };
  if (doubledKey(root) !== undefined || doubledKey(sandboxes) !== undefined)
    return { kind: "unreadable", cause: "a key stands twice in it" };
  const version = memberOf(root, "version");
  const isWritable = version !== undefined && jsonValue(text, version) === snapshotVersion;
  return { kind: "parsed", document: { text, isWritable, root, sandboxes } };
}

/** What a roster shows of each sandbox in which something was seen to live. */
export function observedSandboxes(roster: Roster): ReadonlyMap<string, SnapshotSandbox> {
  const observed = new Map<string, SnapshotSandbox>();
  for (const session of roster.sessions) {
    if (session.sandbox === null || session.liveness.kind !== "live" || session.liveness.stale) continue;
    const known = observed.get(session.sandbox);
    observed.set(session.sandbox, {
      is_current: true,
      observed_at_ms: Math.max(known?.observed_at_ms ?? 0, Date.parse(session.liveness.asOf)),
      sessions: [...(known?.sessions ?? []), snapshotSession(session)],
    });
  }
  return observed;
}

/** Undefined where the text says so already. */
export function changeSnapshot(
  document: SnapshotDocument,
  observed: ReadonlyMap<string, SnapshotSandbox>,
  at: EpochMs,
): string | undefined {
  const { text, sandboxes, root } = document;
  const edits: TextEdit[] = [];
  const known = new Set(sandboxes.members.map(({ key }) => key));
  for (const { key, value } of sandboxes.members) {
    const now = observed.get(key);
    if (now !== undefined) edits.push(...replaced(text, value, now));
    else if (value.kind === "object") edits.push(...replaced(text, memberOf(value, "is_current"), false));
  }
  const added = [...observed].filter(([name]) => !known.has(name)).map(([key, value]) => ({ key, value }));
  if (added.length > 0) edits.push(appendValues(text, sandboxes, added));
  if (edits.length === 0) return undefined;
  edits.push(
    ...replaced(text, memberOf(root, "collected_at_ms"), at),
    ...replaced(text, memberOf(root, "writer"), snapshotWriter),
  );
  return applyEdits(text, edits);
}

function replaced(text: string, node: JsonNode | undefined, value: unknown): readonly TextEdit[] {
  if (node === undefined || compactJson(text, node) === JSON.stringify(value)) return [];
  return [replaceByValue(text, node, value)];
}

function memberOf(object: JsonObject, key: string): JsonNode | undefined {
  return object.members.find((member) => member.key === key)?.value;
}

function snapshotSession({ id, cwd, title, startedAt, pid }: Session): SnapshotSandbox["sessions"][number] {
  return {
    session_id: id,
    cwd,
    session_name: title,
    started_at: startedAt ?? null,
    pid: pid ?? null,
    cputime_secs: null,
    mem_mb: null,
    has_child: null,
  };
}
