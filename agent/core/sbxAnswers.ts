// What the `sbx` command of Docker Sandboxes prints, in every shape that its versions have had: an object with a list, or
// the bare list, with or without ids, behind words of its own. Another shape is no answer, and an item without a name is
// another shape: an older or newer version must not read as having no sandboxes.
import { safeIdPattern } from "../../protocol/ids.ts";
import type { ListedSandbox, SandboxState } from "./sandboxListing.ts";
import { shortText } from "./shortText.ts";

export type DaemonRead =
  { readonly kind: "runs" } | { readonly kind: "does-not-run" } | { readonly kind: "not-understood" };

/** The answer to `sbx daemon status --json`. */
export function readDaemonStatus(text: string): DaemonRead {
  const status = objectOf(jsonIn(text))?.["status"];
  if (typeof status !== "string") return { kind: "not-understood" };
  return { kind: status.toLowerCase() === "running" ? "runs" : "does-not-run" };
}

export type SandboxesRead =
  | { readonly kind: "read"; readonly sandboxes: readonly ListedSandbox[] }
  | { readonly kind: "not-understood"; readonly cause: string };

/** The answer to `sbx ls --json`. */
export function readSbxList(text: string, limit: number): SandboxesRead {
  const json = jsonIn(text);
  const list = Array.isArray(json) ? json : objectOf(json)?.["sandboxes"];
  if (!Array.isArray(list)) return { kind: "not-understood", cause: "what sbx prints is no list of sandboxes" };
  if (list.length > limit) return { kind: "not-understood", cause: `sbx lists more than ${limit} sandboxes` };
  const sandboxes = new Map<string, ListedSandbox>();
  for (const item of list as readonly unknown[]) {
    const fields = objectOf(item);
    const name = fields?.["name"];
    const status = fields?.["status"] ?? fields?.["state"];
    if (fields === undefined || typeof name !== "string" || !safeIdPattern.test(name) || typeof status !== "string")
      return { kind: "not-understood", cause: "sbx lists a sandbox without a name or a status" };
    if (sandboxes.has(name)) return { kind: "not-understood", cause: `sbx lists ${name} twice` };
    sandboxes.set(name, sandboxOf(name, status, fields));
  }
  return { kind: "read", sandboxes: [...sandboxes.values()] };
}

const states = {
  creating: "creating",
  starting: "creating",
  running: "running",
  paused: "paused",
  stopping: "suspending",
  stopped: "stopped",
  exited: "stopped",
  error: "failed",
  failed: "failed",
  removing: "deleting",
  deleting: "deleting",
} as const satisfies Readonly<Record<string, SandboxState>>;

function sandboxOf(name: string, status: string, fields: Readonly<Record<string, unknown>>): ListedSandbox {
  const { id, agent, workspaces } = fields;
  const word = status.toLowerCase();
  const known: Readonly<Record<string, SandboxState>> = states;
  const state = Object.hasOwn(known, word) ? (known[word] ?? "unknown") : "unknown";
  const place = Array.isArray(workspaces) && typeof workspaces[0] === "string" ? shortText(workspaces[0]) : undefined;
  const who = typeof agent === "string" ? shortText(agent) : undefined;
  return {
    // Versions before 0.39 gave none; a name is one sandbox' as long as it is there.
    identity: typeof id === "string" && id !== "" ? `sbx:${id}` : `sbx:${name}`,
    name,
    adapter: "sbx",
    state,
    says: [
      "a Docker sandbox",
      ...(who === undefined ? [] : [`of ${who}`]),
      ...(place === undefined ? [] : [`on ${place}`]),
      ...(state === "unknown" ? [`which sbx calls ${shortText(status) ?? "nothing"}`] : []),
    ].join(" "),
  };
}

/** The JSON behind whatever words a command prints first; undefined where there is none. */
function jsonIn(text: string): unknown {
  for (const { index } of text.matchAll(/^[ \t]*[[{]/gm)) {
    try {
      return JSON.parse(text.slice(index)) as unknown;
    } catch {
      // A line that only looks like the begin of it.
      continue;
    }
  }
  return undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
