// What a container engine's answers say, read tolerantly but never guessed: an answer of another shape is no answer, and
// a container without a name is counted and not given one. States are mapped to the roster's literals in one table, for
// the list and for a single container alike, so that both say the same.
import type { ListedSandbox, SandboxState } from "./sandboxListing.ts";
import { safeIdPattern } from "../../protocol/ids.ts";
import { shortText } from "./shortText.ts";

export interface EngineContainer {
  readonly id: string;
  readonly name: string;
  readonly state: SandboxState;
  /** As the engine says it. */
  readonly engineState: string;
  readonly image: string | undefined;
  /** Of a dev container: the folder that it is for. */
  readonly folder: string | undefined;
}

export type ContainersRead =
  | {
      readonly kind: "read";
      readonly containers: readonly EngineContainer[];
      readonly skipped: ReadonlyMap<string, number>;
    }
  | { readonly kind: "not-understood"; readonly cause: string };

/** The answer to `GET /containers/json?all=1`. */
export function readContainers(answer: unknown, limit: number): ContainersRead {
  if (!Array.isArray(answer)) return { kind: "not-understood", cause: "the engine's list is none" };
  const containers: EngineContainer[] = [];
  const skipped = new Map<string, number>();
  const skip = (why: string): void => void skipped.set(why, (skipped.get(why) ?? 0) + 1);
  for (const item of answer as readonly unknown[]) {
    const fields = objectOf(item);
    const id = idOf(fields?.["Id"]);
    const state = textOf(fields?.["State"]);
    // An engine that lists without ids or states speaks another language than ours.
    if (fields === undefined || id === undefined || state === undefined)
      return { kind: "not-understood", cause: "the engine lists a container without an id or a state" };
    const name = nameOf(fields["Names"]);
    if (name === undefined) skip("a container without a name");
    else if (containers.length >= limit) skip(`more than ${limit} containers`);
    else
      containers.push({
        id,
        name,
        state: stateOf(state),
        engineState: shortText(state) ?? state,
        image: shortText(textOf(fields["Image"])),
        folder: folderOf(objectOf(fields["Labels"])),
      });
  }
  return { kind: "read", containers, skipped };
}

export interface ContainerDetail {
  readonly id: string;
  readonly state: SandboxState;
  /** Of its first process, as the engine's machine counts; undefined where it has none. */
  readonly pid: number | undefined;
  readonly run: string | undefined;
}

/** The answer to `GET /containers/<id>/json`; undefined where it is not understood. */
export function readContainer(answer: unknown): ContainerDetail | undefined {
  const fields = objectOf(answer);
  const state = objectOf(fields?.["State"]);
  const id = idOf(fields?.["Id"]);
  const status = textOf(state?.["Status"]);
  if (id === undefined || status === undefined) return undefined;
  const pid = state?.["Pid"];
  const run = shortText(textOf(state?.["StartedAt"]));
  return {
    id,
    state: stateOf(status),
    pid: typeof pid === "number" && Number.isInteger(pid) && pid > 0 ? pid : undefined,
    run,
  };
}

/** Containers run, rest or go; what an engine calls otherwise is not guessed at. */
const states = {
  created: "stopped",
  configured: "stopped",
  initialized: "stopped",
  running: "running",
  paused: "paused",
  // Between two attempts.
  restarting: "restoring",
  exited: "stopped",
  stopped: "stopped",
  removing: "deleting",
  dead: "failed",
} as const satisfies Readonly<Record<string, SandboxState>>;

function stateOf(state: string): SandboxState {
  const known: Readonly<Record<string, SandboxState>> = states;
  return Object.hasOwn(known, state.toLowerCase()) ? (known[state.toLowerCase()] ?? "unknown") : "unknown";
}

export function sandboxOfContainer(
  adapter: string,
  { id, name, state, engineState, image, folder }: EngineContainer,
): ListedSandbox {
  const title = folder === undefined ? undefined : shortText(folder.split(/[\\/]/).filter(Boolean).at(-1));
  const what = folder === undefined ? `container ${id.slice(0, 12)}` : `dev container ${id.slice(0, 12)} of ${folder}`;
  return {
    identity: id,
    name,
    adapter,
    state,
    says: `${what}${image === undefined ? "" : ` from ${image}`}${state === "unknown" ? `, which the engine calls ${engineState}` : ""}`,
    ...(title === undefined || title === name ? {} : { title }),
  };
}

/** Of several names the container's own; the others are links of other containers. */
function nameOf(names: unknown): string | undefined {
  if (!Array.isArray(names)) return undefined;
  for (const each of names as readonly unknown[]) {
    const name = textOf(each)?.replace(/^\//, "");
    if (name !== undefined && safeIdPattern.test(name)) return name;
  }
  return undefined;
}

const folderLabels = ["devcontainer.local_folder", "vsch.local.folder"];

function folderOf(labels: Readonly<Record<string, unknown>> | undefined): string | undefined {
  for (const label of folderLabels) {
    const folder = shortText(textOf(labels?.[label]));
    if (folder !== undefined && folder !== "") return folder;
  }
  return undefined;
}

function idOf(value: unknown): string | undefined {
  const id = textOf(value);
  return id !== undefined && /^[0-9a-f]{64}$/.test(id) ? id : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
