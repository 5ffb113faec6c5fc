// The text of the next snapshot. A sandbox that was observed anew has new rows; one that was not keeps its rows and their
// own time, and is only no longer current; sandboxes and fields that nobody here knows stay as they are.
import type { EpochMs } from "../../base/clock.ts";
import { appendValues, applyEdits, replaceByValue, type TextEdit } from "../../base/jsonEdit.ts";
import { compactJson, doubledKey, jsonValue, readJson, type JsonNode, type JsonObject } from "../../base/jsonSource.ts";
import {
  snapshotVersion,
  snapshotWriter,
  type SnapshotSandbox,
  type SnapshotSession,
} from "../../protocol/files/snapshot.ts";
import type { Roster, Sandbox, Session } from "../../protocol/roster.ts";

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

/** What the kernel tells of a session's process, beside the roster; null where nobody told. */
export type ProcessUsage = Pick<SnapshotSession, "cputime_secs" | "mem_mb" | "has_child">;

const untold: ProcessUsage = { cputime_secs: null, mem_mb: null, has_child: null };

/**
 * What a roster shows of each sandbox that was observed: what was seen to live in it, or that nothing does. One of which
 * anything that lives is only known from earlier was not observed anew.
 */
export function observedSandboxes(
  roster: Pick<Roster, "sessions" | "sandboxes">,
  usageOf: (session: Session) => ProcessUsage = () => untold,
): ReadonlyMap<string, SnapshotSandbox> {
  const observed = new Map<string, SnapshotSandbox>();
  for (const sandbox of roster.sandboxes) {
    const at = observedEmptyAt(sandbox);
    if (at !== undefined) observed.set(sandbox.name, { is_current: true, observed_at_ms: at, sessions: [] });
  }
  const silent = new Set<string>();
  for (const session of roster.sessions) {
    if (session.sandbox === null || session.liveness.kind !== "live") continue;
    if (session.liveness.stale) silent.add(session.sandbox);
    const known = observed.get(session.sandbox);
    observed.set(session.sandbox, {
      is_current: true,
      observed_at_ms: Math.max(known?.observed_at_ms ?? 0, Date.parse(session.liveness.asOf)),
      sessions: [...(known?.sessions ?? []), snapshotSession(session, usageOf(session))],
    });
  }
  for (const name of silent) observed.delete(name);
  return observed;
}

/** When it was seen that nothing runs in it but what the rows show: it rests, or was asked inside. */
function observedEmptyAt({ state, stale, asOf, insideAsOf }: Sandbox): EpochMs | undefined {
  if (stale) return undefined;
  if (state === "stopped" || state === "suspended" || state === "failed") return Date.parse(asOf);
  return insideAsOf === undefined ? undefined : Date.parse(insideAsOf);
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

function snapshotSession({ id, cwd, title, startedAt, pid }: Session, usage: ProcessUsage): SnapshotSession {
  return {
    session_id: id,
    cwd,
    session_name: title,
    started_at: startedAt ?? null,
    pid: pid ?? null,
    ...usage,
  };
}
