// Where container engines listen on this host: what the environment names, else the sockets that Docker and Podman use
// by themselves. Nothing is asked over a network, so an engine elsewhere cannot be told of.
import { accessSync, constants, realpathSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import type { SourceId } from "../../../protocol/observation.ts";

export interface EngineEnd {
  readonly kind: "docker" | "podman";
  readonly source: SourceId;
  readonly socket: string;
}

export interface UnreachableEnd {
  readonly kind: "docker" | "podman";
  readonly source: SourceId;
  readonly cause: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const systemSockets = { docker: "/var/run/docker.sock", podman: "/run/podman/podman.sock" } as const;

export function engineEnds(env: Environment, uid: number | undefined): readonly (EngineEnd | UnreachableEnd)[] {
  const docker = namedEnd("docker", "DOCKER_HOST", env) ?? endOf("docker", systemSockets.docker);
  const podman = namedEnd("podman", "CONTAINER_HOST", env);
  const runtime = env["XDG_RUNTIME_DIR"];
  const folder = runtime === undefined || runtime === "" ? `/run/user/${uid ?? 0}` : runtime;
  const usual = [systemSockets.podman, join(folder, "podman", "podman.sock")];
  // Root's own is that of the system; another user may rarely ask there.
  const sockets = uid === 0 ? usual : [...usual].reverse().filter((socket, index) => index === 0 || mayAsk(socket));
  const first = sockets.find(isThere) ?? sockets[0] ?? systemSockets.podman;
  const others = sockets.filter((socket) => socket !== first);
  const podmans =
    podman === undefined
      ? [endOf("podman", first), ...others.map((socket) => endOf("podman", socket, `sandboxes:podman:${socket}`))]
      : [podman];
  return withoutDoubles([docker, ...podmans]);
}

function namedEnd(kind: EngineEnd["kind"], variable: string, env: Environment): EngineEnd | UnreachableEnd | undefined {
  const named = env[variable];
  if (named === undefined || named === "") return undefined;
  const socket = /^unix:\/\/(\/.*)$/.exec(named)?.[1];
  if (socket !== undefined) return endOf(kind, socket);
  const cause = `${variable} names ${named}, and only unix sockets of this host are asked; leave ${kind} out in ROLLCALL_SANDBOX_ADAPTERS`;
  return { kind, source: `sandboxes:${kind}`, cause };
}

function endOf(kind: EngineEnd["kind"], socket: string, source: SourceId = `sandboxes:${kind}`): EngineEnd {
  return { kind, source, socket };
}

/** One engine behind two names is asked by its own. */
function withoutDoubles(ends: readonly (EngineEnd | UnreachableEnd)[]): readonly (EngineEnd | UnreachableEnd)[] {
  const kept = new Map<string, EngineEnd | UnreachableEnd>();
  for (const end of ends) {
    const key = "socket" in end ? realName(end.socket) : end.source;
    const other = kept.get(key);
    if (other === undefined || ("socket" in other && other.socket !== key && "socket" in end && end.socket === key))
      kept.set(key, end);
  }
  return [...kept.values()];
}

function realName(socket: string): string {
  try {
    return realpathSync(socket);
  } catch {
    return socket;
  }
}

function mayAsk(socket: string): boolean {
  try {
    accessSync(socket, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isThere(socket: string): boolean {
  try {
    realpathSync(socket);
    return true;
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}
